"""F104 new-column-reads-old-file.

What it does:
    Finds an added column whose new id is in live files already.

Why it matters:
    A new column has to be null, or its default, in all files that were there before. Under this id those files hold
    something else, and it would be shown as the new column.

Evidence:
    The live files that store a column under the id.

Example:
    ALTER TABLE orders ADD COLUMN note string, where a file of another table was added that has an id above
    last-column-id

Instead:
    Write those files again with the table's ids first, or raise last-column-id above all ids in files.

Reference:
    Spec, Schema Evolution: adding a field.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.file_columns import listed
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import AddColumn


def check(change: Change) -> Iterator[Finding]:
    """Every added field, at any depth, that some file with ids has a column for."""
    for field in change.added_fields():
        if field.field_id in change.undeleted:
            continue
        held = [
            (group, column)
            for group, node in change.after.nodes(field.field_id)
            if group.schema.has_field_ids and (column := group.column(node)) is not None
            if column.field_id == field.field_id
        ]
        if not held:
            continue
        names = listed(f"{column.name} {column.type}" for _, column in held)
        finding = Finding(
            f"its new id {field.field_id} is in live files already, as {names}",
            Direction.OLD_VALUES_CHANGE,
            change.after.dotted(field.field_id),
            field.field_id,
            evidence=change.after.footers.evidence([group for group, _ in held]),
            help="write these files again with the table's ids before the column is added",
        )
        yield change.place(finding, AddColumn)


RULE = Rule(
    "F104",
    "new-column-reads-old-file",
    "Finds added columns whose id live files hold for something else.",
    Level.FOOTERS,
    "Schema Evolution",
    on_change=check,
)
