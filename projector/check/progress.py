"""Report the progress of a check to a callback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of one stage of a check.

    Parameters
    ----------
    stage:
        The stage: `footers`, `values` or `filters`.
    done, total:
        Files, or filters on a column; `total` is None if unknown.
    rows, total_rows:
        Rows of these files; `total_rows` is None if the stage does not count rows.
    """

    stage: str
    done: int = 0
    total: int | None = None
    rows: int = 0
    total_rows: int | None = None


@dataclass
class ProgressCounter:
    """Counts a check's progress and passes it to a callback after each portion of work."""

    callback: Callable[[Progress], None] | None = None
    _now: Progress = field(default_factory=lambda: Progress(""))

    def begin(self, stage: str, total: int | None, total_rows: int | None = None) -> None:
        """Begin a stage."""
        self._set(Progress(stage, 0, total, 0, total_rows))

    def advance(self, done: int, rows: int) -> None:
        """Add what was done since the last call."""
        if done or rows:
            self._set(replace(self._now, done=self._now.done + done, rows=self._now.rows + rows))

    def _set(self, progress: Progress) -> None:
        self._now = progress
        if self.callback is not None:
            self.callback(progress)
