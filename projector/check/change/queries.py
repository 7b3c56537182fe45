"""Run downstream queries before and after a change: find those that fail and those that return other rows."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from projector.check.evidence.state import TableState
from projector.errors import ProjectorError
from projector.evolution.operations.schema import Source
from projector.planning.filters.expressions import TRUE
from projector.planning.scan.projected_files import PlanCache, project_files
from projector.planning.scan.source import SnapshotSource
from projector.schema.schema import Schema
from projector.schema.types import has_variant

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

TABLE_NAME = "t"
"""A name for the table in every query, in addition to its own last name."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a query, or why it failed."""

    table: pa.Table | None = None
    failure: str | None = None
    line: int = 1
    """The line of the query that the failure is on."""


@dataclass(frozen=True, slots=True)
class QueryDifference:
    """A query that the change affects, or that does not run.

    Parameters
    ----------
    name:
        The query's file, or its number.
    words:
        The words in it, in lower case, to find the operation that affects it.
    failure:
        Why it fails; None if it returns other rows.
    place:
        The place of the failure, if the query fails before the change as well.
    before, after:
        A row, or the columns, that only one of the two results has, as text.
    unsteady:
        Whether the query returns different rows each time it runs, so that they say nothing about the change.
    """

    name: str
    words: frozenset[str]
    failure: str | None
    before: str = ""
    after: str = ""
    unsteady: bool = False
    place: Source | None = None


def compare_queries(
    queries: Mapping[str, str], before: TableState, after: TableState, others: Mapping[str, SnapshotSource]
) -> Iterator[QueryDifference]:
    """Yield the queries whose result differs, and those that fail on the table as it is.

    Ignore columns, and fields of structs, that only the result after the change has, and the order of rows.

    Parameters
    ----------
    others:
        Further tables that queries may name.
    """
    if not queries:
        return
    was, now = _connection(before, others), _connection(after, others)
    for name, sql in queries.items():
        one = _answer(was, sql)
        words = frozenset(word.lower() for word in re.findall(r"\w+", sql))
        if one.failure is not None:
            yield QueryDifference(name, words, one.failure, place=_place(name, sql, one.line))
            continue
        other = _answer(now, sql)
        if one.table is None or other.table is None:
            yield QueryDifference(name, words, other.failure)
            continue
        places = _places(one.table.column_names, other.table.column_names)
        if places is None:
            columns, left = (", ".join(table.column_names) for table in (one.table, other.table))
            yield QueryDifference(name, words, None, f"columns {columns}", f"columns {left}")
            continue
        kinds = one.table.schema.types
        expected, found = _rows(one.table.columns, kinds), _rows([other.table.columns[i] for i in places], kinds)
        if expected != found:
            again = _answer(was, sql).table
            if again is None or _rows(again.columns, kinds) != expected:
                yield QueryDifference(name, words, None, unsteady=True)
                continue
            lost, new = expected - found, found - expected
            columns_after = [other.table.columns[i] for i in places]
            texts = (
                _row_text(next(iter(lost), None), one.table.columns, kinds, one.table.column_names),
                _row_text(next(iter(new), None), columns_after, kinds, one.table.column_names),
            )
            yield QueryDifference(name, words, None, *texts)


def _places(before: Sequence[str], after: Sequence[str]) -> list[int] | None:
    """Return the place of each column before among the columns after, matching equal names in order.

    None if a column is gone.
    """
    left: dict[str, list[int]] = {}
    for place, column in enumerate(after):
        left.setdefault(column, []).append(place)
    try:
        return [left[column].pop(0) for column in before]
    except (KeyError, IndexError):
        return None


def _place(name: str, sql: str, number: int) -> Source:
    """Return the place of a line of a query, from its first word."""
    lines = sql.splitlines(keepends=True) or [""]
    number = min(max(number, 1), len(lines))
    line, start = lines[number - 1], sum(map(len, lines[: number - 1]))
    start += len(line) - len(line.lstrip())
    return Source(sql, start, start + len(line.strip()), f"query {name}" if name.isdigit() else name)


def _connection(state: TableState, others: Mapping[str, SnapshotSource]) -> duckdb.DuckDBPyConnection:
    """Return a database with the table in it, under both its names, and the further tables."""
    from projector.engines.duckdb.sandbox import closed_database

    metadata, files = state.metadata, state.files
    source = SnapshotSource(metadata, metadata.current_snapshot, state.schema, files.storage, files.resolver)
    own = (TABLE_NAME, metadata.location.rstrip("/").rsplit("/", 1)[-1])
    taken = {name.lower() for name in others}
    sources = {name: source for name in own if name.lower() not in taken} | dict(others)

    def make_views(connection: duckdb.DuckDBPyConnection, paths: list[str]) -> None:
        for name, each in sources.items():
            _make_view(each, name, connection, paths)

    return closed_database(make_views, {"threads": 1})


def _make_view(source: SnapshotSource, name: str, connection: duckdb.DuckDBPyConnection, paths: list[str]) -> None:
    from projector.engines.duckdb.view import make_view

    readable = Schema(tuple(f for f in source.schema.fields if not has_variant(f.field_type)))
    tasks = source.plan(TRUE).tasks
    request = source.request(readable, TRUE, tasks)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        projected = project_files(tasks, PlanCache(request.wide_schema, request.name_mapping), request.storage)
        make_view(projected, request, name, connection, None, paths)


def _answer(connection: duckdb.DuckDBPyConnection, sql: str) -> Answer:
    import duckdb

    from projector.engines.duckdb.sandbox import run_query

    try:
        table = run_query(connection, sql, ("SELECT",)).to_arrow_table()
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        line = re.search(r"^LINE (\d+):", str(error), re.MULTILINE)
        return Answer(failure=" ".join(str(error).split()), line=int(line[1]) if line else 1)
    except ProjectorError as error:
        return Answer(failure=str(error))
    return Answer(table)


def _rows(columns: Sequence[pa.ChunkedArray], kinds: Sequence[pa.DataType]) -> Counter[tuple[Any, ...]]:
    """Count each row; of structs only the fields in the types count."""
    return Counter(_hashable_rows(columns, kinds))


def _hashable_rows(columns: Sequence[pa.ChunkedArray], kinds: Sequence[pa.DataType]) -> Iterator[tuple[Any, ...]]:
    values = [
        [_hashable(value, kind) for value in column.to_pylist()] for column, kind in zip(columns, kinds, strict=True)
    ]
    return zip(*values, strict=True)


def _row_text(
    row: tuple[Any, ...] | None, columns: Sequence[pa.ChunkedArray], kinds: Sequence[pa.DataType], names: Sequence[str]
) -> str:
    """Return a row as text."""
    if row is None:
        return "no such row"
    place = next(i for i, other in enumerate(_hashable_rows(columns, kinds)) if other == row)
    return ", ".join(f"{n} = {_sql_text(c[place].as_py())}" for n, c in zip(names, columns, strict=True))


def _hashable(value: Any, kind: pa.DataType) -> Any:
    import pyarrow as pa

    match value:
        case dict() if pa.types.is_struct(kind):
            return tuple((f.name, _hashable(value[f.name], f.type)) for f in kind if f.name in value)
        case list() if pa.types.is_map(kind):
            return tuple((_hashable(k, kind.key_type), _hashable(v, kind.item_type)) for k, v in value)
        case list() if hasattr(kind, "value_type"):
            return tuple(_hashable(item, kind.value_type) for item in value)
        case dict() | list():  # of another type than before
            return repr(value)
        case float() if value != value:
            return "NaN"
        case _:
            return value


def _sql_text(value: Any) -> str:
    """Return a Python value as SQL writes it: NULL, true, 'text', X'00', numbers and times as they are."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bytes():
            return f"X'{value.hex()}'"
        case dict():
            return "{" + ", ".join(f"{name}: {_sql_text(inner)}" for name, inner in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_sql_text, value)) + "]"
        case (key, inner):  # an entry of a map
            return f"{_sql_text(key)} -> {_sql_text(inner)}"
        case _:
            return str(value)
