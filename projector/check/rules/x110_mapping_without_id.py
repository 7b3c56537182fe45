"""X110 mapping-without-id.

What it does:
    Finds entries of the name mapping that have no field id, where files without ids are alive.

Why it matters:
    The spec allows it for columns that the table does not have. A reader in use fails on such a mapping.

Evidence:
    The entries, and the live files without field ids.

Example:
    A mapping with {"names": ["old"]} for a column that only files have.

Instead:
    Leave the entry out of the mapping.

Reference:
    Spec, Column Projection: name mapping; Appendix C.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.file_columns import listed
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Finding


def check(state: TableState) -> Iterator[Finding]:
    """One finding for all such entries."""
    if state.name_mapping is None:
        return
    without = [".".join(path) for path, entry in state.name_mapping.walk() if entry.field_id is None and entry.names]
    groups = list(state.idless_groups()) if without else []
    if groups:
        finding = readers_disagree(
            "mapping-without-id",
            state.engines,
            f"the name mapping has no id for {listed(without)}",
            evidence=state.footers.evidence(groups),
            help="leave these names out of the mapping",
        )
        if finding is not None:
            yield finding


RULE = Rule(
    "X110",
    "mapping-without-id",
    "Finds entries of the name mapping without a field id, which a reader fails on.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
)
