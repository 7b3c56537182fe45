"""How far a check has come, told to whoever asked for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage of a check has come.

    Parameters
    ----------
    stage:
        What is done: `footers`, `values` or `filters`.
    done, total:
        Files, or filters on a column; `total` is None if it is not known.
    rows, total_rows:
        Rows of these files; `total_rows` is None if rows do not count in the stage.
    """

    stage: str
    done: int = 0
    total: int | None = None
    rows: int = 0
    total_rows: int | None = None


@dataclass
class ProgressCounter:
    """Keeps count of a check's progress, and tells it after each portion of work."""

    tell: Callable[[Progress], None] | None = None
    _now: Progress = field(default_factory=lambda: Progress(""))

    def begin(self, stage: str, total: int | None, total_rows: int | None = None) -> None:
        """Begin a stage."""
        self._say(Progress(stage, 0, total, 0, total_rows))

    def advance(self, done: int, rows: int) -> None:
        """Count what was done since the last time."""
        if done or rows:
            self._say(replace(self._now, done=self._now.done + done, rows=self._now.rows + rows))

    def _say(self, progress: Progress) -> None:
        self._now = progress
        if self.tell is not None:
            self.tell(progress)
