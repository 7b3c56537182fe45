"""P102 promotes-partition-source.

What it does:
    Finds a promoted column that a partition spec of live files is made from, where the partition values stay the same.

Why it matters:
    It is legal: a bucket hashes an int as it does the long, truncate and identity give the same number. The manifests
    of old files go on holding the values in the old type, which readers must widen.

Evidence:
    The partition fields, and the live files of their specs.

Example:
    ALTER TABLE orders ALTER COLUMN customer TYPE bigint, where the table is partitioned by bucket(16, customer)

Instead:
    Nothing.

Reference:
    Spec, Schema Evolution; Appendix B: int and long hash alike.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.evidence.partition_values import keeps_values
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.kit.type_changes import applied_type_changes
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import UpdateColumnType


def check(change: Change) -> Iterator[Finding]:
    """Every promotion of a source all of whose partition values stay."""
    live, metadata = change.before.files.by_spec, change.before.metadata
    for promoted in applied_type_changes(change):
        field_id = promoted.before.field_id
        made = [(i, f) for i, spec in metadata.specs.items() for f in spec.fields if field_id in f.source_ids]
        fields = [(i, f) for i, f in made if not f.is_void]
        if not fields or not all(
            keeps_values(field, promoted.before.field_type, promoted.after.field_type) for _, field in fields
        ):
            continue
        names = ", ".join(dict.fromkeys(f"{field.name} = {field.transform}" for _, field in fields))
        files = [file for i in dict.fromkeys(i for i, _ in fields) for file in live.get(i, ())]
        finding = Finding(
            f"{promoted.before.field_type} -> {promoted.after.field_type} keeps the partition values of {names}",
            Direction.ADVICE,
            change.after.dotted(field_id),
            field_id,
            evidence=manifest_evidence(files, len(change.before.files.live.all)),
        )
        yield change.place(finding, UpdateColumnType)


RULE = Rule(
    "P102",
    "promotes-partition-source",
    "Finds promotions of partition sources that keep the partition values.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
