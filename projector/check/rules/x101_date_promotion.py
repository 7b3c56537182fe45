"""X101 date-promotion.

What it does:
    Finds timestamps under which live files hold dates, after the promotion that format version 3 allows.

Why it matters:
    The promotion is in the spec, and few readers have it: the others fail on every file from before.

Evidence:
    The live files that store a date, and what readers do.

Example:
    ALTER TABLE orders ALTER COLUMN shipped TYPE timestamp, where shipped is a date

Instead:
    Add a timestamp beside the date and fill it; or rewrite the old files after the change.

Reference:
    Spec, Schema Evolution: date to timestamp.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Evidence, Finding
from projector.projection.plan import Cast, Read
from projector.schema.types import DateType, TimestampNanoType, TimestampType


def check(state: TableState) -> Iterator[Finding]:
    """Every such timestamp; at level schema by the types that it has had."""
    for field_id, field in state.schema.fields_by_id.items():
        if not isinstance(field.field_type, TimestampType | TimestampNanoType):
            continue
        if state.level >= Level.FOOTERS:
            evidence = state.evidence_where(
                field_id, lambda _, n: isinstance(n, Read) and n.cast is Cast.DATE_TO_TIMESTAMP
            )
            holds_dates = evidence.files > 0
        else:
            had = (s.fields_by_id[field_id].field_type for s in state.history.values() if field_id in s.fields_by_id)
            holds_dates = state.may_have_data and any(isinstance(kind, DateType) for kind in had)
            evidence = Evidence(facts=("it has been a date",))
        if holds_dates:
            finding = readers_disagree(
                "date-promotion",
                state.engines,
                f"dates in old files, read as {field.field_type}",
                evidence=evidence,
                help="rewrite these files, or keep the date and add a timestamp beside it",
                path=state.dotted(field_id),
                field_id=field_id,
            )
            if finding is not None:
                yield finding


RULE = Rule(
    "X101",
    "date-promotion",
    "Finds timestamps that old files hold as dates, which few readers cope with.",
    Level.SCHEMA,
    "Schema Evolution",
    on_state=check,
)
