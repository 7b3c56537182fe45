"""N109 required-by-default-only.

What it does:
    Finds an added required field whose initial default stands for all rows that are there.

Why it matters:
    Readers that do not know defaults of format version 3 fail on old files, or give nulls in a required column, while
    for an optional column they would give null. It is a warning if one of the readers that count is known to get
    defaults wrong, a note otherwise.

Evidence:
    The live files that lack the field.

Example:
    ALTER TABLE orders ADD COLUMN channel string NOT NULL DEFAULT 'till'

Instead:
    Add it as optional with the same default, unless every reader is known to honour defaults.

Reference:
    Spec, Default values; Appendix E: old readers fail to read required fields which are populated by a default.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import AddColumn
from projector.projection.plan import Constant, NewStruct


def check(change: Change) -> Iterator[Finding]:
    """Every added required field with a default, where there are rows without it."""
    for field in change.added_tops():
        if not field.required or field.initial_default is None or not change.before.may_have_data:
            continue
        evidence = change.after.evidence_where(field.field_id, lambda _, node: isinstance(node, (Constant, NewStruct)))
        if change.after.level >= Level.FOOTERS and not evidence.files:
            continue
        help_text = "add it as optional with the same default"
        subject = "required, and in old rows by its default only"
        path = change.after.dotted(field.field_id)
        finding = readers_disagree(
            "initial-default", change.after.engines, subject,
            evidence=evidence, help=help_text, path=path, field_id=field.field_id,
        ) or Finding(subject, Direction.ADVICE, path, field.field_id, evidence, help_text)  # fmt: skip
        yield change.place(finding, AddColumn)


RULE = Rule(
    "N109",
    "required-by-default-only",
    "Finds required columns that old rows have by their default only.",
    Level.SCHEMA,
    "Default values",
    on_change=check,
)
