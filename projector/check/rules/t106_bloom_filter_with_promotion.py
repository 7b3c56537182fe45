"""T106 bloom-filter-with-promotion.

What it does:
    Finds a promoted column that has bloom filters in old files, or, at level `schema`, one for which the table asks
    writers to keep some.

Why it matters:
    A bloom filter hashes the bytes of the old type. Readers that hash the literal at the new type's width skip row
    groups that hold it.

Evidence:
    The footer of one file of each shape; the table property write.parquet.bloom-filter-enabled.column.<name>.

Example:
    ALTER TABLE orders ALTER COLUMN customer TYPE bigint, where customer has bloom filters

Instead:
    Rewrite the old files after the change; or turn bloom filters off for readers that get it wrong.

Reference:
    Parquet format, bloom filter: the hash of the plain encoding.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.kit.type_changes import applied_type_changes
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding
from projector.evolution.operations.schema import UpdateColumnType
from projector.files.parquet.file_schema import FileLeaf

PROPERTY = "write.parquet.bloom-filter-enabled.column."


def check(change: Change) -> Iterator[Finding]:
    """Every promoted column with bloom filters in some shape of file."""
    for promoted in applied_type_changes(change):
        field_id = promoted.before.field_id
        if change.before.level >= Level.FOOTERS:
            evidence = _filtered(change, field_id)
        else:
            asked = change.before.metadata.properties.get(f"{PROPERTY}{change.before.dotted(field_id)}", "")
            asks = asked.lower() == "true" and change.before.may_have_data
            evidence = Evidence(facts=("the table asks for them; no file was looked at",)) if asks else Evidence()
        if not evidence:
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


def _filtered(change: Change, field_id: int) -> Evidence:
    """The files of the groups whose first file has bloom filters on a column."""
    groups = []
    for group, node in change.before.nodes(field_id):
        place = node.place
        if place is None or not isinstance(group.schema.at(place).type, FileLeaf):
            continue
        if group.schema.first_leaf(place) in change.before.files.bloom_leaves(group):
            groups.append(group)
    return change.before.footers.evidence(groups, "by the footer of one file of each shape") if groups else Evidence()


RULE = Rule(
    "T106",
    "bloom-filter-with-promotion",
    "Finds promoted columns that have bloom filters.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
