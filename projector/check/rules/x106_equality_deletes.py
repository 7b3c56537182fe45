"""X106 equality-deletes.

What it does:
    Finds live equality deletes, and among them keys that may be null, that are nested, or that have been promoted
    since.

Why it matters:
    Some readers do not read equality deletes at all; one loses rows with a null key, and fails on promoted and nested
    keys.

Evidence:
    The live equality delete files, and what readers do.

Example:
    A table that a streaming job writes with upserts.

Instead:
    Compact the table, so that the deletes are applied and gone, before such a reader comes to it.

Reference:
    Spec, Equality Delete Files.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Finding
from projector.metadata.manifests.read import FileContent

HELP = "compact the table, so that these deletes are applied and gone"


def check(state: TableState) -> Iterator[Finding]:
    """One finding for the deletes as such, and one for each key that readers have trouble with."""
    deletes = [f for f in state.files.live.deletes if f.kind.content is FileContent.EQUALITY_DELETES]
    if not deletes:
        return
    among = len(state.files.live.deletes)
    said = "these are delete files"
    found = readers_disagree(
        "equality-deletes",
        state.engines,
        "live equality deletes",
        evidence=manifest_evidence(deletes, among, said),
        help=HELP,
    )
    if found is not None:
        yield found
    for field_id, files in state.files.equality_ids.items():
        features = _features(state, field_id)
        found = readers_disagree(
            features,
            state.engines,
            "a key of live equality deletes that " + " and ".join(features.values()),
            evidence=manifest_evidence(files, among, said),
            help=HELP,
            path=state.dotted(field_id),
            field_id=field_id,
            key=",".join(features),
        )
        if found is not None:
            yield found


def _features(state: TableState, field_id: int) -> dict[str, str]:
    """What of a key readers have trouble with; a key that is gone is another rule's affair."""
    found: dict[str, str] = {}
    field = state.schema.fields_by_id.get(field_id)
    if field is None:
        return found
    if field.optional:
        found["equality-delete-null-key"] = "may be null"
    if field_id in state.schema.parents_by_id:
        found["equality-delete-nested-key"] = "is nested"
    schema_ids = {s.snapshot_id: s.schema_id for s in state.metadata.snapshots}
    for file in state.files.equality_ids[field_id]:
        schema = state.history.get(schema_ids.get(file.kind.snapshot_id or 0) or 0)
        was = schema.fields_by_id.get(field_id) if schema is not None else None
        if was is not None and was.field_type != field.field_type:
            found["equality-delete-promoted-key"] = f"was {was.field_type} when they were written"
    return found


RULE = Rule(
    "X106",
    "equality-deletes",
    "Finds live equality deletes, which some readers refuse or get wrong.",
    Level.FOOTERS,
    "Equality Delete Files",
    on_state=check,
    absorbed_by=("T107",),
)
