"""P109 summary-contradicts.

What it does:
    Finds a summary of a partition field in a manifest list that cannot be true: no bounds and no nulls over files with
    rows, a lower bound above the upper, or a range that leaves out the partition values in the manifest.

Why it matters:
    Readers skip the manifest by it, and rows that match a filter are not found.

Evidence:
    The manifests, or the live files that their summary leaves out.

Example:
    A writer that cuts the upper bound of a long string partition value without rounding it up

Instead:
    Rewrite the manifests with a writer that is right.

Reference:
    Spec, Manifest Lists: field summary; Scan Planning.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding
from projector.metadata.manifests.read import FieldSummary, ManifestFile
from projector.metadata.partitioning import PartitionField
from projector.metadata.transforms import parse_transform, result_type
from projector.schema.binary_values import decode_bound
from projector.schema.types import DoubleType, FloatType, IcebergType

EMPTY = "has neither bounds nor nulls in a summary over files with rows"
INVERTED = "has a lower bound above the upper one in a summary"
NARROW = "has a summary that leaves out partition values of the manifest"


def check(state: TableState) -> Iterator[Finding]:
    """One finding for each partition field of each spec and each way to be wrong."""
    found: dict[tuple[int, int, str], list[ManifestFile]] = {}
    for manifest in state.files.live.manifests:
        spec = state.metadata.specs.get(manifest.spec_id)
        if spec is None or manifest.partitions is None or len(manifest.partitions) != len(spec.fields):
            continue
        for field, summary in zip(spec.fields, manifest.partitions, strict=True):
            wrong = None if field.is_void else _wrong(state, manifest, field, summary)
            if wrong is not None:
                found.setdefault((spec.spec_id, field.field_id, wrong), []).append(manifest)
    for (spec_id, part_id, wrong), manifests in found.items():
        fact = f"{len(manifests)} of {len(state.files.live.manifests)} manifests, the first is {manifests[0].path}"
        yield _finding(state, spec_id, part_id, wrong, Evidence(facts=(fact,)))
    told = {(spec_id, part_id) for spec_id, part_id, _ in found}
    for (spec_id, part_id), tally in state.files.manifest_facts.outside_summary.items():
        if (spec_id, part_id) in told:
            continue
        yield _finding(state, spec_id, part_id, NARROW, tally.evidence(len(state.files.live.data)))


def _finding(state: TableState, spec_id: int, part_id: int, wrong: str, evidence: Evidence) -> Finding:
    name = next((f.name for f in state.metadata.specs[spec_id].fields if f.field_id == part_id), str(part_id))
    return Finding(
        f"partition field {name} of spec {spec_id} {wrong}",
        Direction.METADATA_INVALID,
        name,
        evidence=evidence,
        help="rewrite the manifests",
        key=f"{spec_id}:{wrong}",
    )


def _wrong(state: TableState, manifest: ManifestFile, field: PartitionField, summary: FieldSummary) -> str | None:
    source = state.schema.fields_by_id.get(field.source_id)
    kind = None if source is None else result_type(parse_transform(field.transform), source.field_type)
    low, high = summary.lower_bound, summary.upper_bound
    if low is None and high is None:
        floating = kind is None or isinstance(kind, (FloatType, DoubleType))
        maybe_nan = summary.contains_nan or (floating and summary.contains_nan is None)
        return None if summary.contains_null or maybe_nan or not _has_rows(manifest) else EMPTY
    return INVERTED if kind is not None and _above(low, high, kind) else None


def _has_rows(manifest: ManifestFile) -> bool:
    rows = (manifest.added_rows_count, manifest.existing_rows_count)
    return any(count is None or count > 0 for count in rows)


def _above(low: bytes | None, high: bytes | None, kind: IcebergType) -> bool:
    if low is None or high is None:
        return False
    one, other = decode_bound(low, kind), decode_bound(high, kind)
    return one is not None and other is not None and not isinstance(one, UUID) and bool(one > other)


RULE = Rule(
    "P109",
    "summary-contradicts",
    "Finds manifest-list summaries that cannot be true.",
    Level.FOOTERS,
    "Manifest Lists",
    on_state=check,
)
