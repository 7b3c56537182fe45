"""F101 projection-fails.

What it does:
    Resolves every shape of live file under the schema and finds the fields that cannot be projected.

Why it matters:
    A scan that touches one of these files and selects the field fails.

Evidence:
    The files, grouped by shape, and what each of them holds.

Example:
    A file imported with `amount` as int64 under a column `amount int`.

Instead:
    Rewrite the files, or leave the column with the type that they hold.

Reference:
    Spec, Column Projection. What a file may hold under a field is in `projector/projection/casts.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.projection.plan import Fail, FailCode


def check(state: TableState) -> Iterator[Finding]:
    """Every field that some shape of file cannot give, once for each reason; null where required is N's affair."""
    for field_id, field in state.schema.fields_by_id.items():
        reasons: dict[FailCode, list[tuple[object, Fail]]] = {}
        for group, node in state.nodes(field_id):
            if isinstance(node, Fail) and node.code is not FailCode.REQUIRED:
                reasons.setdefault(node.code, []).append((group, node))
        for code, failing in reasons.items():
            groups = [group for group, node in state.nodes(field_id) if isinstance(node, Fail) and node.code is code]
            yield Finding(
                f"cannot be read: {failing[0][1].message}",
                Direction.READERS_DISAGREE if code is FailCode.UNSUPPORTED else Direction.OLD_DATA_UNREADABLE,
                state.dotted(field_id),
                field.field_id,
                evidence=state.footers.evidence(groups),
                help="rewrite these files under the table's schema",
                key=str(code),
            )


RULE = Rule(
    "F101",
    "projection-fails",
    "Finds fields that live files cannot give under the schema.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
)
