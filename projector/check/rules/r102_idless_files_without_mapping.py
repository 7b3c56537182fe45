"""R102 idless-files-without-mapping.

What it does:
    Finds live files without field ids in a table without a name mapping.

Why it matters:
    By the spec none of their columns can be found: every value is null or a default. Iceberg's Java readers guess by
    position, some engines fail, some say nothing and give nulls. A guess by position gives a new column the values of
    whatever the files have in the place of its id.

Evidence:
    The live files that have columns and no field id at any depth.

Example:
    Files of another tool that were added without setting `schema.name-mapping.default`

Instead:
    Set the table property `schema.name-mapping.default` to a mapping made from the names in the files.

Reference:
    Spec, Column Projection; Name Mapping Serialization.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.state import TableState
from projector.check.kit.file_columns import listed
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import FEATURES, Engine, readers_disagree
from projector.check.report.findings import Direction, Finding
from projector.schema.name_mapping import NAME_MAPPING_PROPERTY


def check(state: TableState) -> Iterator[Finding]:
    """One finding for all such files, and one for each column that a reader would fill from another one of theirs."""
    groups = tuple(state.idless_groups())
    if not groups or NAME_MAPPING_PROPERTY in state.metadata.properties:
        return
    readers = FEATURES["idless-without-mapping"].among(state.files.engines)
    yield Finding(
        "live files have no field ids and the table has no name mapping: all their columns are null or defaults",
        Direction.OLD_DATA_UNREADABLE,
        evidence=state.footers.evidence(groups, "these files have no field ids", *map(str, readers)),
        help=f"set the table property {NAME_MAPPING_PROPERTY} to a mapping of the names in these files",
    )
    if Engine.SPARK in state.engines:
        yield from _guessed(state, groups)


def _guessed(state: TableState, groups: Sequence[LiveGroup]) -> Iterator[Finding]:
    """Yield the columns whose id is the place, counted from 1, of a column that has never been theirs."""
    for field in state.schema.fields:
        place = field.field_id - 1
        others = {
            id(group): group.schema.columns[place].name
            for group in groups
            if place < len(group.schema.columns)
            and field.field_id not in state.owners.get((None, group.schema.columns[place].name), ())
        }
        if not others:
            continue
        evidence = state.footers.evidence([group for group in groups if id(group) in others])
        finding = readers_disagree(
            "idless-without-mapping",
            {Engine.SPARK},
            f"files without field ids have {listed(sorted(set(others.values())))} in the place of its id",
            evidence=evidence,
            help=f"set the table property {NAME_MAPPING_PROPERTY} first",
            path=state.dotted(field.field_id),
            field_id=field.field_id,
        )
        if finding is not None:
            yield finding


RULE = Rule(
    "R102",
    "idless-files-without-mapping",
    "Finds files without field ids in a table without name mapping.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
)
