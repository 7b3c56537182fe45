"""Compile a requested schema and a file's schema into a plan. Pure: no I/O, no arrays, no engine.

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
    Matching,
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
    """Return where every requested field comes from in a file of a shape (spec: Column Projection).

    Parameters
    ----------
    requested:
        The schema of the rows to read.
    file_schema:
        The columns of the file, by its footer.
    name_mapping:
        Used only if the file has no field id at any depth.
    partition_fields:
        Ids of the source fields of identity transforms that the file's partition tuple has, with or without a null.

    Returns
    -------
    Plan
        The plan. A field that cannot be projected is a `Fail` node in it.
    """
    matching = Matching.BY_ID if file_schema.has_field_ids else Matching.BY_NAME_MAPPING
    resolver = _Resolver(
        matching=matching,
        partition_fields=frozenset(partition_fields),
        id_counts=_count_ids(file_schema),
        notes=[],
    )
    if matching is Matching.BY_NAME_MAPPING and name_mapping is None and file_schema.columns:
        resolver.notes.append(
            Note("", "the file has no field ids and the table has no name mapping: every column is its default or null")
        )
    top = _Siblings.of(file_schema.columns, (), name_mapping.fields if name_mapping is not None else (), matching)
    fields = tuple(resolver.field(f, f.name, top) for f in requested.fields)
    return Plan(requested, file_schema, fields, tuple(resolver.notes))


def _count_ids(file_schema: FileSchema) -> Mapping[int, int]:
    # Elements, keys and values are matched by their place, so their ids do not make other columns ambiguous.
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
    """The children of one group of the file, by the field id that they have or that the name mapping gives them."""

    by_id: Mapping[int, tuple[tuple[Place, FileColumn, MappedField | None], ...]]
    name_counts: Mapping[str, int]

    @staticmethod
    def of(
        columns: Sequence[FileColumn], parent: Place, mapped: Sequence[MappedField], matching: Matching
    ) -> _Siblings:
        entries = {name: entry for entry in mapped for name in entry.names}
        by_id: dict[int, tuple[tuple[Place, FileColumn, MappedField | None], ...]] = {}
        for i, column in enumerate(columns):
            match matching:
                case Matching.BY_ID:
                    entry, field_id = None, column.field_id
                case Matching.BY_NAME_MAPPING:
                    entry = entries.get(column.name)
                    field_id = None if entry is None else entry.field_id
            if field_id is not None:
                by_id[field_id] = (*by_id.get(field_id, ()), ((*parent, i), column, entry))
        return _Siblings(by_id, Counter(column.name for column in columns))


@dataclass(frozen=True, slots=True)
class _Resolver:
    matching: Matching
    partition_fields: frozenset[int]
    id_counts: Mapping[int, int]
    notes: list[Note]

    def field(self, field: NestedField, path: str, siblings: _Siblings) -> PlanNode:
        """Return the node of a field of a struct, which `siblings`, the file's columns at that level, may have."""
        match field.field_type:
            case UnknownType():
                return Null(field, path, Origin.NULL)
            case VariantType():
                return _fail(field, path, FailCode.UNSUPPORTED, _NO_VARIANT)
        found = siblings.by_id.get(field.field_id, ())
        if field.field_id in METADATA_COLUMNS:
            return self.metadata(field, path, found[0][:2] if found else None)
        by_mapping = self.matching is Matching.BY_NAME_MAPPING
        if not found or (by_mapping and field.field_id in self.partition_fields):
            return self.missing(field, path)
        place, column, entry = found[0]
        if len(found) > 1 or self.id_counts.get(field.field_id, 0) > 1:
            names = ", ".join(repr(c.name) for _, c, _ in found)
            what = "the name mapping gives this id to several columns" if by_mapping else "several columns have this id"
            return _fail(field, path, FailCode.DUPLICATE_ID, f"{what} of the file, among them {names}", place)
        if siblings.name_counts[column.name] > 1:
            message = f"the file has several columns called {column.name!r}"
            return _fail(field, path, FailCode.DUPLICATE_NAME, message, place)
        return self.column(field, path, place, column, entry)

    def column(
        self, field: NestedField, path: str, place: Place, column: FileColumn, entry: MappedField | None
    ) -> PlanNode:
        """Return the node of a field whose column in the file is known."""
        origin = Origin.FILE if self.matching is Matching.BY_ID else Origin.NAME_MAPPING
        check_null = field.required and column.optional
        mapped = entry.fields if entry is not None else ()
        match field.field_type, column.type:
            case UnknownType(), _:
                return Null(field, path, Origin.NULL)
            case VariantType(), _:
                return _fail(field, path, FailCode.UNSUPPORTED, _NO_VARIANT, place)
            case _, FileLeaf(kind=FileKind.NULL):
                if field.required:
                    message = f"required, but the file's column {column.name!r} holds nothing but nulls"
                    return _fail(field, path, FailCode.REQUIRED, message, place)
                return Null(field, path, origin)
            case StructType(fields), FileStruct(columns):
                below = _Siblings.of(columns, place, mapped, self.matching)
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
                    return _unreadable(field, path, FailCode.TYPE, place, column)
                self.note_zone(field, path, leaf)
                return Read(field, path, origin, place, cast, check_null)
            case _:
                return _unreadable(field, path, FailCode.KIND, place, column)

    def metadata(self, field: NestedField, path: str, found: tuple[Place, FileColumn] | None) -> PlanNode:
        """Return the node of a metadata column, which reads the file's own column of its id if the file has one."""
        match found:
            case None | (_, FileColumn(type=FileLeaf(kind=FileKind.NULL))):
                return MetadataColumn(field, path, Origin.METADATA)
            case place, FileColumn(type=FileLeaf() as leaf) if cast := find_cast(leaf, field.field_type):
                return MetadataColumn(field, path, Origin.METADATA, place, cast)
            case place, column:
                return _unreadable(field, path, FailCode.TYPE, place, column)

    def only_child(
        self, field: NestedField, path: str, place: Place, column: FileColumn, mapped: Sequence[MappedField]
    ) -> PlanNode:
        """Return the node of an element, key or value, which is matched by its place, whatever its id."""
        path = f"{path}.{field.name}"
        entry = next((m for m in mapped if field.name in m.names), None)
        if self.matching is Matching.BY_ID and column.field_id != field.field_id:
            has = "no id" if column.field_id is None else f"id {column.field_id}"
            self.notes.append(Note(path, f"the file's {field.name} has {has} instead of {field.field_id}"))
        return self.column(field, path, place, column, entry)

    def missing(self, field: NestedField, path: str) -> PlanNode:
        """Return the node of a field that the file lacks."""
        if field.field_id in self.partition_fields and field.field_type.is_primitive:
            return PartitionValue(field, path, Origin.PARTITION)
        match field.field_type, field.initial_default:
            case _, None:
                if not field.required:
                    return Null(field, path, Origin.NULL)
                message = "required, but missing from the file and without an initial default"
                return _fail(field, path, FailCode.REQUIRED, message)
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


_NO_VARIANT = "variant values are not supported: select the other columns"


def _fail(field: NestedField, path: str, code: FailCode, message: str, place: Place | None = None) -> Fail:
    return Fail(field, path, Origin.NONE, code, message, place)


def _unreadable(field: NestedField, path: str, code: FailCode, place: Place, column: FileColumn) -> Fail:
    message = f"the file's column {column.name!r} is {column.type}, which cannot be read as {field.field_type}"
    return _fail(field, path, code, message, place)
