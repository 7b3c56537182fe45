"""Union by name: derive the operations that merge one schema into another, field by field, by name."""

from __future__ import annotations

from collections.abc import Iterator

from projector.errors import SchemaUpdateError
from projector.evolution.operations.schema import (
    NOT_GIVEN,
    AddColumn,
    MakeColumnOptional,
    Operation,
    PlainValue,
    UpdateColumnDefault,
    UpdateColumnDoc,
    UpdateColumnType,
)
from projector.schema.promotions import is_promotion_allowed
from projector.schema.schema import Path, Schema
from projector.schema.types import IcebergType, ListType, MapType, NestedField, StructType, children

_KINDS: dict[type[IcebergType], str] = {StructType: "struct", ListType: "list", MapType: "map"}


def union_operations(
    base: Schema, given: Schema, *, promote: bool, case_sensitive: bool, format_version: int
) -> Iterator[Operation]:
    """Return the operations that make `base` hold every field of `given`, in Java's order: children before their
    parents.

    Parameters
    ----------
    promote:
        False: a type that differs and a new required field are errors. True: types are promoted if the spec allows it,
        a
        type that can be promoted to the present one changes nothing, and new fields are added as optional.

    Raises
    ------
    SchemaUpdateError
        A field of `given` is of another kind than the field of that name or, without `promote`, of another type.
    """
    merge = _Merge(promote, case_sensitive, format_version)
    yield from merge.types(given.as_struct(), base.as_struct(), ())


class _Merge:
    """One union: its option, and the walk down both schemas."""

    def __init__(self, promote: bool, case_sensitive: bool, format_version: int) -> None:
        self.promote = promote
        self.case_sensitive = case_sensitive
        self.format_version = format_version

    def types(self, given: IcebergType, existing: IcebergType, path: Path) -> Iterator[Operation]:
        """Merge the fields of a nested type into the type that the base has at `path`."""
        if given.is_primitive:
            return
        if type(given) is not type(existing):
            raise SchemaUpdateError(
                f"Not a {_KINDS[type(given)]} type: {existing}", path=".".join(path) or None,
                hint=f"the given schema has {given} there",
            )  # fmt: skip
        named = {child.name: child for child in children(existing)}
        any_case = {} if self.case_sensitive else {name.lower(): child for name, child in named.items()}
        pairs = [(f, named.get(f.name) or any_case.get(f.name.lower())) for f in children(given)]
        for field, partner in pairs:
            if partner is not None:
                yield from self.types(field.field_type, partner.field_type, (*path, partner.name))
        for field, partner in pairs:
            if partner is None:
                yield from self.added(field, path)
            else:
                yield from self.changed(field, partner, (*path, partner.name))

    def added(self, field: NestedField, parent: Path) -> Iterator[Operation]:
        """Add a field that the base does not have, as optional."""
        path = (*parent, field.name)
        if field.required and not self.promote:
            raise SchemaUpdateError(
                f"Incompatible change: cannot add required column by name: {'.'.join(path)}",
                hint="make it optional in the given schema, or ask for promotions, which add it as optional",
            )
        default = NOT_GIVEN if field.initial_default is None else PlainValue(field.initial_default)
        yield AddColumn(parent, field.name, field.field_type, False, field.doc, default)
        if field.write_default != field.initial_default:
            write_default = None if field.write_default is None else PlainValue(field.write_default)
            yield UpdateColumnDefault(path, write_default)

    def changed(self, field: NestedField, existing: NestedField, path: Path) -> Iterator[Operation]:
        """Change an existing field to hold what the given one allows."""
        if field.optional and existing.required:
            yield MakeColumnOptional(path)
        yield from self.changed_type(field.field_type, existing.field_type, path)
        if field.doc is not None and field.doc != existing.doc:
            yield UpdateColumnDoc(path, field.doc)
        if field.write_default is not None and field.write_default != existing.write_default:
            yield UpdateColumnDefault(path, PlainValue(field.write_default))

    def changed_type(self, given: IcebergType, existing: IcebergType, path: Path) -> Iterator[Operation]:
        """Promote a type, if promotions are requested."""
        if not given.is_primitive and not existing.is_primitive:
            return
        if given == existing:
            return
        if not self.promote:
            raise SchemaUpdateError(
                f"Cannot change column type: {'.'.join(path)}: {existing} -> {given}",
                hint="union_by_name changes no types unless it is asked for promotions",
            )
        if not is_promotion_allowed(given, existing, self.format_version):
            yield UpdateColumnType(path, given)
