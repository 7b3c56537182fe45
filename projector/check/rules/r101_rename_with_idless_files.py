"""R101 rename-with-idless-files.

What it does:
    Finds a renamed column while live files without field ids exist and the table has no name mapping.

Why it matters:
    Files without ids can only be found by name. No reader reads them by the spec before the rename either (R102), but
    until then a mapping made from the present names repairs them; one made after it from the new names alone does not
    bring the column back. `--name-mapping create` takes former names from the table's history, Java's `MappingUtil`
    does not. No reader reads less than before, which is why this is only a note.

Evidence:
    The live files without any field id.

Example:
    ALTER TABLE imported RENAME COLUMN buyer TO customer

Instead:
    Set `schema.name-mapping.default` from the present schema first; Iceberg then keeps both names when the column is
    renamed.

Reference:
    Spec, Column Projection; Name Mapping Serialization.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import RenameColumn


def check(change: Change) -> Iterator[Finding]:
    """Every rename, where some files can be found by name only and nothing keeps the old name."""
    groups = tuple(change.before.idless_groups())
    if not groups or change.before.name_mapping is not None:
        return
    mapping = change.after.name_mapping  # the same change may set one
    for difference in change.changes("renamed"):
        entry = None if mapping is None else mapping.fields_by_id.get(difference.field_id or 0)
        if entry is not None and difference.before in entry.names:
            continue
        finding = Finding(
            f"renamed from {difference.before}, which is all that files without field ids know it by",
            Direction.ADVICE,
            ".".join(difference.path),
            difference.field_id,
            evidence=change.before.footers.evidence(groups, "these files have no field ids"),
            help="set schema.name-mapping.default with the rename or before it (--name-mapping create)",
        )
        yield change.place(finding, RenameColumn)


RULE = Rule(
    "R101",
    "rename-with-idless-files",
    "Finds renames while files without field ids exist and no name mapping is set.",
    Level.FOOTERS,
    "Column Projection",
    on_change=check,
)
