"""Operations and a base schema in, a new schema out: a pure function, on which everything else here rests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from projector.errors import SchemaUpdateError
from projector.evolution.operations import FieldPath, NextStatement, Operation, dotted
from projector.evolution.pending import ROOT, IdentifierName, Pending, gather
from projector.evolution.rebuild import rebuilt_fields
from projector.evolution.schema_checks import (
    check_format_version,
    check_identifier_field,
    check_lower_case_names,
    check_nesting,
    check_unique_names,
)
from projector.schema.schema import Schema
from projector.schema.types import NestedField


@dataclass(frozen=True, slots=True)
class Applied:
    """What operations made of a base schema.

    Parameters
    ----------
    schema:
        The new schema. It is the base schema itself where nothing changed; otherwise its id is the next one.
    last_column_id:
        Highest field id ever given out; never lower than before.
    deleted:
        Ids of the base fields that were named to be dropped.
    updated:
        Base fields that were named to be changed, and added ones, by id, as recorded.
    added:
        Ids of the added fields by the id of the field whose struct they went to, -1 for the root.
    added_by_operation:
        Ids of the added fields by the place of the `AddColumn` among all operations.
    """

    schema: Schema
    last_column_id: int
    deleted: frozenset[int]
    updated: Mapping[int, NestedField]
    added: Mapping[int, tuple[int, ...]]
    added_by_operation: Mapping[int, int]


def apply_operations(
    operations: Iterable[Operation],
    base: Schema,
    last_column_id: int,
    *,
    format_version: int,
    case_sensitive: bool = True,
    allow_incompatible_changes: bool = False,
) -> tuple[Schema, int]:
    """Apply operations to a schema.

    Parameters
    ----------
    operations:
        What to do, in order. Names are those of `base`, or full names of columns added before; after a `NextStatement`
        they are those of the schema made so far.
    base:
        The schema to change.
    last_column_id:
        The table's `last-column-id`; new fields get ids above it.
    format_version:
        Decides promotions, types and defaults.

    Returns
    -------
    The new schema, which is `base` itself where nothing changes and otherwise has the next schema id, and the highest
    field id ever given out.

    Raises
    ------
    SchemaUpdateError:
        The first operation that cannot be applied, or what is wrong with the schema as a whole.
    """
    steps = apply_statements(
        operations,
        base,
        last_column_id,
        format_version=format_version,
        case_sensitive=case_sensitive,
        allow_incompatible_changes=allow_incompatible_changes,
    )
    return steps[-1].schema, steps[-1].last_column_id


def apply_statements(
    operations: Iterable[Operation],
    base: Schema,
    last_column_id: int,
    *,
    format_version: int,
    case_sensitive: bool,
    allow_incompatible_changes: bool,
) -> tuple[Applied, ...]:
    """Apply operations statement by statement; what each of them did, the last one's schema being the outcome.

    Parameters and errors are those of `apply_operations`.
    """
    steps: list[Applied] = []
    schema = base
    for statement in _statements(operations):
        step = _apply_statement(
            statement,
            schema,
            last_column_id,
            format_version=format_version,
            case_sensitive=case_sensitive,
            allow_incompatible_changes=allow_incompatible_changes,
        )
        steps.append(step)
        schema, last_column_id = step.schema, step.last_column_id
    if schema.same_columns(base):
        steps[-1] = replace(steps[-1], schema=base)
    elif len(steps) > 1:
        steps[-1] = replace(steps[-1], schema=replace(schema, schema_id=base.schema_id + 1))
    return tuple(steps)


def _statements(operations: Iterable[Operation]) -> list[list[tuple[int, Operation]]]:
    """The operations of each statement, with their places among all operations."""
    statements: list[list[tuple[int, Operation]]] = [[]]
    for index, operation in enumerate(operations):
        if isinstance(operation, NextStatement):
            statements.append([])
        else:
            statements[-1].append((index, operation))
    return statements


def _apply_statement(
    operations: Iterable[tuple[int, Operation]],
    base: Schema,
    last_column_id: int,
    *,
    format_version: int,
    case_sensitive: bool,
    allow_incompatible_changes: bool,
) -> Applied:
    pending = gather(
        operations,
        base,
        last_column_id,
        format_version=format_version,
        case_sensitive=case_sensitive,
        allow_incompatible_changes=allow_incompatible_changes,
    )
    _check_identifiers_stay(pending)
    schema = Schema(rebuilt_fields(pending), base.schema_id + 1)
    check_nesting(schema)
    check_unique_names(schema, base)
    if not case_sensitive:
        check_lower_case_names(schema)
    schema = replace(schema, identifier_field_ids=_identifier_ids(pending, schema))
    check_format_version(schema, format_version)
    _check_updates_stay(pending, schema)
    if schema.same_columns(base):
        schema = base
    return Applied(
        schema,
        max(last_column_id, schema.highest_field_id),
        frozenset(pending.deletes),
        dict(pending.updates),
        {parent: tuple(ids) for parent, ids in pending.additions.items()},
        dict(pending.added_by_operation),
    )


def _check_identifiers_stay(pending: Pending) -> None:
    """Refuse to drop an identifier field, or a struct that holds one."""
    base = pending.base
    for identifier in pending.identifiers:
        field_id = _base_id(identifier, pending)
        if field_id is None:
            continue
        field = base.fields_by_id[field_id]
        if field_id in pending.deletes:
            raise SchemaUpdateError(
                f"Cannot delete identifier field {field}. To force deletion, also call setIdentifierFields to update"
                " identifier fields."
            )
        above = base.parents_by_id.get(field_id)
        while above is not None:
            if above in pending.deletes:
                raise SchemaUpdateError(
                    f"Cannot delete field {base.fields_by_id[above]} as it will delete nested identifier field {field}"
                )
            above = base.parents_by_id.get(above)


def _base_id(identifier: IdentifierName, pending: Pending) -> int | None:
    if identifier.field_id is not None:
        return identifier.field_id
    found = pending.find(identifier.name)
    return None if found is None else found.field_id


def _identifier_ids(pending: Pending, schema: Schema) -> tuple[int, ...]:
    """The identifier fields of the new schema, by id."""
    ids = {_identifier_id(identifier, pending, schema) for identifier in pending.identifiers}
    for field_id in sorted(ids):
        check_identifier_field(field_id, schema)
    return tuple(sorted(ids))


def _identifier_id(identifier: IdentifierName, pending: Pending, schema: Schema) -> int:
    field_id = identifier.field_id
    if field_id is not None and field_id in schema.paths_by_id:
        path = schema.paths_by_id[field_id]
        if len(path) > 1 or path == identifier.name:
            return field_id
    found = _resolve(identifier.name, schema, pending.case_sensitive)
    if found is None:
        raise SchemaUpdateError(
            f"Cannot add field {dotted(identifier.name)} as an identifier field:"
            " not found in current schema or added columns"
        )
    return found


def _resolve(name: FieldPath, schema: Schema, case_sensitive: bool) -> int | None:
    """The id of a name in the new schema. Without regard to case, names must be given in lower case, as in Java."""
    if not case_sensitive:
        return {known.lower(): field_id for known, field_id in schema.ids_by_name.items()}.get(dotted(name))
    return schema.find_id(name)


def _check_updates_stay(pending: Pending, schema: Schema) -> None:
    """Refuse to change a field that goes with its parent."""
    for field_id in pending.updates:
        if field_id in pending.base.fields_by_id and field_id not in schema.fields_by_id:
            gone = pending.parent_of(field_id)
            while gone != ROOT and gone not in pending.deletes:
                gone = pending.parent_of(gone)
            raise SchemaUpdateError(
                f"Cannot delete a column that has updates: {pending.base.name_of(gone)}:"
                f" its field {pending.base.name_of(field_id)} is changed in the same update"
            )
