"""D103 source-of-live-spec-gone.

What it does:
    Finds a partition spec that live files have and that is made from a column which the schema lacks: an older spec, or
    a field that is void by now.

Why it matters:
    It is legal, and readers that build the partition type of every spec from the current schema fail: some on any
    filter, some in the metadata tables, some crash, also on a void field. A new column cannot have the partition
    field's name.

Evidence:
    The live data and delete files of that spec.

Example:
    ALTER TABLE orders DROP COLUMN region, where files from before are partitioned by it

Instead:
    Rewrite the files of the old spec first, so that none is alive.

Reference:
    Spec, Partition Evolution; Scan Planning.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.kit.used_names import last_path
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Direction, Evidence, Finding


def check(state: TableState) -> Iterator[Finding]:
    """Every partition field of an older spec whose source is gone, once for each column."""
    live = state.files.by_spec
    for spec in state.metadata.specs.values():
        if not state.may_have_data:
            continue
        for field in spec.fields:
            gone = [i for i in field.source_ids if i not in state.schema.fields_by_id]
            is_current = spec.spec_id == state.metadata.default_spec_id
            if not gone or (is_current and not field.is_void):
                continue
            files = live.get(spec.spec_id, ())
            if not files and state.level >= Level.FOOTERS:
                continue
            evidence = manifest_evidence(files, len(state.files.live.all), f"files of partition spec {spec.spec_id}")
            if not files:
                evidence = Evidence(facts=("whether files of that spec are alive was not looked at",))
            made = f"partition field {field.name} = {field.transform} of spec {spec.spec_id}"
            finding = readers_disagree(
                "dropped-void-source" if field.is_void else "dropped-partition-source",
                state.files.engines,
                f"not in the schema, but {made} is made from it",
                path=last_path(state, gone[0]) or f"id {gone[0]}",
                field_id=gone[0],
                evidence=evidence,
                help="rewrite these files without the partition field before the column goes",
                key=f"{spec.spec_id}:{field.field_id}",
                direction=Direction.READERS_DISAGREE if files else Direction.ADVICE,
            )
            if finding is not None:
                yield finding


RULE = Rule(
    "D103",
    "source-of-live-spec-gone",
    "Finds dropped columns that a partition spec of live files is made from.",
    Level.SCHEMA,
    "Partition Evolution",
    on_state=check,
    absorbed_by=("D102",),
)
