"""P101 promotion-changes-partition-values.

What it does:
    Finds a promoted column from which some partition spec, the current one or an older one, makes values that would be
    others after the promotion.

Why it matters:
    The manifests keep the values that the old type gave: filters would look for the new ones and skip files that
    hold matching rows, so the change is refused.

Evidence:
    The partition field, and the live files of its spec.

Example:
    ALTER TABLE events ALTER COLUMN day TYPE timestamp, where the table is partitioned by bucket(16, day)

Instead:
    Add a column of the new type and fill it from the old one. Replacing the partition field does not help while the old
    spec is in the metadata.

Reference:
    Spec, Schema Evolution: promotion must not change the result of a partition transform.
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

REFUSED = ("it would change the values of", "Invalid source type")


def check(change: Change) -> Iterator[Finding]:
    """Every promotion under a transform that does not keep its values, once for each spec."""
    refused = {r.field_id: r for r in change.refusals if any(part in r.error.message for part in REFUSED)}
    live = change.before.files.by_spec
    for promoted in applied_type_changes(change):
        field_id = promoted.before.field_id
        metadata = change.after.metadata
        for spec in metadata.specs.values() if metadata.snapshot_ids else (metadata.spec(),):
            for field in spec.fields:
                if field_id not in field.source_ids or keeps_values(
                    field, promoted.before.field_type, promoted.after.field_type
                ):
                    continue
                files = live.get(spec.spec_id, ())
                old, new = promoted.before.field_type, promoted.after.field_type
                made = f"{field.name} = {field.transform}"
                finding = Finding(
                    f"{old} -> {new}: it would change the values of partition field {made} of spec {spec.spec_id}",
                    Direction.CANNOT_APPLY,
                    change.after.dotted(field_id),
                    field_id,
                    evidence=manifest_evidence(
                        files, len(change.before.files.live.all), f"files of partition spec {spec.spec_id}"
                    ),
                    help=f"add a column of type {new} and fill it from this one",
                    key=f"{spec.spec_id}:{field.field_id}",
                    explains=refused.get(field_id) or refused.get(None),
                )
                yield change.place(finding, UpdateColumnType)


RULE = Rule(
    "P101",
    "promotion-changes-partition-values",
    "Finds promotions after which a partition transform gives other values.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
