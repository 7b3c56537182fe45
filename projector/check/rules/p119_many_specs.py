"""P119 many-specs.

What it does:
    Finds tables with nine or more partition specs that have fields.

Why it matters:
    Planning evaluates a filter once for every spec, partition metadata tables hold the fields of all of them, and each
    old spec restricts which columns can be dropped and which names can be taken.

Evidence:
    The number of specs, and how many of them have live files.

Example:
    A table whose partitioning has been changed every month.

Instead:
    Rewrite the files of old specs with the current one, then remove the specs that no snapshot needs.

Reference:
    Spec, Partition Evolution; Scan Planning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import NO_EVIDENCE, Direction, Evidence, Finding

MANY: Final = 9


def check(state: TableState) -> Iterator[Finding]:
    """One finding for the table."""
    specs = [spec_id for spec_id, spec in state.metadata.specs.items() if spec.fields]
    if len(specs) < MANY:
        return
    evidence = NO_EVIDENCE
    if state.level >= Level.FOOTERS:
        alive = sum(spec_id in state.files.by_spec for spec_id in specs)
        evidence = Evidence(facts=(f"{alive} of them have live files",))
    yield Finding(
        f"the table has {len(specs)} partition specs; every filter is planned once for each",
        Direction.ADVICE,
        evidence=evidence,
        help="rewrite files of old specs with the current one, then remove the specs that no snapshot needs",
    )


RULE = Rule(
    "P119",
    "many-specs",
    "Finds tables with nine or more partition specs.",
    Level.SCHEMA,
    "Partition Evolution",
    on_state=check,
)
