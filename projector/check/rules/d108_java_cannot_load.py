"""D108 java-cannot-load.

What it does:
    Finds what keeps Java, and with it Spark, Flink and Trino, from loading the table: a source of the default
    partition spec or sort order that the schema does not have, and a column with the name of a partition field, of any
    spec, that is made from another column.

Why it matters:
    Java checks this whenever it loads the table, also for specs that no file uses, and refuses the whole table.

Evidence:
    The metadata, and Java's sentence.

Example:
    A default sort order by a column that a writer dropped without replacing the order

Instead:
    Set another sort order, drop the partition field, or rename the column.

Reference:
    Spec, Partitioning; Sorting.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.kit.used_names import last_path
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.apply.table_rules import load_errors


def check(state: TableState) -> Iterator[Finding]:
    """Yield one finding for each reason."""
    for error in {error.message: error for error in load_errors(state.metadata, state.schema)}.values():
        yield Finding(
            error.message,
            Direction.METADATA_INVALID,
            None if error.field_id is None else state.dotted(error.field_id) or last_path(state, error.field_id),
            error.field_id,
            help=error.hint,
            key=error.message,
        )


RULE = Rule(
    "D108",
    "java-cannot-load",
    "Finds what keeps Java from loading the table.",
    Level.SCHEMA,
    "Partitioning; Sorting",
    on_state=check,
    absorbed_by=("D102", "P103"),
)
