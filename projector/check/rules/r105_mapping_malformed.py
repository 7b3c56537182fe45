"""R105 mapping-malformed.

What it does:
    Finds a name mapping that cannot be read: no JSON, not of the right form, one name twice at a level, one id twice.

Why it matters:
    Readers fail, or go on without it, and then every column of files without field ids is null. Commits that would
    bring the mapping up to date leave it as it is, or fail.

Evidence:
    What the parser says, and the live files without field ids.

Example:
    `schema.name-mapping.default` with the name `v` in two entries of one level

Instead:
    Mend the table property, or make it anew from the schema.

Reference:
    Spec, Name Mapping Serialization.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.errors import ProjectorError
from projector.schema.name_mapping import NAME_MAPPING_PROPERTY


def check(state: TableState) -> Iterator[Finding]:
    """One finding, with what the parser says."""
    try:
        state.metadata.name_mapping  # noqa: B018 - raises where it cannot be read
    except ProjectorError as error:
        yield Finding(
            error.message,
            Direction.METADATA_INVALID,
            evidence=state.footers.evidence(state.idless_groups(), "counted are files without field ids"),
            help=f"mend the table property {NAME_MAPPING_PROPERTY}",
        )


RULE = Rule(
    "R105",
    "mapping-malformed",
    "Finds name mappings that cannot be read.",
    Level.SCHEMA,
    "Name Mapping Serialization",
    on_state=check,
)
