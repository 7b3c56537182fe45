"""D102 drops-used-column.

What it does:
    Finds a dropped column that the current partition spec or sort order is made from, or that identifies rows.

Why it matters:
    Iceberg refuses the change. Without its source a partition or sort field cannot be computed for new rows, and the
    table cannot be planned; without an identifier field, writers that update by key cannot tell rows apart.

Evidence:
    The partition field, sort field or identifier that needs the column.

Example:
    ALTER TABLE orders DROP COLUMN region, where region partitions the table

Instead:
    Replace the partition field or the sort order first, or take the column out of the identifier fields, in a commit
    before; then drop it.

Reference:
    Spec, Partition Evolution; Sorting; Identifier Field IDs. The messages are those of Iceberg's Java implementation.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding
from projector.check.report.refusal import Refusal
from projector.evolution.operations.schema import DeleteColumn
from projector.metadata.table_metadata import TableMetadata

IDENTIFIER = ("Cannot delete identifier field", "Cannot delete field")
SOURCE = "Cannot find source column for "


def check(change: Change) -> Iterator[Finding]:
    """Every refusal for an identifier, and every dropped source of the current spec and order."""
    for refusal in change.refusals:
        if isinstance(refusal.operation, DeleteColumn) and refusal.error.message.startswith(IDENTIFIER):
            yield change.refused(
                refusal,
                refusal.error.message.partition(". To force")[0],
                help="take the column out of the identifier fields first",
            )
    refused = {r.field_id: r for r in change.refusals if r.error.message.startswith(SOURCE)}
    for field in change.dropped_fields():
        found = refused.get(field.field_id)
        left = tuple(_uses(change.after.metadata, field.field_id))
        uses = tuple(_uses(change.before.metadata, field.field_id)) or left
        if not uses or not (found or left):
            continue  # a transaction may free the column before it drops it
        message, needs = uses[0]
        if found is not None:
            message = found.error.message
        yield change.place(_finding(change, field.field_id, message, needs, found, len(uses)), DeleteColumn)


def _finding(change: Change, field_id: int, message: str, needs: str, refusal: Refusal | None, count: int) -> Finding:
    more = f" ({count - 1} more use it)" if count > 1 else ""
    return Finding(
        message,
        Direction.CANNOT_APPLY,
        change.before.dotted(field_id),
        field_id,
        evidence=Evidence(facts=(f"{needs}{more}",)),
        help=f"{'replace' if 'sort' in needs else 'remove'} {needs} first, in a statement or a commit before",
        explains=refusal,
    )


def _uses(metadata: TableMetadata, field_id: int) -> Iterator[tuple[str, str]]:
    """What of the current spec and order is made from a column: Iceberg's message, and a name for it."""
    for field in metadata.spec().fields:
        if field_id in field.source_ids and not field.is_void:
            made = f"{field.field_id}: {field.name}: {field.transform}({field_id})"
            yield f"{SOURCE}partition field: {made}", f"partition field {field.name}"
    for sort in metadata.sort_orders[metadata.default_sort_order_id].fields:
        if field_id in sort.source_ids:
            nulls = sort.null_order.upper().replace("-", " ")
            made = f"{sort.transform}({field_id}) {sort.direction.upper()} {nulls}"
            yield f"{SOURCE}sort field: {made}", f"sort order {metadata.default_sort_order_id}"


RULE = Rule(
    "D102",
    "drops-used-column",
    "Finds dropped columns that the partition spec, the sort order or the identifier fields need.",
    Level.SCHEMA,
    "Partition Evolution",
    on_change=check,
)
