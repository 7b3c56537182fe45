"""T109 type-needs-newer-version.

What it does:
    Finds a column of a type that came with a later format version than the table's.

Why it matters:
    The commit is refused; readers of the table's version would not know the type.

Evidence:
    The table's format version.

Example:
    ALTER TABLE events ADD COLUMN payload variant, on version 2

Instead:
    Upgrade the table first, when all its readers can read the new version; or take a type that it has.

Reference:
    Spec, Schemas and Data Types; Appendix E.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Finding
from projector.errors import ProjectorError
from projector.evolution.operations.input_types import given_type
from projector.evolution.operations.schema import AddColumn, UpdateColumnType
from projector.schema.types import IcebergType, walk


def check(change: Change) -> Iterator[Finding]:
    """Every refused operation with a type that is too new."""
    version = change.before.metadata.format_version
    for refusal in change.refusals:
        match refusal.operation:
            case AddColumn(field_type=given) | UpdateColumnType(new_type=given):
                pass
            case _:
                continue
        if not refusal.error.message.startswith(f"Invalid schema for v{version}"):
            continue
        try:
            newest = _newest(given_type(given))
        except ProjectorError:
            continue
        if newest.minimum_format_version > version:
            needed = newest.minimum_format_version
            yield change.refused(
                refusal,
                f"type {newest} needs format version {needed}; the table has {version}",
                help=f"upgrade the table to format version {needed} first, or take another type",
            )


def _newest(iceberg_type: IcebergType) -> IcebergType:
    """The type, or the one inside it, that the latest format version brought."""
    inside = [iceberg_type, *(field.field_type for _, field in walk(iceberg_type))]
    return max(inside, key=lambda found: found.minimum_format_version)


RULE = Rule(
    "T109",
    "type-needs-newer-version",
    "Finds types that the format version of the table does not have.",
    Level.SCHEMA,
    "Appendix E",
    on_change=check,
)
