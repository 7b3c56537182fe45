"""A filter that is pushed down gives the rows of the same filter after a full read.

Over random tables: several files under several schemas, written in the many manners of pyarrow, with bounds; evolutions
between them; position deletes, deletion vectors and equality deletes; filters whose literals are values of the table,
the edges of the old and new types and what lies beyond them, defaults and nulls.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from projector.engines.plain_rows import same_value, to_plain_rows
from projector.errors import ParseError, ProjectionError
from projector.planning.filters.bind import bind
from projector.planning.filters.evaluate import evaluate_row
from projector.planning.filters.expressions import (
    And,
    Comparison,
    Expression,
    In,
    IsNull,
    Not,
    NotIn,
    NotNull,
    Op,
    Or,
    StartsWith,
)
from projector.planning.filters.literals import DateLiteral, TimeLiteral, TimestampLiteral
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
    DateType,
    FixedType,
    FloatType,
    GeographyType,
    GeometryType,
    IcebergType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
)
from tests.planning.filters import literals
from tests.planning.tables import TableBuilder, value_at
from tests.strategies import Row, evolutions, parquet_files, rows_of, schemas

SLOW = settings(
    max_examples=100,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # to shrink a table's history takes minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
NOT_COMPARED = (UnknownType, GeometryType, GeographyType)
NANOS = {TimestampType: 1000, TimestamptzType: 1000, TimestampNanoType: 1, TimestamptzNanoType: 1}


def columns(schema: Schema) -> list[tuple[tuple[str, ...], NestedField]]:
    """The columns that a filter can compare: primitives outside lists and maps."""
    found: list[tuple[tuple[str, ...], NestedField]] = []

    def below(fields: tuple[NestedField, ...], path: tuple[str, ...]) -> None:
        for f in fields:
            if isinstance(f.field_type, StructType):
                below(f.field_type.fields, (*path, f.name))
            elif f.field_type.is_primitive and not isinstance(f.field_type, NOT_COMPARED):
                found.append(((*path, f.name), f))

    below(schema.fields, ())
    return found


def literal_of(value: Any, kind: IcebergType) -> Any:
    """A plain value as a user writes it."""
    match kind:
        case DateType():
            return DateLiteral(value)
        case TimeType():
            return TimeLiteral(value * 1000)
        case TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType():
            return TimestampLiteral(value * NANOS[type(kind)], isinstance(kind, TimestamptzType | TimestamptzNanoType))
        case FloatType() if math.isnan(value):
            return float("nan")
        case _:
            return value


@st.composite
def filters_of(draw: st.DrawFn, schema: Schema, rows: list[Row]) -> Expression:
    """Filters over a schema, about the values that there are."""
    path, column = draw(st.sampled_from(columns(schema)))
    known = [v for v in (value_at(row, path) for row in rows) if v is not None]
    if column.initial_default is not None:
        known.append(column.initial_default)
    near = st.sampled_from(known).map(lambda v: literal_of(v, column.field_type)) if known else st.nothing()
    literal = st.one_of(near, near, near, literals(column.field_type))
    kinds = [
        st.builds(Comparison, st.sampled_from(Op), st.just(path), literal),
        st.builds(Comparison, st.sampled_from(Op), st.just(path), literal),
        st.builds(In, st.just(path), st.lists(literal | st.none(), min_size=1, max_size=3).map(tuple)),
        st.builds(NotIn, st.just(path), st.lists(literal | st.none(), min_size=1, max_size=3).map(tuple)),
        st.builds(IsNull, st.just(path[: draw(st.integers(1, len(path)))])),
        st.builds(NotNull, st.just(path)),
    ]
    if isinstance(column.field_type, StringType | BinaryType | FixedType):
        kinds.append(st.builds(StartsWith, st.just(path), literal.map(lambda v: v[:2])))
    leaf = st.one_of(kinds)
    expression = draw(leaf)
    if draw(st.booleans()):
        joined = draw(st.sampled_from((And, Or)))
        expression = joined(expression, draw(filters_of(schema, rows)))
    return Not(expression) if draw(st.integers(0, 3)) == 0 else expression


@st.composite
def tables(draw: st.DrawFn, folder: Path) -> TableBuilder:
    """A table after a short history."""
    table = TableBuilder(folder, draw(schemas(depth=2, most=3)), 3)
    files: dict[str, int] = {}
    with_vector: set[str] = set()
    written: list[tuple[Schema, list[Row]]] = []
    for step in range(draw(st.integers(1, 4))):
        if step and draw(st.booleans()):
            table.evolve(draw(evolutions(table.schema, max(s.highest_field_id for s in table.schemas))))
        rows = draw(rows_of(table.schema))
        content = draw(parquet_files(table.schema, rows))
        file = table.append(rows, content=content, bounds=draw(st.integers(0, 4)) > 0)
        files[file] = len(rows)
        written.append((table.schema, rows))
        match draw(st.integers(0, 4)):
            case 0:
                chosen = [(f, p) for f, n in files.items() for p in range(n) if draw(st.integers(0, 4)) == 0]
                table.delete_positions(chosen)
            case 1:
                target = draw(st.sampled_from(sorted(files)))
                if target not in with_vector:
                    with_vector.add(target)
                    table.delete_vectors({target: [p for p in range(files[target]) if draw(st.booleans())]})
            case 2:
                _delete_equal(draw, table, written)
    return table


def _delete_equal(draw: st.DrawFn, table: TableBuilder, written: list[tuple[Schema, list[Row]]]) -> None:
    schema, rows = draw(st.sampled_from(written))
    keys = [f for f in schema.fields if f.field_type.is_primitive and not isinstance(f.field_type, NOT_COMPARED)]
    if not keys or not rows:
        return
    chosen = draw(st.lists(st.sampled_from(keys), min_size=1, max_size=2, unique=True))
    deleted = draw(st.lists(st.sampled_from(rows), min_size=1, max_size=3))
    table.delete_equal([{f.name: row[f.name] for f in chosen} for row in deleted], Schema(tuple(chosen)))


def show(rows: list[Row]) -> str:
    return "\n".join(map(repr, rows))


@SLOW
@given(st.data())
def test_filters_pushed_down_are_filters_after_a_full_read(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        builder = data.draw(tables(Path(folder)))
        assume(columns(builder.schema))
        table = builder.load()
        try:
            everything = to_plain_rows(table.scan().to_arrow("rows"), builder.schema)
        except ProjectionError as error:  # a date out of the range of nanoseconds
            if "out of range" not in str(error):
                raise
            return
        assert same_value(to_plain_rows(table.scan().to_arrow(), builder.schema), everything)
        expression = data.draw(filters_of(builder.schema, everything))
        try:
            bound = bind(expression, builder.schema)
        except ParseError:  # a literal that the column's type cannot be compared with
            assume(False)
        expected = [row for row in everything if evaluate_row(bound, row) is True]
        scan = table.scan(expression)
        for engine in ("arrow", "rows"):
            found = to_plain_rows(scan.to_arrow(engine), builder.schema)
            assert same_value(found, expected), f"{engine}: {bound}\n{show(found)}\ninstead of\n{show(expected)}"
        assert scan.count() == len(expected)

        # Columns of the filter need not be selected, and nothing that is read beside them changes it.
        last = builder.schema.fields[-1:]
        pruned = table.scan(expression, selected_fields=[(last[0].name,), ("_pos",)])
        given_out = to_plain_rows(pruned.to_arrow(), pruned.schema())
        positions = to_plain_rows(pruned.to_arrow("rows"), pruned.schema())
        assert same_value(given_out, positions)
        assert same_value(
            [{k: r[k] for k in r if k != "_pos"} for r in given_out],
            [{last[0].name: r[last[0].name]} for r in expected],
        )
