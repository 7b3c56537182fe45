"""P106 unknown-transform.

What it does:
    Finds a partition field of the current spec, or of live files, with a transform that the spec does not have, or with
    several source columns.

Why it matters:
    Some readers refuse the table, some prune by a part of the tuple, and few can write to it, though it is legal to
    read past what is not known.

Evidence:
    The live files of the spec.

Example:
    A spec with `zorder` as a transform, written by an extended library

Instead:
    Replace the partition field by one with a transform of the spec.

Reference:
    Spec, Partition Transforms: readers ignore transforms that they do not know.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.metadata.transforms import UnknownTransform, parse_transform


def check(state: TableState) -> Iterator[Finding]:
    """Every such partition field of the current spec and of specs with live files."""
    live, metadata = state.files.by_spec, state.metadata
    for spec in metadata.specs.values():
        files = live.get(spec.spec_id, ())
        if spec.spec_id != metadata.default_spec_id and not files:
            continue
        for field in spec.fields:
            several = len(field.source_ids) > 1
            if not several and not isinstance(parse_transform(field.transform), UnknownTransform):
                continue
            what = f"{field.transform} of {len(field.source_ids)} columns" if several else field.transform
            yield Finding(
                f"partition field {field.name} = {what} of spec {spec.spec_id} is not understood by every reader",
                Direction.READERS_DISAGREE,
                state.dotted(field.source_id) or field.name,
                field.source_id,
                evidence=manifest_evidence(files, len(state.files.live.all)),
                help=f"replace partition field {field.name}",
                key=f"{spec.spec_id}:{field.field_id}",
            )


RULE = Rule(
    "P106",
    "unknown-transform",
    "Finds partition fields whose transform the spec does not have.",
    Level.SCHEMA,
    "Partition Transforms",
    on_state=check,
)
