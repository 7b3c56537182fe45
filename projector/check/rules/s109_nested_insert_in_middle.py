"""S109 nested-insert-in-middle.

What it does:
    Finds a field that is added to, or moved within, a nested struct, before another field of the same type, while
    live files have the struct.

Why it matters:
    By the spec children are found by id. Readers that pair the children of a struct by position show one field's
    values under the other's name, without an error where the types agree.

Evidence:
    The live files that store the struct.

Example:
    ALTER TABLE orders ADD COLUMN buyer.middle_name string AFTER first_name

Instead:
    Add it at the end of the struct.

Reference:
    Spec, Column Projection.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import AddColumn, MoveColumn
from projector.schema.types import StructType


def check(change: Change) -> Iterator[Finding]:
    """Every nested field whose place shifts another one of its type."""
    for difference in change.changes("added", "moved"):
        field_id = difference.field_id or 0
        parent_id = change.after.schema.parents_by_id.get(field_id)
        if parent_id is None or parent_id not in change.before.schema.fields_by_id:
            continue
        parent = change.after.schema.fields_by_id[parent_id].field_type
        if not isinstance(parent, StructType) or not change.before.may_have_data:
            continue
        place = [f.field_id for f in parent.fields].index(field_id)
        field = parent.fields[place]
        known = change.before.schema.fields_by_id
        shifted = [f for f in parent.fields[place + 1 :] if f.field_type == field.field_type and f.field_id in known]
        evidence = change.before.stored(parent_id)
        if not shifted or (change.before.level >= Level.FOOTERS and not evidence.files):
            continue
        finding = Finding(
            f"{difference.kind} before {shifted[0].name}, of the same type: readers that go by position mix them up",
            Direction.OLD_DATA_AT_RISK,
            ".".join(difference.path),
            field_id,
            evidence=evidence,
            help="put it at the end of the struct",
        )
        yield change.place(finding, AddColumn, MoveColumn)


RULE = Rule(
    "S109",
    "nested-insert-in-middle",
    "Finds nested fields put before others of the same type.",
    Level.SCHEMA,
    "Column Projection",
    on_change=check,
)
