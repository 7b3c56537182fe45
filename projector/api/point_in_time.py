"""Choose the snapshot that a scan reads, and its schema (spec: Point in Time Reads, Snapshot References)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from projector.errors import ParseError, ProjectorError
from projector.metadata.snapshots import Snapshot
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema


@dataclass(frozen=True, slots=True)
class PointInTime:
    """The snapshot to read, None for a table without any, and the schema to read it with."""

    snapshot: Snapshot | None
    schema: Schema


def choose_point(
    metadata: TableMetadata,
    *,
    snapshot_id: int | None = None,
    ref: str | None = None,
    as_of: datetime | int | str | None = None,
) -> PointInTime:
    """Return the snapshot and schema to read. At most one argument may be given; without one, the current state is
    read.

    A snapshot, a tag and a time are read with the snapshot's own schema, or with the current one if it records none. A
    branch is read with the table's current schema.

    Raises
    ------
    NotFoundError
        The table has no such snapshot, ref or time.
    ProjectorError
        More than one argument is given.
    """
    if sum(given is not None for given in (snapshot_id, ref, as_of)) > 1:
        raise ProjectorError("Cannot combine snapshot_id, ref and as_of", hint="give one of them")
    if ref is not None:
        snapshot = metadata.snapshot_by_ref(ref)
        return PointInTime(snapshot, metadata.schema() if metadata.refs[ref].is_branch else _own(metadata, snapshot))
    if snapshot_id is not None:
        snapshot = metadata.snapshot(snapshot_id)
        return PointInTime(snapshot, _own(metadata, snapshot))
    if as_of is not None:
        snapshot = metadata.snapshot_as_of(_milliseconds(as_of))
        return PointInTime(snapshot, _own(metadata, snapshot))
    return PointInTime(metadata.current_snapshot, metadata.schema())


def _own(metadata: TableMetadata, snapshot: Snapshot) -> Schema:
    return metadata.schema(snapshot.schema_id)


def _milliseconds(as_of: datetime | int | str) -> int:
    if isinstance(as_of, bool) or not isinstance(as_of, (datetime, int, str)):
        raise ProjectorError(f"Invalid time: {as_of!r}", hint="give a datetime, ISO text, or milliseconds")
    if isinstance(as_of, int):
        return as_of
    moment = _parsed(as_of) if isinstance(as_of, str) else as_of
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    # Whole milliseconds, without the rounding of a float.
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000


def _parsed(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ParseError(f"Invalid time: {text!r}", text=text, hint="write it as 2024-05-01T12:00:00+00:00") from None
