"""X902 downstream-query-differs.

What it does:
    Runs the queries that are given with --query or --queries over the current snapshot, projected under the schema
    before and after, through DuckDB, and compares columns and rows. Columns, and fields of structs, that come on top
    are no difference; nor are the rows of a query that gives others each time it is run.

Why it matters:
    A query names columns, so a rename or a drop breaks it, and a name that is used again gives other values without
    an error.

Evidence:
    The query, what DuckDB says of it, or a row that only one of the two answers has.

Example:
    ALTER TABLE orders RENAME COLUMN total TO amount, with --query 'SELECT sum(total) FROM orders'

Instead:
    Change the queries together with the table; for a while a view can keep the old names.

Reference:
    The queries are yours; names are what they depend on.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.change.queries import QueryDifference
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding, Sample
from projector.evolution.diff.schema_diff import Change as FieldChange


def check(change: Change) -> Iterator[Finding]:
    """Every query that differs, blamed on the change whose old or new name it holds."""
    for difference in change.query_differences:
        if difference.unsteady or difference.place is not None:
            continue
        blamed = _blamed(change, difference)
        field_id = blamed.field_id if blamed is not None else None
        said = "no longer runs" if difference.failure is not None else "gives other rows"
        reason = f": {difference.failure}" if difference.failure is not None else ""
        samples = () if difference.failure is not None else (Sample(None, difference.before, difference.after),)
        yield Finding(
            f"query {difference.name} {said}{reason}",
            Direction.QUERY_BREAKS,
            None if blamed is None else ".".join(blamed.path),
            field_id,
            evidence=Evidence(facts=() if blamed is None else (str(blamed),), samples=samples),
            help="change the query together with the table",
            key=difference.name,
            source=change.source(field_id),
        )


def _blamed(change: Change, difference: QueryDifference) -> FieldChange | None:
    """The first change that takes away, moves or reuses a name that the query holds."""
    for kinds in (("dropped", "renamed"), ("type", "added", "moved", "made_optional", "made_required")):
        for found in change.changes(*kinds):
            before = found.before if found.kind == "renamed" else found.path[-1]
            if {str(before).lower(), found.path[-1].lower()} & difference.words:
                return found
    return next(iter(change.diff.changes), None)


RULE = Rule(
    "X902",
    "downstream-query-differs",
    "Finds given queries that no longer run after the change, or give other rows.",
    Level.SCHEMA,
    "What readers ask",
    on_change=check,
)
