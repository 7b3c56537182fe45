"""S115 position-changes-type.

What it does:
    Finds changes after which a position among the top-level columns holds another type: a column added, moved or
    dropped before others.

Why it matters:
    A Hive Metastore may compare the types of a table's columns by position and refuse the commit ("types incompatible
    with the existing columns in their respective positions"). Iceberg itself has no such rule.

Evidence:
    The first position that differs, with both columns.

Example:
    ALTER TABLE orders ADD COLUMN note string FIRST

Instead:
    In a Hive Metastore, set hive.metastore.disallow.incompatible.col.type.changes=false there; or add at the end.

Reference:
    apache/iceberg#3747, apache/iceberg#1092. Spec, Schema Evolution: columns may be reordered.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding
from projector.evolution.operations.schema import AddColumn, DeleteColumn, MoveColumn


def check(change: Change) -> Iterator[Finding]:
    """One finding, for the first position whose column is another one of another type."""
    before, after = change.before.schema.fields, change.after.schema.fields
    for number, (old, new) in enumerate(zip(before, after, strict=False), start=1):
        if old.field_id != new.field_id and str(old.field_type) != str(new.field_type):
            finding = Finding(
                f"position {number} holds {new.name} ({new.field_type}) after {old.name} ({old.field_type});"
                " a Hive Metastore that compares types by position refuses this",
                Direction.ADVICE,
                change.after.dotted(new.field_id),
                new.field_id,
                evidence=Evidence(facts=("only tables in a Hive Metastore are concerned",)),
                help="set hive.metastore.disallow.incompatible.col.type.changes=false there, or add at the end",
            )
            yield change.place(finding, AddColumn, MoveColumn, DeleteColumn)
            return


RULE = Rule(
    "S115",
    "position-changes-type",
    "Finds changes after which a column position holds another type, which a Hive Metastore may refuse.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
