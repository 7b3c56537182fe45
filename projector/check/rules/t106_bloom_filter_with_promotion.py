"""T106 bloom-filter-with-promotion.

What it does:
    Finds a promoted column for which the table asks writers to keep bloom filters.

Why it matters:
    A bloom filter hashes the bytes of the old type. Readers that hash the literal at the new type's width skip row
    groups that hold it.

Evidence:
    The table property write.parquet.bloom-filter-enabled.column.<name>, and the live files that store the column in
    the old type.

Example:
    ALTER TABLE orders ALTER COLUMN customer TYPE bigint, where customer has bloom filters

Instead:
    Rewrite the old files after the change; or turn bloom filters off for readers that get it wrong.

Reference:
    Parquet format, bloom filter: the hash of the plain encoding.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change import Change
from projector.check.findings import Direction, Finding
from projector.check.rule import Level, Rule
from projector.check.type_changes import applied_type_changes
from projector.evolution.operations import UpdateColumnType

PROPERTY = "write.parquet.bloom-filter-enabled.column."


def check(change: Change) -> Iterator[Finding]:
    """Every promoted column that the properties name."""
    properties = change.before.metadata.properties
    for promoted in applied_type_changes(change):
        field_id = promoted.before.field_id
        name = f"{PROPERTY}{change.before.dotted(field_id)}"
        if properties.get(name, "").lower() != "true" or not change.before.may_have_data:
            continue
        evidence = change.before.stored(field_id)
        if change.before.level >= Level.FOOTERS and not evidence.files:
            continue
        finding = Finding(
            f"{promoted.before.field_type} -> {promoted.after.field_type}: it has bloom filters of the old type",
            Direction.OLD_DATA_AT_RISK,
            change.after.dotted(field_id),
            field_id,
            evidence=evidence,
            help="rewrite these files after the change",
        )
        yield change.place(finding, UpdateColumnType)


RULE = Rule(
    "T106",
    "bloom-filter-with-promotion",
    "Finds promoted columns that have bloom filters.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
