"""P108 tuple-differs-from-spec.

What it does:
    Finds manifests whose partition tuples have other fields than the spec that they name, or name a spec which the
    table does not have.

Why it matters:
    Readers that take the tuple's fields by place prune by the wrong column, or match deletes to the wrong files; others
    fail.

Evidence:
    The live files in such manifests.

Example:
    A manifest of spec 1 (region, day) with tuples of one field

Instead:
    Rewrite the manifests.

Reference:
    Spec, Manifests: the partition tuple is that of the manifest's spec.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """One finding for each spec and each other set of fields."""
    found = state.files.live.all.by(lambda source, kind: (source.manifest.spec_id, kind.partition_ids))
    for (spec_id, ids), files in found.items():
        spec = state.metadata.specs.get(spec_id)
        if spec is not None and ids == tuple(spec.fields_by_id):
            continue
        have = f"partition fields {', '.join(map(str, ids)) or 'none'}"
        if spec is None:
            message = f"files have partition spec {spec_id}, which the table does not have"
        else:
            message = (
                f"files of spec {spec_id} have {have}, the spec has {', '.join(map(str, spec.fields_by_id)) or 'none'}"
            )
        yield Finding(
            message,
            Direction.READERS_DISAGREE,
            evidence=manifest_evidence(files, len(state.files.live.all)),
            help="rewrite the manifests",
            key=f"{spec_id}:{ids}",
        )


RULE = Rule(
    "P108",
    "tuple-differs-from-spec",
    "Finds partition tuples with other fields than their spec.",
    Level.FOOTERS,
    "Manifests",
    on_state=check,
)
