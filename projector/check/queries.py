"""Downstream queries, bound and run before and after a change: what no longer binds, and what gives other rows."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from projector.check.state import TableState
from projector.errors import ProjectorError, UnsupportedError
from projector.planning.expressions import TRUE
from projector.planning.projected_files import PlanCache, project_files
from projector.planning.scan_source import SnapshotSource
from projector.schema.schema import Schema
from projector.schema.types import VariantType, walk

if TYPE_CHECKING:
    import duckdb

TABLE_NAME = "t"
"""The name that a query may always call the table by, beside its own last name."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query gave: its columns, and its rows by how often each came; or why it could not be run."""

    columns: tuple[str, ...] = ()
    rows: Mapping[tuple[Any, ...], int] | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class QueryDifference:
    """A query that the change affects.

    Parameters
    ----------
    name:
        What the query is called: its file, or its number.
    words:
        The names in it, in lower case, by which the change that affects it is found.
    failure:
        Why it can no longer be run; None where it gives other rows.
    before, after:
        A row, or the columns, that only one of the two has, as text.
    """

    name: str
    words: frozenset[str]
    failure: str | None
    before: str = ""
    after: str = ""


def compare_queries(queries: Mapping[str, str], before: TableState, after: TableState) -> Iterator[QueryDifference]:
    """The queries whose answer differs.

    Columns that only the answer after has are no difference; neither is the order of rows.

    Raises
    ------
    UnsupportedError
        Where a query cannot be run on the table as it is: then there is nothing to compare with.
    """
    if not queries:
        return
    was, now = _connection(before), _connection(after)
    for name, sql in queries.items():
        one = _answer(was, sql)
        if one.failure is not None:
            raise UnsupportedError(f"Query {name} does not run on the table as it is: {one.failure}")
        other = _answer(now, sql)
        words = frozenset(word.lower() for word in re.findall(r"\w+", sql))
        if other.failure is not None:
            yield QueryDifference(name, words, other.failure)
            continue
        gone = [column for column in one.columns if column not in other.columns]
        if gone:
            yield QueryDifference(name, words, None, f"columns {', '.join(one.columns)}", ", ".join(other.columns))
            continue
        places = [other.columns.index(column) for column in one.columns]
        found: Counter[tuple[Any, ...]] = Counter()
        for row, count in (other.rows or {}).items():
            found[tuple(row[place] for place in places)] += count
        expected = Counter(one.rows or {})
        if expected != found:
            lost, new = expected - found, found - expected
            shown = (str(next(iter(lost), "no such row")), str(next(iter(new), "no such row")))
            yield QueryDifference(name, words, None, *shown)


def _connection(state: TableState) -> duckdb.DuckDBPyConnection:
    """A database with the table in it, under both its names."""
    import duckdb

    from projector.engines.duckdb_view import make_view

    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET python_enable_replacements = false")  # no query sees a variable of this program
    metadata, files = state.metadata, state.files
    source = SnapshotSource(metadata, metadata.current_snapshot, state.schema, files.storage, files.resolver)
    readable = Schema(tuple(f for f in state.schema.fields if not _holds_variant(f.field_type)))
    tasks = source.plan(TRUE).tasks
    request = source.request(readable, TRUE, tasks)
    for name in dict.fromkeys((TABLE_NAME, metadata.location.rstrip("/").rsplit("/", 1)[-1])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            projected = project_files(tasks, PlanCache(request.wide_schema, request.name_mapping), request.storage)
            make_view(projected, request, name, connection, None)
    return connection


def _holds_variant(kind: Any) -> bool:
    return isinstance(kind, VariantType) or any(isinstance(f.field_type, VariantType) for _, f in walk(kind))


def _answer(connection: duckdb.DuckDBPyConnection, sql: str) -> Answer:
    import duckdb

    try:
        statements = connection.extract_statements(sql)
        if [s.type for s in statements] != [duckdb.StatementType.SELECT]:
            raise UnsupportedError("A query is one SELECT statement: a check writes nothing")
        result = connection.sql(sql)
        assert result is not None
        table = result.to_arrow_table()
    except duckdb.Error as error:
        return Answer(failure=" ".join(str(error).split()))
    except ProjectorError as error:
        return Answer(failure=str(error))
    rows = Counter(tuple(map(_hashable, row.values())) for row in _rows(table))
    return Answer(tuple(table.column_names), rows)


def _rows(table: Any) -> Iterator[dict[int, Any]]:
    """Rows by the number of the column: names may come twice."""
    columns = [column.to_pylist() for column in table.columns]
    return (dict(enumerate(row)) for row in zip(*columns, strict=True))


def _hashable(value: Any) -> Any:
    match value:
        case dict():
            return tuple((key, _hashable(child)) for key, child in value.items())
        case list():
            return tuple(map(_hashable, value))
        case float() if value != value:
            return "NaN"
        case _:
            return value
