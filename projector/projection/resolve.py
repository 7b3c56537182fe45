"""resolve(): a requested schema and a file's schema, compiled into a plan. Pure: no I/O, no arrays, no engine.

The spec's Column Projection, in its order, for a field of the requested schema:

1. the file's column of that id;
2. an identity partition value of the file's own spec, if the manifest's tuple has it;
3. for a file without any field ids, the column whose name the name mapping gives to that id;
4. the field's initial default;
5. null, which a required field must not be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from projector.files.parquet.file_schema import (
    FileColumn,
    FileKind,
    FileLeaf,
    FileList,
    FileMap,
    FileSchema,
    FileStruct,
    FileType,
    Place,
)
from projector.projection.casts import find_cast
from projector.projection.plan import (
    Constant,
    Fail,
    FailCode,
    ListOf,
    MapOf,
    MetadataColumn,
    NewStruct,
    Note,
    Null,
    Origin,
    PartitionValue,
    Plan,
    PlanNode,
    Read,
    StructOf,
)
from projector.schema.name_mapping import MappedField, NameMapping
from projector.schema.reserved import METADATA_COLUMNS
from projector.schema.schema import Schema
from projector.schema.types import (
    ListType,
    MapType,
    NestedField,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    UnknownType,
    VariantType,
)


def resolve(
    requested: Schema,
    file_schema: FileSchema,
    *,
    name_mapping: NameMapping | None = None,
    partition_fields: Collection[int] = (),
) -> Plan:
    """Where every field of `requested` comes from in a file of the shape `file_schema` (spec: Column Projection).

    Parameters
    ----------
    requested:
        The schema that rows are wanted in.
    file_schema:
        What the file's footer says of its columns.
    name_mapping:
        Used only where the file has no field id at any depth.
    partition_fields:
        Ids of the source fields of identity transforms whose value the file's partition tuple holds, null included.

    Returns
    -------
    Plan
        Always: what cannot be projected is a `Fail` node in it.
    """
    has_field_ids = file_schema.has_field_ids
    mapping = name_mapping if not has_field_ids else None
    resolver = _Resolver(
        mapped=not has_field_ids,
        partition_fields=frozenset(partition_fields),
        id_counts=_count_ids(file_schema),
        notes=[],
    )
    if not has_field_ids and mapping is None and file_schema.columns:
        resolver.notes.append(
            Note("", "the file has no field ids and the table no name mapping: every column is its default or null")
        )
    top = _Siblings.of(file_schema.columns, (), mapping.fields if mapping is not None else (), has_field_ids)
    fields = tuple(resolver.field(f, f.name, top) for f in requested.fields)
    return Plan(requested, file_schema, fields, tuple(resolver.notes))


def _count_ids(file_schema: FileSchema) -> Mapping[int, int]:
    # Elements, keys and values are matched by their place, so an id of theirs makes no other column ambiguous.
    counts: Counter[int] = Counter()

    def count(columns: Sequence[FileColumn]) -> None:
        for column in columns:
            if column.field_id is not None:
                counts[column.field_id] += 1
            below(column.type)

    def below(file_type: FileType) -> None:
        match file_type:
            case FileStruct(fields):
                count(fields)
            case FileList(element):
                below(element.type)
            case FileMap(key, value):
                below(key.type)
                below(value.type)

    count(file_schema.columns)
    return counts


@dataclass(frozen=True, slots=True)
class _Siblings:
    """The children of one group of the file, found by the field id that they have or that the mapping gives them."""

    by_id: Mapping[int, tuple[tuple[Place, FileColumn, MappedField | None], ...]]
    name_counts: Mapping[str, int]

    @staticmethod
    def of(
        columns: Sequence[FileColumn], parent: Place, mapped: Sequence[MappedField], has_field_ids: bool
    ) -> _Siblings:
        entries = {name: entry for entry in mapped for name in entry.names}
        by_id: dict[int, tuple[tuple[Place, FileColumn, MappedField | None], ...]] = {}
        for i, column in enumerate(columns):
            entry = None if has_field_ids else entries.get(column.name)
            field_id = column.field_id if has_field_ids else (entry.field_id if entry is not None else None)
            if field_id is not None:
                by_id[field_id] = (*by_id.get(field_id, ()), ((*parent, i), column, entry))
        return _Siblings(by_id, Counter(column.name for column in columns))


@dataclass(frozen=True, slots=True)
class _Resolver:
    mapped: bool
    partition_fields: frozenset[int]
    id_counts: Mapping[int, int]
    notes: list[Note]

    def field(self, field: NestedField, path: str, siblings: _Siblings) -> PlanNode:
        """A field of a struct, looked up among the file's columns at that level."""
        match field.field_type:
            case UnknownType():
                return Null(field, path, Origin.NULL)
            case VariantType():
                message = "variant columns are not supported: select the other columns"
                return Fail(field, path, Origin.NONE, FailCode.UNSUPPORTED, message)
        found = siblings.by_id.get(field.field_id, ())
        if field.field_id in METADATA_COLUMNS:
            return MetadataColumn(field, path, Origin.METADATA, found[0][0] if found else None)
        if self.mapped and field.field_id in self.partition_fields:
            return self.missing(field, path)
        if not found:
            return self.missing(field, path)
        place, column, entry = found[0]
        if len(found) > 1 or self.id_counts.get(field.field_id, 0) > 1:
            names = ", ".join(repr(c.name) for _, c, _ in found) if len(found) > 1 else repr(column.name)
            how = "the name mapping gives this id to several columns" if self.mapped else "several columns have this id"
            return Fail(
                field, path, Origin.NONE, FailCode.DUPLICATE_ID, f"{how} of the file, among them {names}", place
            )
        if siblings.name_counts[column.name] > 1:
            message = f"the file has several columns called {column.name!r}"
            return Fail(field, path, Origin.NONE, FailCode.DUPLICATE_NAME, message, place)
        return self.column(field, path, place, column, entry)

    def column(
        self, field: NestedField, path: str, place: Place, column: FileColumn, entry: MappedField | None
    ) -> PlanNode:
        """A field whose column in the file is known."""
        origin = Origin.NAME_MAPPING if self.mapped else Origin.FILE
        check_null = field.required and column.optional
        mapped = entry.fields if entry is not None else ()
        match field.field_type, column.type:
            case UnknownType(), _:
                return Null(field, path, Origin.NULL)
            case VariantType(), _:
                message = "variant values are not supported: select the other columns"
                return Fail(field, path, Origin.NONE, FailCode.UNSUPPORTED, message, place)
            case _, FileLeaf(kind=FileKind.NULL):
                if field.required:
                    message = f"required, but the file's column {column.name!r} holds nothing but nulls"
                    return Fail(field, path, Origin.NONE, FailCode.REQUIRED, message, place)
                return Null(field, path, origin)
            case StructType(fields), FileStruct(columns):
                below = _Siblings.of(columns, place, mapped, not self.mapped)
                nodes = tuple(self.field(f, f"{path}.{f.name}", below) for f in fields)
                return StructOf(field, path, origin, place, nodes, check_null)
            case ListType() as list_type, FileList(element):
                node = self.only_child(list_type.element, path, (*place, 0), element, mapped)
                return ListOf(field, path, origin, place, node, check_null)
            case MapType() as map_type, FileMap(key, value):
                key_node = self.only_child(map_type.key, path, (*place, 0), key, mapped)
                value_node = self.only_child(map_type.value, path, (*place, 1), value, mapped)
                return MapOf(field, path, origin, place, key_node, value_node, check_null)
            case requested, FileLeaf() as leaf if requested.is_primitive:
                cast = find_cast(leaf, requested)
                if cast is None:
                    message = f"the file's column {column.name!r} is {leaf}, which cannot be read as {requested}"
                    return Fail(field, path, Origin.NONE, FailCode.TYPE, message, place)
                self.note_zone(field, path, leaf)
                return Read(field, path, origin, place, cast, check_null)
            case requested, other:
                message = f"the file's column {column.name!r} is {other}, which cannot be read as {requested}"
                return Fail(field, path, Origin.NONE, FailCode.KIND, message, place)

    def only_child(
        self, field: NestedField, path: str, place: Place, column: FileColumn, mapped: Sequence[MappedField]
    ) -> PlanNode:
        """An element, key or value: a list has one element, so it is matched by its place whatever its id."""
        path = f"{path}.{field.name}"
        entry = next((m for m in mapped if field.name in m.names), None)
        if not self.mapped and column.field_id != field.field_id:
            has = "no id" if column.field_id is None else f"id {column.field_id}"
            self.notes.append(Note(path, f"the file's {field.name} has {has} instead of {field.field_id}"))
        return self.column(field, path, place, column, entry)

    def missing(self, field: NestedField, path: str) -> PlanNode:
        """A field that the file lacks."""
        if field.field_id in self.partition_fields and field.field_type.is_primitive:
            return PartitionValue(field, path, Origin.PARTITION)
        match field.field_type, field.initial_default:
            case _, None:
                if not field.required:
                    return Null(field, path, Origin.NULL)
                message = "required, but missing from the file and without an initial default"
                return Fail(field, path, Origin.NONE, FailCode.REQUIRED, message)
            case StructType(fields), _:
                nodes = tuple(self.missing(f, f"{path}.{f.name}") for f in fields)
                return NewStruct(field, path, Origin.INITIAL_DEFAULT, nodes)
            case _, default:
                return Constant(field, path, Origin.INITIAL_DEFAULT, default)

    def note_zone(self, field: NestedField, path: str, leaf: FileLeaf) -> None:
        match field.field_type:
            case TimestamptzType() | TimestamptzNanoType():
                differs = not leaf.utc
            case TimestampType() | TimestampNanoType():
                differs = leaf.utc
            case _:
                return
        if leaf.kind is FileKind.TIMESTAMP and differs:
            stored = "adjusted to UTC" if leaf.utc else "without zone"
            self.notes.append(Note(path, f"the file's timestamps are {stored}, read as {field.field_type} unchanged"))
