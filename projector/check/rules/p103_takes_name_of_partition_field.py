"""P103 takes-name-of-partition-field.

What it does:
    Finds an added or renamed column that takes the name of a partition field made from another column, in any spec.

Why it matters:
    Iceberg refuses it, also when the spec has no files and when the field's own column is gone: Java checks the names
    of every spec whenever it loads the table.

Evidence:
    The partition field.

Example:
    ALTER TABLE orders ADD COLUMN day int, where the table is partitioned by days(created) under the name `day`

Instead:
    Take another name, or rename the partition field first.

Reference:
    Spec, Partitioning: a partition field's name is free of columns' names. The message is that of Iceberg's Java
    implementation.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import AddColumn, RenameColumn

REFUSED = "Cannot create identity partition sourced from different field in schema: "


def check(change: Change) -> Iterator[Finding]:
    """Every refusal for such a name."""
    for refusal in change.refusals:
        if not refusal.error.message.startswith(REFUSED):
            continue
        name = refusal.error.message.removeprefix(REFUSED)
        field_id = change.after.schema.ids_by_name.get(name)
        finding = Finding(
            refusal.error.message,
            Direction.CANNOT_APPLY,
            name if field_id is None else change.after.dotted(field_id),
            field_id,
            help=refusal.error.hint,
            explains=refusal,
        )
        yield change.place(finding, AddColumn, RenameColumn)


RULE = Rule(
    "P103",
    "takes-name-of-partition-field",
    "Finds columns that take the name of a partition field of another column.",
    Level.SCHEMA,
    "Partitioning",
    on_change=check,
)
