"""Hypothesis strategies that all engines share: schemas, rows, legal evolutions, and Parquet files of odd manners.

schema = draw(schemas())
rows = draw(rows_of(schema))
file = draw(parquet_files(schema, rows))       # bytes, with PARQUET:field_id
evolved = draw(evolutions(schema))             # what a table's later schema may be
"""

from __future__ import annotations

import io
import string
import uuid
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import reject
from hypothesis import strategies as st

from projector.engines.plain_rows import from_plain_rows
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    GeographyType,
    GeometryType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
)

Row = dict[str, Any]

# Names that paths, globs, SQL and Parquet's own groups could trip over; "a", "b" and "a.b" meet in one struct.
NAMES = (
    "a",
    "b",
    "c",
    "a.b",
    "b.c",
    "list",
    "element",
    "key",
    "value",
    "key_value",
    "é 1",
    "x*",
    "[y]",
    "A",
    'q"',
    "d%",
)

SIMPLE_TYPES: tuple[IcebergType, ...] = (
    BooleanType(), IntegerType(), LongType(), FloatType(), DoubleType(), DateType(), TimeType(), TimestampType(),
    TimestamptzType(), TimestampNanoType(), TimestamptzNanoType(), StringType(), UUIDType(), BinaryType(),
)  # fmt: skip


def primitive_types() -> st.SearchStrategy[IcebergType]:
    """Every primitive type that data files hold values of."""
    decimals = st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: DecimalType(p, s)))
    fixed = st.integers(1, 20).map(FixedType)
    return st.one_of(st.sampled_from((*SIMPLE_TYPES, GeometryType(), GeographyType())), decimals, fixed)


class Ids:
    """Hands out field ids, one after the other."""

    def __init__(self, last: int = 0) -> None:
        self.last = last

    def next(self) -> int:
        self.last += 1
        return self.last


@st.composite
def types(draw: st.DrawFn, ids: Ids, depth: int) -> IcebergType:
    """A type nested at most `depth` levels deep."""
    kind = draw(st.integers(0, 9)) if depth else 0
    if kind < 6:
        return draw(primitive_types())
    if kind < 8:
        return StructType(draw(fields(ids, depth - 1, most=3)))
    if kind == 8:
        element_id = ids.next()
        return ListType(element_id, draw(types(ids, depth - 1)), draw(st.booleans()))
    key_id, value_id = ids.next(), ids.next()
    key = draw(st.sampled_from((StringType(), IntegerType(), UUIDType(), DateType())))
    return MapType(key_id, key, value_id, draw(types(ids, depth - 1)), draw(st.booleans()))


@st.composite
def fields(draw: st.DrawFn, ids: Ids, depth: int, most: int) -> tuple[NestedField, ...]:
    """Fields of a struct, at least one."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=most, unique=True))
    made = []
    for name in names:
        field_id = ids.next()
        if draw(st.integers(0, 15)) == 0:
            made.append(NestedField(field_id, name, UnknownType()))
        else:
            made.append(NestedField(field_id, name, draw(types(ids, depth)), draw(st.booleans())))
    return tuple(made)


@st.composite
def schemas(draw: st.DrawFn, depth: int = 3, most: int = 5) -> Schema:
    """A schema as a data file could have been written under."""
    return Schema(draw(fields(Ids(), depth, most)))


def values_of(iceberg_type: IcebergType) -> st.SearchStrategy[Any]:
    """Plain values of a type, none of them null at the top."""
    match iceberg_type:
        case StructType(children):
            return st.fixed_dictionaries({f.name: field_values(f) for f in children})
        case ListType():
            return _lists(field_values(iceberg_type.element))
        case MapType():
            return _lists(st.tuples(field_values(iceberg_type.key), field_values(iceberg_type.value)))
        case BooleanType():
            return st.booleans()
        case IntegerType():
            return st.integers(-(2**31), 2**31 - 1)
        case LongType() | TimestampNanoType() | TimestamptzNanoType():
            return st.integers(-(2**63), 2**63 - 1)
        case TimestampType() | TimestamptzType():
            return st.integers(-(2**63), 2**63 - 1)
        case FloatType():
            return st.floats(width=32)
        case DoubleType():
            return st.floats()
        case DecimalType(precision, scale):
            most = 10**precision - 1
            return st.integers(-most, most).map(lambda n: Decimal(n).scaleb(-scale, _wide))
        case DateType():
            return st.one_of(st.integers(-100_000, 100_000), st.integers(-(2**31), 2**31 - 1))
        case TimeType():
            return st.integers(0, 86_400_000_000 - 1)
        case StringType():
            return st.text(st.sampled_from(string.ascii_lowercase + "é漢\U0001f600 "), max_size=5)
        case UUIDType():
            return st.integers(0, 2**128 - 1).map(lambda n: uuid.UUID(int=n))
        case FixedType(length):
            return st.binary(min_size=length, max_size=length)
        case _:
            return st.binary(max_size=6)


def _wide_context() -> Any:
    from decimal import Context

    return Context(prec=60)


_wide = _wide_context()


def _lists(items: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Empty and short lists, and now and then a long one made of few different items."""
    short = st.lists(items, max_size=3)
    return st.one_of(short, short, short, st.lists(items, min_size=1, max_size=3).map(lambda found: found * 20))


def field_values(field: NestedField) -> st.SearchStrategy[Any]:
    """Plain values of a field, null among them where it is optional."""
    if isinstance(field.field_type, UnknownType):
        return st.none()
    values = values_of(field.field_type)
    return values if field.required else st.one_of(st.none(), values)


def rows_of(schema: Schema, most: int = 12) -> st.SearchStrategy[list[Row]]:
    """Rows of a schema."""
    return st.lists(st.fixed_dictionaries({f.name: field_values(f) for f in schema.fields}), max_size=most)


@st.composite
def evolutions(draw: st.DrawFn, schema: Schema, last_id: int = 0) -> Schema:
    """A schema that legal changes make of another: drops, renames, moves, promotions, additions, at every depth.

    `last_id` is the highest id that the table has given out, where that is none of this schema's.
    """
    ids = Ids(max(schema.highest_field_id, last_id))
    return Schema(_evolved_fields(draw, schema.fields, ids, depth=2), schema.schema_id + 1)


def _evolved_fields(draw: st.DrawFn, old: tuple[NestedField, ...], ids: Ids, depth: int) -> tuple[NestedField, ...]:
    kept = [f for f in old if draw(st.integers(0, 4))]
    added = draw(st.integers(0 if kept else 1, 2))
    # Any name will do for any field, so names are swapped, and dropped names come back with new ids.
    names = draw(st.permutations(NAMES)) if draw(st.booleans()) else [*(f.name for f in kept), *_others(kept)]
    new = [
        NestedField(
            f.field_id,
            name,
            _evolved_type(draw, f.field_type, ids, depth),
            f.required and draw(st.booleans()),
            initial_default=f.initial_default,
        )
        for f, name in zip(kept, names, strict=False)
    ]
    new += [added_field(draw, name, ids, depth - 1) for name in names[len(kept) : len(kept) + added]]
    return tuple(draw(st.permutations(new)))


def _others(kept: list[NestedField]) -> list[str]:
    taken = {f.name for f in kept}
    return [name for name in NAMES if name not in taken]


def _evolved_type(draw: st.DrawFn, old: IcebergType, ids: Ids, depth: int) -> IcebergType:
    match old:
        case StructType(children):
            return StructType(_evolved_fields(draw, children, ids, depth))
        case ListType():
            element = _evolved_type(draw, old.element_type, ids, depth)
            return ListType(old.element_id, element, old.element_required and draw(st.booleans()))
        case MapType():
            value = _evolved_type(draw, old.value_type, ids, depth)
            return MapType(old.key_id, old.key_type, old.value_id, value, old.value_required and draw(st.booleans()))
        case _:
            return draw(st.sampled_from((old, *promotions_of(old))))


def promotions_of(old: IcebergType) -> tuple[IcebergType, ...]:
    """What a type may be promoted to in format version 3 (spec: Schema Evolution)."""
    match old:
        case IntegerType():
            return (LongType(),)
        case FloatType():
            return (DoubleType(),)
        case DecimalType(precision, scale):
            return tuple(DecimalType(p, scale) for p in (precision + 1, 38) if precision < p <= 38)
        case DateType():
            return (TimestampType(), TimestampNanoType())
        case UnknownType():
            return (IntegerType(), StringType(), DecimalType(9, 2))
        case _:
            return ()


def added_field(draw: st.DrawFn, name: str, ids: Ids, depth: int) -> NestedField:
    """A field that no file has yet, with an initial default or without."""
    field_id = ids.next()
    match draw(st.integers(0, 3)) if depth > 0 else 0:
        case 0 | 1:
            added: IcebergType = draw(st.one_of(primitive_types(), st.just(UnknownType())))
        case 2:
            subfields = [added_field(draw, n, ids, depth - 1) for n in NAMES[: draw(st.integers(1, 2))]]
            default = draw(st.sampled_from((None, {})))
            required = default is not None and draw(st.booleans())
            return NestedField(field_id, name, StructType(tuple(subfields)), required, initial_default=default)
        case _:
            return NestedField(field_id, name, draw(types(ids, depth)))
    if isinstance(added, UnknownType | GeometryType | GeographyType) or draw(st.booleans()):
        return NestedField(field_id, name, added)
    return NestedField(field_id, name, added, draw(st.booleans()), initial_default=draw(values_of(added)))


@st.composite
def parquet_files(draw: st.DrawFn, schema: Schema, rows: list[Row]) -> bytes:
    """A Parquet file of the rows, written by pyarrow in one of its many manners."""
    table = pa.Table.from_batches([from_plain_rows(rows, schema)])
    for i in range(table.num_columns):
        if draw(st.booleans()):
            table = table.set_column(i, *_another_form(draw, table.schema.field(i), table.column(i)))
    # pyarrow 26 cannot read back the lists of booleans that it writes into many small pages of version 2.
    page_version = draw(st.sampled_from(("1.0", "2.0")))
    page_size = draw(st.sampled_from((16, 1 << 20))) if page_version == "1.0" else 1 << 20
    sink = io.BytesIO()
    try:
        pq.write_table(
            table,
            sink,
            row_group_size=draw(st.sampled_from((1, 3, 5, 1000))),
            data_page_size=page_size,
            write_batch_size=draw(st.sampled_from((2, 1024))),
            data_page_version=page_version,
            use_dictionary=draw(st.booleans()),
            compression=draw(st.sampled_from(("none", "snappy", "zstd"))),
            store_schema=draw(st.booleans()),
            use_compliant_nested_type=draw(st.booleans()),
            store_decimal_as_integer=draw(st.booleans()),
            write_page_checksum=draw(st.booleans()),
        )
    except pa.ArrowInvalid:  # pyarrow slices some nested columns of nulls wrongly
        reject()
    return sink.getvalue()


def _another_form(draw: st.DrawFn, field: pa.Field, column: pa.ChunkedArray) -> tuple[pa.Field, pa.ChunkedArray]:
    """The same column as another Arrow type, which `ARROW:schema` then brings back."""
    kind = field.type
    forms: list[pa.DataType] = []
    if pa.types.is_string(kind):
        forms = [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
    elif pa.types.is_binary(kind):
        forms = [pa.large_binary(), pa.binary_view()]
    elif pa.types.is_list(kind):
        forms = [pa.large_list(kind.value_field)]
        if pa.types.is_integer(kind.value_type) or pa.types.is_string(kind.value_type):
            forms.append(pa.list_view(kind.value_field))
    elif pa.types.is_decimal(kind):
        forms = [pa.decimal256(kind.precision, kind.scale)]
    elif pa.types.is_timestamp(kind) and kind.tz:
        forms = [pa.timestamp(kind.unit, "Europe/Berlin")]
    if not forms:
        return field, column
    form = draw(st.sampled_from(forms))
    if pa.types.is_list_view(form):  # there is no cast to it
        return field.with_type(form), pa.chunked_array([pa.array(column.to_pylist(), form)], form)
    return field.with_type(form), column.cast(form)
