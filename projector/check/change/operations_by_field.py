"""Find the operation that changed a field, so that a finding can point at the text that caused it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from projector.check.change.trial import AppliedOperations, OtherOperation
from projector.errors import ProjectorError
from projector.evolution.apply.schema import Applied
from projector.evolution.operations.schema import (
    AddColumn,
    DropIdentifierFields,
    Operation,
    SetIdentifierFields,
    UnionByName,
)
from projector.evolution.updates.undelete import UndeleteColumn
from projector.schema.schema import Schema


@dataclass(frozen=True)
class OperationsByField:
    """Operations, in order, with the ids of the fields that they change; None stands for any field."""

    touched: tuple[tuple[Operation, frozenset[int] | None], ...]

    def find(self, field_id: int, kinds: tuple[type[Operation], ...] = ()) -> Operation | None:
        """Return the last operation on a field, of one of the kinds if any are given."""
        named = self._by_field.get(field_id, ())
        found = next((operation for operation in named if _is_of(operation, kinds)), None)
        return found or next(
            (operation for operation in self._by_field.get(None, ()) if _is_of(operation, kinds)), None
        )

    @cached_property
    def _by_field(self) -> Mapping[int | None, list[Operation]]:
        """The operations on each field, the last one first; under None those that may affect any field."""
        found: dict[int | None, list[Operation]] = {}
        for operation, ids in reversed(self.touched):
            for field_id in (None,) if ids is None else ids:
                found.setdefault(field_id, []).append(operation)
        return found


def _is_of(operation: Operation, kinds: tuple[type[Operation], ...]) -> bool:
    return not kinds or isinstance(operation, (*kinds, UnionByName))


def operations_by_field(applied: AppliedOperations, others: Sequence[OtherOperation] = ()) -> OperationsByField:
    """Return which fields each operation changed. Properties and the format version may affect any field."""
    found: list[tuple[Operation, frozenset[int] | None]] = []
    for statement in applied.statements:
        base, step = statement.base, statement.applied
        added = deque(step.added_by_operation.values())
        for operation in statement.operations:
            if isinstance(operation, UnionByName):
                found.append((operation, None))
            else:
                ids = frozenset(_touched(operation, base, step, added, applied.case_sensitive))
                found.append((operation, ids))
    return OperationsByField((*(_other(other, applied.case_sensitive) for other in others), *found))


def _other(other: OtherOperation, case_sensitive: bool) -> tuple[Operation, frozenset[int] | None]:
    before, after = other.before.current_schema, other.after.current_schema
    if isinstance(other.operation, UndeleteColumn):
        return other.operation, frozenset(after.fields_by_id.keys() - before.fields_by_id.keys())
    column: Any = getattr(other.operation, "column", None)
    if column is None:
        return other.operation, None
    try:
        found = after.find_id(column, case_sensitive)
    except ProjectorError:
        found = None
    return other.operation, frozenset(() if found is None else (found,))


def _touched(operation: Operation, base: Schema, step: Applied, added: deque[int], case: bool) -> Iterator[int]:
    match operation:
        case AddColumn(name=name):
            # Added fields are in the order of the operations; ADD COLUMN IF NOT EXISTS may add none.
            if added and step.updated[added[0]].name == name:
                yield added.popleft()
        case SetIdentifierFields(names=names) | DropIdentifierFields(names=names):
            for path in names:
                yield from _ids(path, base, step, case)
        case _:
            about: Any = getattr(operation, "path", None)
            if about is not None:
                yield from _ids(about, base, step, case)


def _ids(path: Any, base: Schema, step: Applied, case_sensitive: bool) -> Iterator[int]:
    for schema in (base, step.schema):
        try:
            found = schema.find_id(path, case_sensitive)
        except ProjectorError:
            continue
        if found is not None:
            yield found
            return
