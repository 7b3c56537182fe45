"""Read the bytes of a Parquet file through an executor, for the tests of this room."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from projector.engines.arrow.reader import read_file
from projector.engines.deletes.positions import RowSelection
from projector.engines.plain_rows import from_plain_rows, same_value, to_plain_rows
from projector.engines.reference.project import read_rows
from projector.errors import ProjectorError
from projector.files.parquet.file_schema import FileSchema
from projector.files.parquet.footer import read_footer
from projector.projection.plan import Binding, Plan
from projector.projection.resolve import resolve
from projector.schema.arrow_schema import arrow_schema
from projector.schema.schema import Schema
from projector.schema.types import NestedField
from tests.files.pyarrow_view import Bytes, file_schema

FILE = "data/f.parquet"


def schema_of(*fields: NestedField) -> Schema:
    """A schema of the fields given."""
    return Schema(fields)


def written(rows: list[dict[str, Any]], schema: Schema, **options: Any) -> bytes:
    """A Parquet file of plain rows under a schema, ids included."""
    return written_table(pa.Table.from_batches([from_plain_rows(rows, schema)]), **options)


def written_table(table: pa.Table, **options: Any) -> bytes:
    """A Parquet file of an Arrow table."""
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def column(array: pa.Array, name: str = "c", field_id: int | None = 1, nullable: bool = True) -> pa.Table:
    """A table of one column with a field id."""
    metadata = None if field_id is None else {"PARQUET:field_id": str(field_id)}
    field = pa.field(name, array.type, nullable, metadata=metadata)
    return pa.Table.from_arrays([array], schema=pa.schema([field]))


def shape_of(data: bytes) -> FileSchema:
    """The shape of a file, by its own footer."""
    return file_schema(read_footer(Bytes(data), FILE))


def plan_of(data: bytes, requested: Schema, **how: Any) -> Plan:
    """The plan of a file under a schema."""
    return resolve(requested, shape_of(data), **how)


def read_arrow(
    plan: Plan,
    data: bytes,
    binding: Binding | None = None,
    *,
    batch_size: int = 1000,
    row_groups: list[int] | None = None,
    selection: RowSelection | None = None,
) -> pa.Table:
    """A file through the Arrow executor, its types checked at every depth."""
    binding = Binding(FILE) if binding is None else binding
    schema = arrow_schema(plan.schema)
    batches = list(
        read_file(
            plan, pa.BufferReader(data), binding, batch_size=batch_size, row_groups=row_groups, selection=selection
        )
    )
    for batch in batches:
        assert batch.schema.equals(schema, check_metadata=True)
        assert 0 < batch.num_rows <= batch_size
        for i, array in enumerate(batch.columns):
            assert array.type.equals(schema.field(i).type, check_metadata=True)
            array.validate(full=True)
    return pa.Table.from_batches(batches, schema)


def read_both(data: bytes, requested: Schema, binding: Binding | None = None, **how: Any) -> list[dict[str, Any]]:
    """The rows of a file under a schema, the same by both executors."""
    return read_plan(plan_of(data, requested, **how), data, binding)


def read_plan(plan: Plan, data: bytes, binding: Binding | None = None, **how: Any) -> list[dict[str, Any]]:
    """The rows of a file under a plan, the same by both executors."""
    selection = how.get("selection")
    binding = Binding(FILE) if binding is None else binding
    expected = read_rows(plan, pa.BufferReader(data), binding, selection=selection)
    found = to_plain_rows(read_arrow(plan, data, binding, **how), plan.schema)
    assert_same(found, expected)
    return expected


def error_of(data: bytes, requested: Schema, binding: Binding | None = None, **how: Any) -> ProjectorError:
    """The error that both executors raise for a file under a schema, word for word the same."""
    plan = plan_of(data, requested, **how)
    binding = Binding(FILE) if binding is None else binding
    errors = []
    for read in (
        lambda: read_rows(plan, pa.BufferReader(data), binding),
        lambda: read_arrow(plan, data, binding),
    ):
        try:
            result = read()
        except ProjectorError as error:
            errors.append(error)
        else:
            raise AssertionError(f"no error, but {result}")
    assert type(errors[0]) is type(errors[1])
    assert str(errors[0]) == str(errors[1])
    assert "\n" not in str(errors[0])
    return errors[0]


def assert_same(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    """Raise AssertionError unless rows are equal value for value and type for type."""
    assert len(found) == len(expected)
    for i, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert same_value(one, other), f"row {i}: {one} instead of {other}"
