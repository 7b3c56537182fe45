"""Try a transaction on a table's metadata, update by update, to find every operation that is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from projector.check.change.trial import AppliedOperations, OtherOperation, Trial, try_update
from projector.check.report.refusal import Refusal
from projector.errors import SchemaUpdateError
from projector.evolution.operations.schema import Operation
from projector.evolution.updates.transaction import Transaction, Update, apply_one
from projector.evolution.updates.update_properties import UpdateProperties
from projector.evolution.updates.update_schema import UpdateSchema
from projector.evolution.updates.update_sort_order import UpdateSortOrder
from projector.evolution.updates.update_spec import UpdateSpec
from projector.metadata.table_metadata import TableMetadata


def try_transaction(metadata: TableMetadata, transaction: Transaction) -> Trial:
    """Apply as much of a transaction as possible; each update sees the outcome of those before it."""
    now = metadata
    statements = AppliedOperations()
    refusals: list[Refusal] = []
    incompatible: list[Refusal] = []
    others: list[OtherOperation] = []
    for update in transaction.updates:
        if isinstance(update, UpdateSchema):
            trial = try_update(now, update)
            applied = (*statements.statements, *trial.applied.statements)
            statements = AppliedOperations(applied, update.case_sensitive)
            refusals += trial.refusals
            incompatible += trial.incompatible
            now = trial.metadata
        else:
            before = now
            done, refused, now = _try(now, update)
            refusals += refused
            others += (OtherOperation(operation, before, now) for operation in done)
    return Trial(statements, tuple(refusals), now, now.current_schema, tuple(others), tuple(incompatible))


def _try(metadata: TableMetadata, update: Update) -> tuple[Sequence[Operation], list[Refusal], TableMetadata]:
    """Return the operations that were applied, the refusals, and the metadata after them."""
    operations = _operations(update)
    kept, refused = list(operations), []
    while True:
        try:
            after = apply_one(metadata, _with(update, kept))
        except SchemaUpdateError as error:
            index = _refused(metadata, update, kept, error)
            refused.append(Refusal(error, kept[index] if kept else None, metadata.current_schema))
            if not _is_divisible(update) or not kept:
                return (), refused, metadata
            del kept[index]
        else:
            return kept, sorted(refused, key=lambda r: _place(operations, r)), after


def _operations(update: Update) -> Sequence[Operation]:
    match update:
        case UpdateSpec() | UpdateProperties() | UpdateSortOrder():
            return update.operations
        case Operation():
            return (update,)
    return ()


def _is_divisible(update: Update) -> bool:
    """Return whether some operations of an update may be applied without the others."""
    return isinstance(update, UpdateSpec | UpdateProperties)


def _with(update: Update, operations: Sequence[Operation]) -> Update:
    """Return the update with only some of its operations."""
    match update:
        case UpdateSpec():
            fewer = UpdateSpec(case_sensitive=update.case_sensitive, set_as_default=update.set_as_default)
            return fewer.record(*(o for o in update.operations if any(o is kept for kept in operations)))
        case UpdateProperties():
            return UpdateProperties().record(*(o for o in update.operations if any(o is kept for kept in operations)))
    return update


def _refused(metadata: TableMetadata, update: Update, kept: Sequence[Operation], error: SchemaUpdateError) -> int:
    """Return the index of the operation to blame: the one that the error names, or the last whose removal helps."""
    if error.operation_index is not None and error.operation_index < len(kept):
        return error.operation_index
    if not _is_divisible(update):
        return 0
    works: Callable[[int], bool] = lambda i: _works(metadata, _with(update, [*kept[:i], *kept[i + 1 :]]))  # noqa: E731
    return next((i for i in reversed(range(len(kept))) if works(i)), max(0, len(kept) - 1))


def _works(metadata: TableMetadata, update: Update) -> bool:
    try:
        apply_one(metadata, update)
    except SchemaUpdateError:
        return False
    return True


def _place(operations: Sequence[Operation], refusal: Refusal) -> int:
    return next((i for i, operation in enumerate(operations) if operation is refusal.operation), len(operations))
