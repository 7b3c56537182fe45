"""Apply operations to a base schema: the pure function on which the rest of this room is built."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from projector.errors import SchemaUpdateError
from projector.evolution.apply.pending import (
    ROOT,
    IdentifierName,
    Pending,
    RefusedOperation,
    Rules,
    gather,
    gather_leniently,
)
from projector.evolution.apply.rebuild import rebuilt_fields
from projector.evolution.apply.schema_checks import (
    check_format_version,
    check_identifier_field,
    check_lower_case_names,
    check_nesting,
    check_unique_names,
)
from projector.evolution.operations.independent import Group, groups_of_statements
from projector.evolution.operations.schema import FieldPath, Operation, dotted
from projector.schema.schema import Schema
from projector.schema.types import NestedField


@dataclass(frozen=True, slots=True)
class Applied:
    """What operations made of a base schema.

    Parameters
    ----------
    schema:
        The new schema: the base schema itself if nothing changed; otherwise it has the next id.
    last_column_id:
        The highest field id ever assigned; never lower than before.
    deleted:
        Ids of the base fields that the operations drop by name.
    updated:
        Base fields that the operations change by name, and added fields, by id, as recorded.
    added:
        Ids of the added fields, by the id of the field whose struct they were added to; -1 for the root.
    added_by_operation:
        Ids of the added fields, by the place of the `AddColumn` among all operations.
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
        The operations, in order. Their names are those of `base`, or full names of columns added before; after a
        `NextStatement` they are those of the schema made so far.
    base:
        The schema to change.
    last_column_id:
        The table's `last-column-id`; new fields get higher ids.
    format_version:
        Decides which promotions, types and defaults are legal.

    Returns
    -------
    The new schema, which is `base` itself if nothing changes and otherwise has the next schema id, and the highest
    field
    id ever assigned.

    Raises
    ------
    SchemaUpdateError
        The first operation that cannot be applied, or a fault of the schema as a whole.
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


@dataclass(frozen=True, slots=True)
class Statement:
    """Operations that were applied together, with the schema before them and what they changed."""

    base: Schema
    operations: tuple[Operation, ...]
    applied: Applied


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of every operation: those applied, and those refused, in order."""

    statements: tuple[Statement, ...]
    refused: tuple[RefusedOperation, ...]


def apply_statements(
    operations: Iterable[Operation],
    base: Schema,
    last_column_id: int,
    *,
    format_version: int,
    case_sensitive: bool,
    allow_incompatible_changes: bool,
) -> tuple[Applied, ...]:
    """Apply operations statement by statement, and return what each changed; the last one's schema is the outcome.

    Statements that cannot see each other's changes are applied together, so that the cost of many statements is linear.

    Parameters and errors are those of `apply_operations`.
    """
    rules = Rules(format_version, case_sensitive, allow_incompatible_changes)
    made: list[Statement] = []
    for group in groups_of_statements(operations):
        _apply_group(group, base if not made else made[-1].applied.schema, last_column_id, rules, made)
        last_column_id = made[-1].applied.last_column_id
    return tuple(statement.applied for statement in _numbered(made, base))


def try_statements(operations: Iterable[Operation], base: Schema, last_column_id: int, rules: Rules) -> Outcome:
    """Apply as many operations as possible in one pass, and return why the others cannot be applied."""
    made: list[Statement] = []
    refused: list[RefusedOperation] = []
    for group in groups_of_statements(operations):
        _try_group(group, base if not made else made[-1].applied.schema, last_column_id, rules, made, refused)
        last_column_id = made[-1].applied.last_column_id
    return Outcome(tuple(_numbered(made, base)), tuple(refused))


def _numbered(made: list[Statement], base: Schema) -> list[Statement]:
    """Return the statements. The schema of the last one has the outcome's id: the base's, or the next one."""
    last = made[-1]
    schema = last.applied.schema
    if schema.same_columns(base):
        schema = base
    elif len(made) > 1:
        schema = replace(schema, schema_id=base.schema_id + 1)
    return [*made[:-1], replace(last, applied=replace(last.applied, schema=schema))]


def _apply_group(group: Group, base: Schema, last_column_id: int, rules: Rules, made: list[Statement]) -> None:
    """Append what a group of statements changes. Raises the error that they would raise one after the other."""
    operations = [located for statement in group for located in statement]
    try:
        pending = gather(operations, base, last_column_id, rules)
        applied = _rebuilt(pending, last_column_id)
    except SchemaUpdateError:
        if len(group) == 1:
            raise
    else:
        made.append(Statement(base, tuple(operation for _, operation in operations), applied))
        return
    for half in _halves(group):
        _apply_group(half, base, last_column_id, rules, made)
        base, last_column_id = made[-1].applied.schema, made[-1].applied.last_column_id


def _try_group(
    group: Group,
    base: Schema,
    last_column_id: int,
    rules: Rules,
    made: list[Statement],
    refused: list[RefusedOperation],
) -> None:
    """Append what a group of statements changes, and which of its operations are refused."""
    operations = [located for statement in group for located in statement]
    try:
        pending = gather(operations, base, last_column_id, rules)
        applied = _rebuilt(pending, last_column_id)
    except SchemaUpdateError:
        pass
    else:
        made.append(Statement(base, tuple(operation for _, operation in operations), applied))
        return
    if len(group) == 1:
        made.append(_tried(operations, base, last_column_id, rules, refused))
        return
    for half in _halves(group):
        _try_group(half, base, last_column_id, rules, made, refused)
        base, last_column_id = made[-1].applied.schema, made[-1].applied.last_column_id


def _halves(group: Group) -> tuple[Group, Group]:
    middle = len(group) // 2
    return group[:middle], group[middle:]


def _tried(
    operations: list[tuple[int, Operation]],
    base: Schema,
    last_column_id: int,
    rules: Rules,
    refused: list[RefusedOperation],
) -> Statement:
    """Return as much of one statement as can be applied."""
    left = list(operations)
    found: list[RefusedOperation] = []
    while True:
        pending, out = gather_leniently(left, base, last_column_id, rules)
        gone = {refusal.index for refusal in out if not refusal.incompatible}
        left = [located for located in left if located[0] not in gone]
        try:
            applied = _rebuilt(pending, last_column_id)
        except SchemaUpdateError as error:
            if not left:  # the schema itself is refused, whatever the change
                found = [*found, *out, RefusedOperation(None, None, error, base)]
                applied = Applied(base, last_column_id, frozenset(), {}, {}, {})
                break
            blamed = _blamed(error, left, base, last_column_id, rules)
            found += (refusal for refusal in out if refusal.index != blamed[0] and not refusal.incompatible)
            found.append(RefusedOperation(*blamed, error, base))
            left.remove(blamed)
        else:
            found += out
            break
    refused += sorted(found, key=lambda refusal: math.inf if refusal.index is None else refusal.index)
    return Statement(base, tuple(operation for _, operation in left), applied)


def _blamed(
    error: SchemaUpdateError,
    operations: list[tuple[int, Operation]],
    base: Schema,
    last_column_id: int,
    rules: Rules,
) -> tuple[int, Operation]:
    """Return the operation that causes a refused schema: the one that the error names, or the last one in the way."""
    named = next((located for located in operations if located[1] is error.operation), None)
    if named is not None:
        return named
    allowing = replace(rules, allow_incompatible_changes=True)
    for place in reversed(range(len(operations))):
        try:
            _rebuilt(gather([*operations[:place], *operations[place + 1 :]], base, last_column_id, allowing), 0)
        except SchemaUpdateError:
            continue
        return operations[place]
    return operations[-1]


def _rebuilt(pending: Pending, last_column_id: int) -> Applied:
    """Return the schema that the gathered changes make. Raises `SchemaUpdateError` for a fault of it as a whole."""
    base = pending.base
    _check_identifiers_stay(pending)
    schema = Schema(rebuilt_fields(pending), base.schema_id + 1)
    check_nesting(schema)
    check_unique_names(schema, base)
    if not pending.case_sensitive:
        check_lower_case_names(schema)
    schema = replace(schema, identifier_field_ids=_identifier_ids(pending, schema))
    check_format_version(schema, pending.format_version)
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
    """Raise for a dropped identifier field, or a dropped struct that holds one."""
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
    """Return the ids of the identifier fields of the new schema."""
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
    """Return the id of a name in the new schema. If case is ignored, names must be given in lower case, as in Java."""
    if not case_sensitive:
        return {known.lower(): field_id for known, field_id in schema.ids_by_name.items()}.get(dotted(name))
    return schema.find_id(name)


def _check_updates_stay(pending: Pending, schema: Schema) -> None:
    """Raise for a change of a field that is dropped with its parent."""
    for field_id in pending.updates:
        if field_id in pending.base.fields_by_id and field_id not in schema.fields_by_id:
            gone = pending.parent_of(field_id)
            while gone != ROOT and gone not in pending.deletes:
                gone = pending.parent_of(gone)
            raise SchemaUpdateError(
                f"Cannot delete a column that has updates: {pending.base.name_of(gone)}:"
                f" its field {pending.base.name_of(field_id)} is changed in the same update"
            )
