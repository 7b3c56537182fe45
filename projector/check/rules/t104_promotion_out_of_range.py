"""T104 promotion-out-of-range.

What it does:
    Finds a date column that becomes a timestamp while live files hold dates outside its range.

Why it matters:
    A timestamp_ns reaches from 1677 to 2262 only. A date such as 9999-12-31, which often stands for 'no end',
    cannot be read any more.

Evidence:
    The bounds that manifests keep of the column, in the type that they were written with.

Example:
    ALTER TABLE contracts ALTER COLUMN valid_until TYPE timestamp_ns, with 9999-12-31 in it

Instead:
    Promote to timestamp, which holds every date that is in use; or replace those dates first.

Reference:
    Spec, Schema Evolution: values outside the range are an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.kit.type_changes import applied_type_changes
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.errors import ProjectorError
from projector.evolution.operations.schema import UpdateColumnType
from projector.schema.promotions import promote_value
from projector.schema.single_values import decode_bound, format_value
from projector.schema.types import DateType, IcebergType


def check(change: Change) -> Iterator[Finding]:
    """Every promoted date with bounds outside the new type's range."""
    for promoted in applied_type_changes(change):
        if not isinstance(promoted.before.field_type, DateType):
            continue
        field_id, new = promoted.before.field_id, promoted.after.field_type
        outside: dict[str, str] = {}
        live, files = change.before.files.live.data, change.before.files
        bounds = (files.metric(live, name, field_id) for name in ("lower_bounds", "upper_bounds"))
        for path, *stored in zip(live.paths, *bounds, strict=True):
            value = _outside(stored, new)
            if value is not None:
                outside[path] = value
        if not outside:
            continue
        evidence = change.before.footers.evidence(
            change.before.footers.groups,
            f"a bound is {next(iter(outside.values()))}",
            where=lambda file, held=outside: file.path in held,  # type: ignore[misc]
        )
        finding = Finding(
            f"date -> {new}: live files hold dates that {new} cannot",
            Direction.OLD_DATA_UNREADABLE,
            change.after.dotted(field_id),
            field_id,
            evidence=evidence,
            help="promote to timestamp, or replace these dates first",
        )
        yield change.place(finding, UpdateColumnType)


def _outside(bounds: Iterable[bytes | None], new: IcebergType) -> str | None:
    """A bound of a date that the new type cannot hold."""
    for stored in bounds:
        if stored is None or len(stored) != 4:
            continue
        days = decode_bound(stored, DateType())
        try:
            promote_value(days, DateType(), new)
        except ProjectorError:
            return format_value(days, DateType())
    return None


RULE = Rule(
    "T104",
    "promotion-out-of-range",
    "Finds dates that the timestamp they are promoted to cannot hold.",
    Level.FOOTERS,
    "Schema Evolution",
    on_change=check,
)
