"""Counts of what a check read, and the files that it could not read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from projector.errors import ProjectorError


@dataclass(frozen=True, slots=True)
class LookedAt:
    """Counts of what a check read.
    Parameters
    ----------
    snapshots, manifests, data_files, delete_files:
        Counts from metadata and manifests.
    footers, shapes, rows:
        Footers, their distinct shapes, and the rows of their files.
    values_rows, values_files, engines, filters:
        Rows and files whose values were compared, the engines that read them, and the filters that were tried.
    rows_by_engine:
        Rows that each engine read itself, without falling back to Arrow; for `rows`, the oracle, rows that it judged.
    proved_columns:
        Columns that were not compared because the change cannot alter them: every file yields them from the same place
        in the same way, before and after.
    rules:
        Rules that ran.
    """

    snapshots: int = 0
    manifests: int = 0
    data_files: int = 0
    delete_files: int = 0
    footers: int = 0
    shapes: int = 0
    rows: int = 0
    values_files: int = 0
    values_rows: int = 0
    engines: tuple[str, ...] = ()
    filters: int = 0
    rows_by_engine: Mapping[str, int] = field(default_factory=dict)
    proved_columns: int = 0
    rules: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON."""
        return {f.name: _json(getattr(self, f.name)) for f in fields(self)}


def _json(value: Any) -> Any:
    match value:
        case tuple():
            return list(value)
        case Mapping():
            return dict(value)
        case _:
            return value


NOTHING_LOOKED_AT = LookedAt()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that could not be read, and why."""

    file: str
    reason: str
    error: ProjectorError | None = field(default=None, compare=False, repr=False)
    kind: str = "data file"
