"""F105 stale-writer-ids.

What it does:
    Finds files that were added after a column was dropped and still write its id, above all where another column has
    the name now and the file lacks it.

Why it matters:
    The writer kept an old schema. What it writes under the dropped id is not shown any more, and the column that has
    the name now reads as null.

Evidence:
    The files, by the schema that their snapshot records.

Example:
    `extra` is dropped and added again; a streaming job goes on writing the dropped one.

Instead:
    Restart the writer on the current schema, and write these files again.

Reference:
    Spec, Writing data files; Column Projection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.live_files import Files
from projector.check.evidence.state import TableState
from projector.check.kit.file_columns import (
    among,
    by_writing_schema,
    distinct,
    dotted,
    listed,
    named_columns,
    table_ids,
)
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """One finding for each field whose values went to a dropped one, and one for all other dropped ids."""
    lost: dict[int, tuple[list[LiveGroup], list[Files], int]] = {}
    extra: tuple[list[LiveGroup], list[Files], list[str]] = ([], [], [])
    older = _older(state)
    for group in state.footers.groups:
        ids = table_ids(group.schema)
        for schema, files in by_writing_schema(state, group):
            dropped = (ids & older[schema.schema_id]) - schema.fields_by_id.keys()
            here = {path: field_id for field_id, path in schema.paths_by_id.items()} if dropped else {}
            for place, column in named_columns(group.schema):
                if column.field_id not in dropped or column.field_id is None:
                    continue
                namesake = here.get(group.schema.name_path(place))
                if namesake is not None and namesake not in ids and namesake in state.schema.fields_by_id:
                    groups, written, _ = lost.setdefault(namesake, ([], [], column.field_id))
                else:
                    groups, written, _ = extra
                    extra[2].append(f"{column.field_id} ({dotted(group.schema, place)})")
                groups.append(group)
                written.append(files)
    for field_id, (groups, written, old_id) in lost.items():
        yield Finding(
            f"files added since it took the name of a dropped column write id {old_id}, the dropped one",
            Direction.OLD_DATA_AT_RISK,
            state.dotted(field_id),
            field_id,
            evidence=state.footers.evidence(distinct(groups), where=among(written)),
            help="restart the writer on the current schema, and write these files again",
        )
    if extra[0]:
        yield Finding(
            f"files write ids that were dropped before they were added: {listed(extra[2])}",
            Direction.ADVICE,
            evidence=state.footers.evidence(distinct(extra[0]), where=among(extra[1])),
            help="see whether the writer still has an old schema",
        )


def _older(state: TableState) -> Mapping[int, frozenset[int]]:
    """For each schema, the ids of the schemas that were made before it."""
    found: dict[int, frozenset[int]] = {}
    so_far: frozenset[int] = frozenset()
    for schema_id in sorted(state.history):
        found[schema_id] = so_far
        so_far |= state.history[schema_id].fields_by_id.keys()
    return found


RULE = Rule(
    "F105",
    "stale-writer-ids",
    "Finds files that write columns dropped before the files were added.",
    Level.FOOTERS,
    "Writing data files",
    on_state=check,
)
