"""X102 type-not-everywhere.

What it does:
    Finds columns of types that not every reader has: unknown, timestamps of nanoseconds, variant, geometry, geography,
    time; and earlier schemas with a type that makes some readers refuse the metadata as a whole.

Why it matters:
    A reader that does not know a type refuses the table, other columns included.

Evidence:
    The columns, and what readers do.

Example:
    ALTER TABLE events ADD COLUMN payload variant

Instead:
    Upgrade the readers first, or take a type that they have.

Reference:
    Spec, Schemas and Data Types; Appendix E.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.file_columns import listed
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Evidence, Finding
from projector.schema.types import (
    GeographyType,
    GeometryType,
    IcebergType,
    TimestampNanoType,
    TimestamptzNanoType,
    TimeType,
    UnknownType,
    VariantType,
)


def check(state: TableState) -> Iterator[Finding]:
    """Every such column of the schema, and one finding for each type that only earlier schemas have."""
    for field_id, field in state.schema.fields_by_id.items():
        feature = _feature(field.field_type)
        if feature is not None:
            finding = readers_disagree(
                feature,
                state.engines,
                f"type {field.field_type}",
                evidence=Evidence(),
                help="upgrade these readers first, or take a type that they have",
                path=state.dotted(field_id),
                field_id=field_id,
                troubles=frozenset({feature, f"{feature}-in-history"}),
            )
            if finding is not None:
                yield finding
    for kind, feature in ((UnknownType, "type-unknown-in-history"), (VariantType, "type-variant-in-history")):
        earlier = [
            f"{field.name} {field.field_type}"
            for schema in state.history.values()
            for field_id, field in schema.fields_by_id.items()
            if isinstance(field.field_type, kind)
            and getattr(state.schema.fields_by_id.get(field_id), "field_type", None) != field.field_type
        ]
        if not earlier:
            continue
        finding = readers_disagree(
            feature,
            state.engines,
            f"an earlier schema has {listed(earlier)}",
            evidence=Evidence(),
            help="upgrade these readers, or expire the schema with its snapshots",
            troubles=frozenset({feature}),
        )
        if finding is not None:
            yield finding


def _feature(kind: IcebergType) -> str | None:
    match kind:
        case UnknownType():
            return "type-unknown"
        case TimestampNanoType() | TimestamptzNanoType():
            return "type-timestamp-ns"
        case VariantType():
            return "type-variant"
        case GeometryType() | GeographyType():
            return "type-geometry"
        case TimeType():
            return "type-time"
        case _:
            return None


RULE = Rule(
    "X102",
    "type-not-everywhere",
    "Finds columns of types that some readers do not have.",
    Level.SCHEMA,
    "Schemas and Data Types",
    on_state=check,
)
