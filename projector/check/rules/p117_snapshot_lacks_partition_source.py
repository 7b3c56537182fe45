"""P117 snapshot-lacks-partition-source.

What it does:
    Finds retained snapshots whose schema lacks a column that the current partition spec or sort order is made from.

Why it matters:
    A snapshot is read with its own schema, and readers that bind the current spec to it fail, so that time travel
    to that snapshot, or to a tag on it, breaks.

Evidence:
    The snapshots, and the tags among them.

Example:
    A tag from before `region` was added, in a table that is partitioned by region now

Instead:
    Nothing; or read the rows of that time from the files, or drop the tag.

Reference:
    Spec, Point in Time Reads; Partition Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding


def check(state: TableState) -> Iterator[Finding]:
    """Every source column that some retained snapshot's schema lacks; as advice where no tag is on such a snapshot."""
    metadata = state.metadata
    order = metadata.sort_orders[metadata.default_sort_order_id]
    sources = [i for f in metadata.spec().fields if not f.is_void for i in f.source_ids]
    sources += [i for f in order.fields for i in f.source_ids]
    tags = {ref.snapshot_id: name for name, ref in metadata.refs.items() if not ref.is_branch}
    for source in dict.fromkeys(sources):
        without = {i for i, schema in state.history.items() if source not in schema.fields_by_id}
        lacking = [s.snapshot_id for s in metadata.snapshots if s.schema_id in without]
        if not lacking:
            continue
        tagged = [tags[i] for i in lacking if i in tags]
        where = f", among them tag {', '.join(tagged)}" if tagged else ""
        yield Finding(
            f"the current partition spec or sort order needs it, and the schema of {len(lacking)} retained snapshots"
            f" lacks it{where}",
            Direction.READERS_DISAGREE if tagged else Direction.ADVICE,
            state.dotted(source),
            source,
            evidence=Evidence(facts=(f"the first is snapshot {lacking[0]}",)),
        )


RULE = Rule(
    "P117",
    "snapshot-lacks-partition-source",
    "Finds retained snapshots without a column that the current spec or order needs.",
    Level.SCHEMA,
    "Point in Time Reads",
    on_state=check,
)
