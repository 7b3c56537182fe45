"""N101 required-without-default.

What it does:
    Finds an added required field that has no initial default.

Why it matters:
    No file written before has a value for it, and null is not allowed: readers fail, or give nulls where none
    may be.

Evidence:
    The live files that lack the field.

Example:
    ALTER TABLE orders ADD COLUMN region string NOT NULL

Instead:
    Add it as optional; or, on format version 3, with a default that is not null: ADD COLUMN region string NOT NULL
    DEFAULT 'EU'.

Reference:
    Spec, Default values; Column Projection.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.nullness import may_be_read_as_null
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import AddColumn, Operation, UnionByName
from projector.projection.plan import Fail, FailCode


def check(change: Change) -> Iterator[Finding]:
    """Every added field that is required and has no default, unless no old row can reach it; and every addition of one
    that a commit refuses, although a later operation takes it back."""
    said: list[Operation | None] = []
    for field in change.added_tops():
        if not field.required or field.initial_default is not None:
            continue
        version = change.before.metadata.format_version
        finding = Finding(
            f"Incompatible change: cannot add required column without a default value: {field.name}",
            Direction.OLD_DATA_UNREADABLE if change.incompatible_allowed else Direction.CANNOT_APPLY,
            change.after.dotted(field.field_id),
            field.field_id,
            evidence=change.after.evidence_where(
                field.field_id, lambda _, node: isinstance(node, Fail) and node.code is FailCode.REQUIRED
            ),
            help="add it as optional"
            + (", or with DEFAULT" if version >= 3 else "; a default needs format version 3 of the table"),
        )
        if change.incompatible_allowed and not may_be_read_as_null(change, field.field_id):
            continue
        said.append(change.operations_by_field.find(field.field_id, (AddColumn,)))
        yield change.place(finding, AddColumn)
    for refusal in change.trial.incompatible:
        is_addition = isinstance(refusal.operation, AddColumn | UnionByName)
        if is_addition and not any(refusal.operation is operation for operation in said):
            yield change.refused(refusal, refusal.error.message, help="add it as optional")


RULE = Rule(
    "N101",
    "required-without-default",
    "Finds added required fields without an initial default.",
    Level.SCHEMA,
    "Default values",
    on_change=check,
)
