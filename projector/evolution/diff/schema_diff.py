"""Compare two schemas, by field id or by name, as a list of changes that can be turned into operations."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal

from projector.errors import ProjectorError
from projector.schema.promotions import promote_value
from projector.schema.schema import Path, Schema
from projector.schema.single_values import to_json
from projector.schema.types import (
    IcebergType,
    ListType,
    MapType,
    NestedField,
    StructType,
    children,
    rebuild,
    transform,
)

By = Literal["id", "name"]
Kind = Literal[
    "added",
    "dropped",
    "renamed",
    "moved",
    "to_other_struct",
    "type",
    "made_optional",
    "made_required",
    "doc",
    "initial_default",
    "write_default",
    "identifier_fields",
]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    Attributes
    ----------
    kind:
        What differs. `to_other_struct` is a field id that occurs under another parent, which no update can do.
    path:
        The field's path in the new schema; in the old one if it is dropped; empty for `identifier_fields`.
    field_id:
        The field's id; None for `identifier_fields`, and for a field added by name, which has no id yet.
    before, after:
        The fields themselves for `added` and `dropped`; names, types, docs, plain values, or the tuple of identifier
        names; for `moved` the name of the field before it, None at the front; for `to_other_struct` the two paths.
    """

    kind: Kind
    path: Path
    field_id: int | None
    before: Any
    after: Any

    def __str__(self) -> str:
        named = ".".join(self.path) + (f" (id {self.field_id})" if self.field_id is not None else "")
        match self.kind:
            case "added":
                return f"added {named}: {_described(self.after)}"
            case "dropped":
                return f"dropped {named}: {_described(self.before)}"
            case "renamed":
                return f"renamed {named}: was {self.before}"
            case "moved":
                return f"moved {named}: {'to the front' if self.after is None else f'after {self.after}'}"
            case "to_other_struct":
                return f"moved {named} to another struct: was {'.'.join(self.before)}"
            case "made_optional" | "made_required":
                return f"{self.kind.replace('_', ' ')} {named}"
            case "identifier_fields":
                return f"identifier fields: {', '.join(self.before) or 'none'} -> {', '.join(self.after) or 'none'}"
            case _:
                return f"{self.kind.replace('_', ' ')} of {named}: {_shown(self.before)} -> {_shown(self.after)}"


@dataclass(frozen=True, slots=True)
class SchemaDiff:
    """The differences between two schemas.

    Attributes
    ----------
    old, new:
        The two schemas. Compared by name, `new` has the ids of `old` for matching names, and higher ids for the others.
    by:
        How fields were matched.
    changes:
        Drops first, in the order of the old schema, then all others in the order of the new one.
    """

    old: Schema
    new: Schema
    by: By
    changes: tuple[Change, ...]

    def is_empty(self) -> bool:
        """Return whether the schemas are equal except for their schema ids."""
        return not self.changes

    def to_json(self) -> list[dict[str, Any]]:
        """Return the changes as JSON values: types as text, defaults as JSON single values."""
        return [_change_to_json(change, self.new, self.old) for change in self.changes]

    def __str__(self) -> str:
        return "\n".join(str(change) for change in self.changes)


def diff_schemas(old: Schema, new: Schema, by: By = "id") -> SchemaDiff:
    """Compare two schemas.

    Parameters
    ----------
    by:
        `id`: fields with the same id are the same field, whatever their names. `name`: fields with the same path of
        names
        are the same field, and the ids of `new` are ignored.
    """
    aligned = align_by_name(old, new) if by == "name" else new
    return SchemaDiff(old, aligned, by, tuple(_changes(old, aligned, by)))


def align_by_name(old: Schema, new: Schema) -> Schema:
    """Return the new schema with the ids of the old one for matching paths, and with ids above all others elsewhere."""
    fresh = count(old.highest_field_id + 1)
    given: dict[int, int] = {}

    def relabelled(iceberg_type: IcebergType, path: Path) -> IcebergType:
        below = []
        for child in children(iceberg_type):
            child_path = (*path, child.name)
            field_id = old.ids_by_path.get(child_path)
            field_id = next(fresh) if field_id is None else field_id
            given[child.field_id] = field_id
            below.append(replace(child, field_id=field_id, field_type=relabelled(child.field_type, child_path)))
        return rebuild(iceberg_type, tuple(below)) if below else iceberg_type

    struct = relabelled(new.as_struct(), ())
    assert isinstance(struct, StructType)
    return Schema(struct.fields, new.schema_id, tuple(given[i] for i in new.identifier_field_ids))


def filled_in(old: Schema, new: Schema) -> Schema:
    """Return the new schema with the docs, defaults and identifier fields of the old one if it has none itself.

    For schemas that cannot express them (Arrow, Parquet), so that their silence is not a change. Fields match by id.
    """

    def kept(field: NestedField) -> NestedField:
        known = old.fields_by_id.get(field.field_id)
        if known is None:
            return field
        return replace(
            field,
            doc=known.doc if field.doc is None else field.doc,
            initial_default=_kept_default(known.initial_default, known, field)
            if field.initial_default is None
            else field.initial_default,
            write_default=_kept_default(known.write_default, known, field)
            if field.write_default is None
            else field.write_default,
        )

    struct = transform(new.as_struct(), kept)
    assert isinstance(struct, StructType)
    ids = new.identifier_field_ids or tuple(i for i in old.identifier_field_ids if i in new.fields_by_id)
    return Schema(struct.fields, new.schema_id, ids)


def _kept_default(value: Any, known: NestedField, field: NestedField) -> Any:
    """Return a default of the old field as a value of the new type; unchanged if no promotion leads there."""
    try:
        return promote_value(value, known.field_type, field.field_type)
    except ProjectorError:
        return value


# ---------------------------------------------------------------- finding the changes


def _changes(old: Schema, new: Schema, by: By) -> Iterator[Change]:
    found = list(_struct_changes(old, new, by, old.as_struct(), new.as_struct()))
    yield from (change for change in found if change.kind == "dropped")
    yield from (change for change in found if change.kind != "dropped")
    before, after = _identifier_names(old), _identifier_names(new)
    if set(old.identifier_field_ids) != set(new.identifier_field_ids):
        yield Change("identifier_fields", (), None, before, after)


def _identifier_names(schema: Schema) -> tuple[str, ...]:
    return tuple(schema.name_of(field_id) for field_id in schema.identifier_field_ids)


def _struct_changes(old: Schema, new: Schema, by: By, before: StructType, after: StructType) -> Iterator[Change]:
    were = {field.field_id: field for field in before.fields}
    for field in before.fields:
        if field.field_id not in new.fields_by_id:
            yield Change("dropped", old.paths_by_id[field.field_id], field.field_id, field, None)
    stay = kept_in_place(before, after)
    previous = None
    for field in after.fields:
        path = new.paths_by_id[field.field_id]
        if field.field_id in were:
            yield from _field_changes(old, new, by, were[field.field_id], field)
            if field.field_id not in stay:
                yield Change("moved", path, field.field_id, _name_before(field.field_id, before), previous)
        elif field.field_id in old.fields_by_id:
            yield Change("to_other_struct", path, field.field_id, old.paths_by_id[field.field_id], path)
        else:
            yield Change("added", path, None if by == "name" else field.field_id, None, field)
            yield from _taken_along(old, new, field.field_type)
        previous = field.name


def _taken_along(old: Schema, new: Schema, added: IcebergType) -> Iterator[Change]:
    """Yield the fields of the old schema that are inside an added field."""
    for child in children(added):
        if child.field_id in old.fields_by_id:
            before, after = old.paths_by_id[child.field_id], new.paths_by_id[child.field_id]
            yield Change("to_other_struct", after, child.field_id, before, after)
        else:
            yield from _taken_along(old, new, child.field_type)


def _name_before(field_id: int, struct: StructType) -> str | None:
    place = [field.field_id for field in struct.fields].index(field_id)
    return struct.fields[place - 1].name if place else None


def _field_changes(old: Schema, new: Schema, by: By, was: NestedField, now: NestedField) -> Iterator[Change]:
    path = new.paths_by_id[now.field_id]

    def changed(kind: Kind, before: Any, after: Any) -> Change:
        return Change(kind, path, now.field_id, before, after)

    if was.name != now.name:
        yield changed("renamed", was.name, now.name)
    if was.required != now.required:
        yield changed("made_required" if now.required else "made_optional", was.required, now.required)
    if was.doc != now.doc:
        yield changed("doc", was.doc, now.doc)
    if same_kind(was.field_type, now.field_type):
        yield from _nested_changes(old, new, by, was.field_type, now.field_type)
    elif was.field_type != now.field_type:
        yield changed("type", was.field_type, now.field_type)
    for kind, before, after in (
        ("initial_default", was.initial_default, now.initial_default),
        ("write_default", was.write_default, now.write_default),
    ):
        if type(before) is not type(after) or before != after:
            yield changed("initial_default" if kind == "initial_default" else "write_default", before, after)


def same_kind(before: IcebergType, after: IcebergType) -> bool:
    """Return whether two types are compared inside: both structs, or lists or maps whose children have the same ids."""
    match before, after:
        case StructType(), StructType():
            return True
        case ListType(element_id=one), ListType(element_id=other):
            return one == other
        case MapType(), MapType():
            return (before.key_id, before.value_id) == (after.key_id, after.value_id)
    return False


def _nested_changes(old: Schema, new: Schema, by: By, before: IcebergType, after: IcebergType) -> Iterator[Change]:
    if isinstance(before, StructType) and isinstance(after, StructType):
        yield from _struct_changes(old, new, by, before, after)
    else:
        for was, now in zip(children(before), children(after), strict=True):
            yield from _field_changes(old, new, by, was, now)


def kept_in_place(before: StructType, after: StructType) -> frozenset[int]:
    """Return the ids of the fields in both structs that need no move: as many as possible; the others move around
    them.
    """
    places = {field.field_id: place for place, field in enumerate(before.fields)}
    common = [field.field_id for field in after.fields if field.field_id in places]
    return frozenset(common[i] for i in longest_rise([places[field_id] for field_id in common]))


def longest_rise(numbers: Sequence[int]) -> list[int]:
    """Return the places of a longest strictly increasing subsequence."""
    ends: list[int] = []  # the smallest last number of the rises of each length
    places: list[int] = []  # the place of that number
    links: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect_left(ends, number)
        links.append(places[length - 1] if length else -1)
        ends[length : length + 1] = [number]
        places[length : length + 1] = [place]
    rise: list[int] = []
    place = places[-1] if places else -1
    while place >= 0:
        rise.append(place)
        place = links[place]
    return rise[::-1]


# ---------------------------------------------------------------- showing


def _described(field: NestedField) -> str:
    return f"{'required' if field.required else 'optional'} {field.field_type}"


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    return repr(value) if isinstance(value, str) else str(value)


def _change_to_json(change: Change, new: Schema, old: Schema) -> dict[str, Any]:
    def default_of(schema: Schema) -> Callable[[Any], Any]:
        field_type = schema.fields_by_id[change.field_id].field_type if change.field_id is not None else None
        return lambda value: None if field_type is None else to_json(value, field_type)

    def plain(value: Any, schema: Schema) -> Any:
        match value:
            case NestedField():
                return _described(value)
            case IcebergType():
                return str(value)
            case tuple():
                return list(value)
            case _ if change.kind in ("initial_default", "write_default"):
                return default_of(schema)(value)
            case _:
                return value

    return {
        "kind": change.kind,
        "path": ".".join(change.path),
        "field_id": change.field_id,
        "before": plain(change.before, old),
        "after": plain(change.after, new),
    }
