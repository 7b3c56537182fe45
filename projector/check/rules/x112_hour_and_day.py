"""X112 hour-and-day.

What it does:
    Finds tables that have been partitioned both by hour and by day of one column.

Why it matters:
    A partition value of day is a date, one of hour a number. A reader in use takes both for one type and fails.

Evidence:
    The partition specs.

Example:
    A table partitioned by hour(ts) whose spec is changed to day(ts).

Instead:
    Upgrade that reader first; or rewrite the files of the old spec.

Reference:
    Spec, Partition Transforms: the result of day may be a date.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.kit.used_names import last_path
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import NO_EVIDENCE, Finding


def check(state: TableState) -> Iterator[Finding]:
    """Every column with both, in specs that have files or that new files get."""
    live, default = state.files.by_spec, state.metadata.default_spec_id
    specs: dict[int, dict[str, set[int]]] = {}
    for spec in state.metadata.specs.values():
        if state.level >= Level.FOOTERS and spec.spec_id not in live and (spec.spec_id != default or not live):
            continue
        for field in spec.fields:
            for source in field.source_ids:
                specs.setdefault(source, {}).setdefault(str(field.transform), set()).add(spec.spec_id)
    for source, by_transform in specs.items():
        if not by_transform.keys() >= {"hour", "day"}:
            continue
        old = sorted((by_transform["hour"] | by_transform["day"]) - {default}) or by_transform["hour"]
        files = [file for spec_id in old for file in live.get(spec_id, ())]
        finding = readers_disagree(
            "hour-and-day",
            state.engines,
            "partitioned by hour in one spec and by day in another",
            evidence=manifest_evidence(files, len(state.files.live.all)) if files else NO_EVIDENCE,
            help="rewrite the files of the older spec",
            path=last_path(state, source),
            field_id=source,
        )
        if finding is not None:
            yield finding


RULE = Rule(
    "X112",
    "hour-and-day",
    "Finds tables partitioned by hour and by day of one column, which a reader fails on.",
    Level.SCHEMA,
    "Partition Transforms",
    on_state=check,
)
