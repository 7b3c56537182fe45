"""D103 source-of-live-spec-gone.

What it does:
    Finds an older partition spec that live files still have and that is made from a column which the schema lacks.

Why it matters:
    It is legal, and readers that build the partition type of every spec from the current schema fail: some on any
    filter, some in the metadata tables. A new column cannot have the partition field's name.

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

from projector.check.file_evidence import all_files, by_spec, of_files
from projector.check.findings import Direction, Evidence, Finding
from projector.check.rule import Level, Rule
from projector.check.state import TableState
from projector.check.used_names import last_path
from projector.metadata.partitioning import PartitionField


def check(state: TableState) -> Iterator[Finding]:
    """Every partition field of an older spec whose source is gone, once for each column."""
    live = by_spec(state)
    for spec in state.metadata.specs.values():
        if spec.spec_id == state.metadata.default_spec_id or not state.may_have_data:
            continue
        for field in spec.fields:
            gone = [i for i in field.source_ids if i not in state.schema.fields_by_id]
            if not gone or field.is_void:
                continue
            files = live.get(spec.spec_id, ())
            if files:
                evidence = of_files(files, all_files(state), f"files of partition spec {spec.spec_id}")
                yield _finding(state, field, spec.spec_id, gone[0], evidence, Direction.READERS_DISAGREE)
            elif state.level < Level.FOOTERS:
                told = Evidence(facts=("whether files of that spec are alive was not looked at",))
                yield _finding(state, field, spec.spec_id, gone[0], told, Direction.ADVICE)


def _finding(
    state: TableState, field: PartitionField, spec_id: int, source: int, evidence: Evidence, direction: Direction
) -> Finding:
    return Finding(
        f"not in the schema, but partition field {field.name} = {field.transform} of spec {spec_id} is made from it",
        direction,
        last_path(state, source) or f"id {source}",
        source,
        evidence=evidence,
        help=f"rewrite the files of spec {spec_id} with the current spec before the column goes",
        key=f"{spec_id}:{field.field_id}",
    )


RULE = Rule(
    "D103",
    "source-of-live-spec-gone",
    "Finds dropped columns that a partition spec of live files is made from.",
    Level.SCHEMA,
    "Partition Evolution",
    on_state=check,
)
