"""Parse the SQL of a query before an engine sees it: one statement, that only reads, from known tables."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from projector.errors import NotFoundError, ParseError, UnsupportedError

if TYPE_CHECKING:
    from sqlglot import exp

_EXPLAIN = re.compile(r"(\s|--[^\n]*\n|/\*.*?\*/)*EXPLAIN\s+(ANALYZE\s+)?", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class QueryText:
    """A query that may be run.

    Parameters
    ----------
    sql:
        The text.
    tree:
        The parsed statement; for an EXPLAIN, the statement that it explains.
    tables:
        Names of the tables that it reads, in lower case.
    """

    sql: str
    tree: exp.Expr
    tables: frozenset[str]


def parse_query(sql: str, tables: Collection[str]) -> QueryText:
    """Parse a query.

    Parameters
    ----------
    tables:
        Names of the tables that it may read.

    Raises
    ------
    ParseError
        The text cannot be parsed, or has more than one statement.
    UnsupportedError
        The statement is not a query, or calls a function that reads something other than the tables.
    NotFoundError
        The query reads an unknown table.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    explained = _EXPLAIN.match(sql)
    try:
        with _unlogged():
            text = sql[explained.end() :] if explained else sql
            found = [tree for tree in sqlglot.parse(text, read="duckdb") if tree]
    except RecursionError:
        raise ParseError("Cannot parse the query: it is nested too deeply", text=sql) from None
    except SqlglotError as error:
        said = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(error)).split())
        raise ParseError(f"Cannot parse the query: {said}", text=sql) from None
    if len(found) != 1:
        raise ParseError(f"Cannot run {len(found)} statements as one query", text=sql, hint="give one SELECT")
    (tree,) = found
    written = [
        node
        for node in tree.walk()
        if isinstance(node, exp.DDL | exp.DML | exp.Command | exp.Into) and not isinstance(node, exp.Query | exp.Values)
    ]
    if not written and isinstance(tree, exp.Condition) and not isinstance(tree, exp.Query):
        raise ParseError("Cannot parse the query: it is not a statement", text=sql, hint="give a SELECT")
    if written or not isinstance(tree, exp.Query | exp.Values):
        kind = type(written[0] if written else tree)
        name = str(tree.this) if isinstance(tree, exp.Command) else kind.__name__.upper()
        raise UnsupportedError(f"Cannot run {name}: a query only reads", hint="give a SELECT")
    return QueryText(sql, tree, _tables(tree, {name.lower() for name in tables}))


@contextmanager
def _unlogged() -> Iterator[None]:
    """Silence the parser's warning about statements that it does not parse; they raise an error here."""
    thread, logger = threading.get_ident(), logging.getLogger("sqlglot")

    def from_elsewhere(_: logging.LogRecord) -> bool:
        return threading.get_ident() != thread

    logger.addFilter(from_elsewhere)
    try:
        yield
    finally:
        logger.removeFilter(from_elsewhere)


def _tables(tree: exp.Expr, known: Collection[str]) -> frozenset[str]:
    from sqlglot import exp

    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    found: set[str] = set()
    for table in tree.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier):
            if isinstance(table.this, exp.GenerateSeries | exp.Unnest | exp.Values | exp.Subquery):
                continue
            with _unlogged():
                said = table.this.sql(dialect="duckdb") if table.this is not None else "this"
            raise UnsupportedError(f"Cannot read {said} in a query", hint="give tables with --table NAME=PATH")
        name = table.name.lower()
        if table.args.get("db") is not None or (name not in known and name not in ctes):
            shown = ".".join(part.name for part in table.parts)
            raise NotFoundError(
                f"There is no table {shown!r} in this query", hint=f"there are: {', '.join(sorted(known))}"
            )
        if name in known:
            found.add(name)
    return frozenset(found)
