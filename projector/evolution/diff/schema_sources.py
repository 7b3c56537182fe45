"""Read a schema from schema JSON, from a table's metadata at some time, from an Arrow schema, or from a Parquet file.

A source tells whether its ids have a meaning, and whether it can express docs, defaults and identifier fields at all.
Both decide how it can be compared and proposed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from projector.errors import NotFoundError, ParseError, UnsupportedError
from projector.evolution.diff.schema_diff import By, SchemaDiff, align_by_name, diff_schemas, filled_in
from projector.files.storage.storage import Storage
from projector.metadata.loading import load_metadata, read_metadata
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema
from projector.schema.type_json import MAX_INT

if TYPE_CHECKING:
    import pyarrow as pa

SourceKind = Literal["schema", "table", "arrow", "parquet"]
_SELECTOR = re.compile(r"[^/\\@]+")
_FIELD_ID = b"PARQUET:field_id"


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """A schema and what is known of its origin.

    Attributes
    ----------
    name:
        The name that the user asked for it by.
    kind:
        `schema` (Iceberg JSON), `table` (a table's metadata), `arrow`, `parquet`.
    has_ids:
        Whether every field has an id of its own; otherwise the ids of `schema` have no meaning.
    """

    name: str
    kind: SourceKind
    schema: Schema
    has_ids: bool = True

    @property
    def partial(self) -> bool:
        """Whether the source cannot express docs, defaults and identifier fields."""
        return self.kind in ("arrow", "parquet")


def source_from_arrow(arrow: pa.Schema, name: str = "Arrow schema", kind: SourceKind = "arrow") -> SchemaSource:
    """Return the source of an Arrow schema. Raises what `schema_from_arrow` raises."""
    from projector.schema.arrow_schema import schema_from_arrow

    fields = list(_arrow_fields(arrow))
    return SchemaSource(name, kind, schema_from_arrow(arrow), all(_has_id(field) for field in fields))


def _has_id(field: Any) -> bool:
    text = (field.metadata or {}).get(_FIELD_ID, b"-1")
    return bool(re.fullmatch(rb"\d+", text))


def _arrow_fields(arrow: Any) -> Iterator[Any]:
    """Yield every field of an Arrow schema at every depth."""
    import pyarrow as pa

    pending = list(arrow)
    while pending:
        field = pending.pop()
        yield field
        held = field.type
        while pa.types.is_dictionary(held) or pa.types.is_run_end_encoded(held):
            held = held.value_type
        if pa.types.is_map(held):
            pending += [held.key_field, held.item_field]
        elif pa.types.is_nested(held):
            pending += [held.field(place) for place in range(held.num_fields)]


def read_schema_file(path: str, storage: Storage | None = None) -> SchemaSource:
    """Return the schema in a file: Iceberg schema JSON, table metadata (its current schema), Parquet, or Arrow IPC.

    The content of the file decides its kind, not its name.

    Raises
    ------
    ParseError
        The file is none of these.
    InvalidMetadataError, UnsupportedError
        The schema contradicts the spec, or has a type that Iceberg does not have.
    """
    storage = storage or Storage()
    with storage.open(path) as file:
        head = file.read_at(0, 8)
    if head.startswith(b"PAR1"):
        return source_from_arrow(_parquet_schema(path, storage), path, "parquet")
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return source_from_arrow(_ipc_schema(path, storage, stream=head[0] == 0xFF), path)
    if head.startswith(b"\x1f\x8b"):
        return SchemaSource(path, "table", read_metadata(path, storage).current_schema)
    try:
        parsed = json.loads(storage.read_bytes(path))
    except ValueError as error:
        raise ParseError(
            f"Not a schema: {error}", file=path, hint="give schema JSON, table metadata, a Parquet or an Arrow file"
        ) from None
    if isinstance(parsed, dict) and "format-version" in parsed:
        return SchemaSource(path, "table", TableMetadata.from_json(parsed, file=path).current_schema)
    if not isinstance(parsed, dict) or "fields" not in parsed:
        raise ParseError("Not a schema: JSON without fields", file=path, hint='schema JSON has "type" and "fields"')
    return SchemaSource(path, "schema", Schema.from_json(parsed, MAX_INT))  # rule S111 reports reserved ids


def _parquet_schema(path: str, storage: Storage) -> pa.Schema:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with storage.open_arrow(path) as file:
            return pq.read_schema(file)
    except (pa.ArrowException, OSError) as error:
        raise ParseError(f"Not a readable Parquet file: {_one_line(error)}", file=path) from error


def _ipc_schema(path: str, storage: Storage, *, stream: bool) -> pa.Schema:
    import pyarrow as pa

    try:
        with storage.open_arrow(path) as file:
            return (pa.ipc.open_stream(file) if stream else pa.ipc.open_file(file)).schema
    except (pa.ArrowException, OSError) as error:
        raise ParseError(f"Not a readable Arrow file: {_one_line(error)}", file=path) from error


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def schema_at(metadata: TableMetadata, selector: str) -> Schema:
    """Return a schema of a table's history.

    Parameters
    ----------
    selector:
        `current`; `schema:N`, a schema id; `snapshot:N` or a number, a snapshot id; `ref:NAME` or the name of a branch
        or tag. A snapshot or tag selects the schema it was written with, a branch the current one.

    Raises
    ------
    NotFoundError, ParseError
        Nothing matches the selector; the selector needs a number and has none.
    """
    prefix, colon, number = selector.partition(":")
    ref = metadata.refs.get(number if prefix == "ref" and colon else selector)
    if ref is not None:
        return metadata.current_schema if ref.is_branch else metadata.schema(_schema_id(metadata, ref.snapshot_id))
    if selector == "current":
        return metadata.current_schema
    if colon and prefix in ("schema", "snapshot"):
        if not re.fullmatch(r"\d+", number):
            raise ParseError(f"Not a {prefix} id: {number}", text=selector, position=len(prefix) + 1)
        return metadata.schema(int(number) if prefix == "schema" else _schema_id(metadata, int(number)))
    if re.fullmatch(r"\d+", selector):
        return metadata.schema(_schema_id(metadata, int(selector)))
    known = ", ".join(metadata.refs) or "none"
    raise NotFoundError(
        f"Cannot find {selector} in the table's history",
        table=metadata.location,
        hint=f"use current, schema:N, snapshot:N or ref:NAME; the table's refs: {known}",
    )


def _schema_id(metadata: TableMetadata, snapshot_id: int) -> int | None:
    return metadata.snapshot(snapshot_id).schema_id


def load_schema(operand: str, storage: Storage | None = None) -> SchemaSource:
    """Return the schema that an operand of the command line names.

    Parameters
    ----------
    operand:
        A schema file as in `read_schema_file`; a table's root or metadata file; or one of the latter followed by `@`
        and
        a selector as in `schema_at`.

    Raises
    ------
    NotFoundError
        No such file, table, snapshot, ref or schema.
    """
    storage = storage or Storage()
    base, at, selector = operand.rpartition("@")
    if at and _SELECTOR.fullmatch(selector) and base and not storage.exists(operand):
        return SchemaSource(operand, "table", schema_at(load_metadata(base, storage).metadata, selector))
    if storage.is_folder(operand):
        return SchemaSource(operand, "table", load_metadata(operand, storage).metadata.current_schema)
    return read_schema_file(operand, storage)


def diff_sources(one: SchemaSource, other: SchemaSource, by: By = "id") -> SchemaDiff:
    """Compare two sources. What one of them cannot express counts as equal to the other.

    Raises `UnsupportedError` for a comparison by id if a source has no ids.
    """
    if by == "id":
        needs_ids(one)
        needs_ids(other)
    old, new = one.schema, other.schema
    if by == "name" and (one.partial or other.partial):
        # Align first, so that missing parts can be filled in by id.
        new = align_by_name(old, new)
    if other.partial:
        new = filled_in(old, new)
    if one.partial:
        old = filled_in(new, old)
    return diff_schemas(old, new, by)


def diff_operands(one: str, other: str, by: By = "id", storage: Storage | None = None) -> SchemaDiff:
    """Return what `projector diff` shows: the differences between the schemas that two operands name."""
    storage = storage or Storage()
    return diff_sources(load_schema(one, storage), load_schema(other, storage), by)


def needs_ids(source: SchemaSource) -> None:
    """Raise `UnsupportedError` for a schema without field ids."""
    if not source.has_ids:
        raise UnsupportedError(f"{source.name} has no field ids", hint="compare by name instead")
