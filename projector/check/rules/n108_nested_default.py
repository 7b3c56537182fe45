"""N108 nested-default.

What it does:
    Finds an added field with a default inside a struct, list or map that live files have, and an added struct with
    the default {}.

Why it matters:
    Readers in use apply a nested default where the parent is null, ignore it, or cannot parse {}. By the spec a
    null struct stays null and every struct that is there gets the default.

Evidence:
    The live files that have the parent without the field.

Example:
    ALTER TABLE orders ADD COLUMN items.element.gift boolean DEFAULT false

Instead:
    Add the field without a default and use coalesce where it is read; or try the readers that matter at level
    values first.

Reference:
    Spec, Default values.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import AddColumn
from projector.projection.plan import Constant, NewStruct
from projector.schema.types import StructType


def check(change: Change) -> Iterator[Finding]:
    """Every such default that some row of a live file would get."""
    for field in change.added_tops():
        nested = field.field_id in change.after.schema.parents_by_id
        if field.initial_default is None or not (nested or isinstance(field.field_type, StructType)):
            continue
        if not change.before.may_have_data:
            continue
        evidence = change.after.evidence_where(field.field_id, lambda _, node: isinstance(node, (Constant, NewStruct)))
        if change.after.level >= Level.FOOTERS and not evidence.files:
            continue
        what = "a default inside a struct" if nested else "the struct default {}"
        finding = Finding(
            f"{what}: readers disagree on old rows",
            Direction.READERS_DISAGREE,
            change.after.dotted(field.field_id),
            field.field_id,
            evidence=evidence,
            help="add it without a default, or try your readers at --level values",
        )
        yield change.place(finding, AddColumn)


RULE = Rule(
    "N108",
    "nested-default",
    "Finds defaults inside structs, and struct defaults, which readers get wrong.",
    Level.SCHEMA,
    "Default values",
    on_change=check,
)
