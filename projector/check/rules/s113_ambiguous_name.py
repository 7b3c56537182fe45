"""S113 ambiguous-name.

What it does:
    Finds a column whose name holds a dot and that is spelt as the path of a nested field, and empty names.

Why it matters:
    `a.b` then means two columns: which one a reader takes, in a query, a filter or a table property, is a matter of
    luck.

Evidence:
    The two fields.

Example:
    A column `a.b` (id 4) beside a struct `a` with a field `b` (id 3).

Instead:
    Rename the column with the dot.

Reference:
    Names are any strings by the spec; dotted paths are the engines' own.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """Every name with a dot that is also a path, and every empty name."""
    by_name: dict[str, int] = {}
    for field_id, path in state.schema.paths_by_id.items():
        name = ".".join(path)
        other = by_name.setdefault(name, field_id)
        if other != field_id:
            yield Finding(
                f"{name} names two fields: id {other} and id {field_id}",
                Direction.READERS_DISAGREE,
                name,
                field_id,
                help="rename the one with a dot in its name",
            )
        if not path[-1].strip():
            yield Finding(
                "its name is empty",
                Direction.READERS_DISAGREE,
                name,
                field_id,
                key="empty",
                help="give it a name",
            )


RULE = Rule(
    "S113",
    "ambiguous-name",
    "Finds names with a dot that are spelt like the path of a nested field.",
    Level.SCHEMA,
    "Schemas and Data Types",
    on_state=check,
)
