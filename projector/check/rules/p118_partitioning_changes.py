"""P118 partitioning-changes.

What it does:
    Finds partition fields that the change takes away from new files, and those that only new files will have.

Why it matters:
    Files that are there keep the partitioning they were written with, so a filter that was cheap gets dearer with
    every new file, or stays as dear as it was over all old ones.

Evidence:
    The live files of the spec that was the default, and, where the manifests have bounds of the column, what a filter
    for one of its values would open if the same rows were written before and after.

Example:
    ALTER TABLE orders DROP PARTITION FIELD day(ordered_at)

Instead:
    Keep a field that filters go by; rewrite old files where the new partitioning is to hold for them too. `projector
    plan --filter` shows the cost of a filter of your own.

Reference:
    Spec, Partition Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.filter_forecast import forecast_of
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding
from projector.evolution.operations.spec import (
    AddPartitionField,
    RemovePartitionField,
    RemovePartitionTerm,
)
from projector.metadata.partitioning import PartitionField, PartitionSpec
from projector.planning.forecast.layout_use import field_text

REMOVES = (RemovePartitionField, RemovePartitionTerm)


def check(change: Change) -> Iterator[Finding]:
    """Every field of the default spec that the one after lacks, and the other way round."""
    before, after = change.before.metadata.spec(), change.after.metadata.spec()
    if before.spec_id == after.spec_id or not change.before.may_have_data:
        return
    schemas = (change.after.schema, change.before.schema)
    for field in _only_in(before, after):
        text = field_text(field, *schemas)
        finding = _finding(change, field, f"new files are no longer partitioned by {text}")
        yield finding.filled(
            help=f"keep it if filters go by {finding.path}; projector plan --filter shows what one costs",
            source=change.source(field.source_id, *REMOVES) or change.source(None, *REMOVES),
        )
    for field in _only_in(after, before):
        text = field_text(field, *schemas)
        finding = _finding(change, field, f"only new files are partitioned by {text}")
        yield finding.filled(
            help="rewrite the old files if filters are to skip them too",
            source=change.source(field.source_id, AddPartitionField),
        )


def _only_in(one: PartitionSpec, other: PartitionSpec) -> Iterator[PartitionField]:
    had = {(field.source_ids, field.transform.lower()) for field in other.fields}
    return (f for f in one.fields if not f.is_void and (f.source_ids, f.transform.lower()) not in had)


def _finding(change: Change, field: PartitionField, message: str) -> Finding:
    spec_id = change.before.metadata.default_spec_id
    files = change.before.files.by_spec.get(spec_id, ())
    evidence = Evidence(facts=("how many files keep the old spec was not looked at",))
    if change.before.level >= Level.FOOTERS:
        costs = forecast_of(change.before, change.after, field.source_id)
        facts = () if costs is None else (costs,)
        evidence = manifest_evidence(
            files, len(change.before.files.live.all), f"these files keep partition spec {spec_id}", *facts
        )
    path = change.after.dotted(field.source_id) or change.before.dotted(field.source_id)
    return Finding(message, Direction.ADVICE, path, field.source_id, evidence=evidence, key=str(field.field_id))


RULE = Rule(
    "P118",
    "partitioning-changes",
    "Finds partition fields that only old files, or only new ones, will have.",
    Level.SCHEMA,
    "Partition Evolution",
    on_change=check,
)
