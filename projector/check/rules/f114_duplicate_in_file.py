"""F114 duplicate-in-file.

What it does:
    Finds files with two columns of one name at the same level, or two columns of one field id.

Why it matters:
    Which of the two is meant cannot be told. A field that would be read from one of them is refused here; other
    readers take the first, or the last.

Evidence:
    The files, and the names and ids that are there twice.

Example:
    A file that a join wrote with two columns called id.

Instead:
    Write these files again with each name and id once.

Reference:
    Spec, Column Projection; Schemas and Data Types: ids are unique.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.state import TableState
from projector.check.kit.file_columns import dotted, listed, named_columns
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """Two findings at most: for names, and for ids."""
    for kind in ("name", "id"):
        groups: list[LiveGroup] = []
        found: list[str] = []
        for group in state.footers.groups:
            twice = _names_twice(group) if kind == "name" else _ids_twice(group)
            if twice:
                groups.append(group)
                found += twice
        if groups:
            yield Finding(
                f"files have two columns of one {kind}: {listed(found)}",
                Direction.READERS_DISAGREE,
                evidence=state.footers.evidence(groups),
                help=f"write these files again with each {kind} once",
                key=kind,
            )


def _names_twice(group: LiveGroup) -> list[str]:
    counts = Counter((place[:-1], column.name) for place, column in named_columns(group.schema))
    first = {(place[:-1], column.name): place for place, column in named_columns(group.schema)}
    return [dotted(group.schema, first[key]) for key, count in counts.items() if count > 1]


def _ids_twice(group: LiveGroup) -> list[str]:
    counts = Counter(column.field_id for _, column in named_columns(group.schema) if column.field_id is not None)
    return [str(field_id) for field_id, count in counts.items() if count > 1]


RULE = Rule(
    "F114",
    "duplicate-in-file",
    "Finds files with two columns of one name or one id.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
)
