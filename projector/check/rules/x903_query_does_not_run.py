"""X903 query-does-not-run.

What it does:
    Finds queries given with --query or --queries that do not run on the table as it is: nothing can be
    compared.

Why it matters:
    Nothing is known of what the change does to the query. The other queries are compared all the same.

Evidence:
    What DuckDB says of the query.

Example:
    ALTER TABLE orders ADD COLUMN note string, with --query 'SELECT sum(total) FROM {{ ref("orders") }}'

Instead:
    Give the SQL that the template renders; call the table t or by its own last name, and name further tables with
    --table NAME=LOCATION.

Reference:
    The queries are yours.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(change: Change) -> Iterator[Finding]:
    """Yield every query that does not run before the change."""
    for difference in change.query_differences:
        if difference.place is not None:
            yield Finding(
                f"query {difference.name} does not run on the table as it is: {difference.failure}",
                Direction.UNVERIFIED,
                help=_help(difference.place.text),
                key=difference.name,
                source=difference.place,
            )


def _help(sql: str) -> str:
    if "{{" in sql or "{%" in sql:
        return "give the SQL that the template renders"
    return "the table is t, or its own last name, without a schema; --table NAME=LOCATION adds further tables"


RULE = Rule(
    "X903",
    "query-does-not-run",
    "Finds given queries that do not run on the table before the change.",
    Level.SCHEMA,
    "What readers ask",
    on_change=check,
)
