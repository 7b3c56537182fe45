"""How deep a check reads: its level, and at level `values` how many files of each kind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """How deep a check reads; each level includes those before it."""

    SCHEMA = 0
    """The metadata alone; the check opens no manifest and no data file."""
    FOOTERS = 1
    """Manifests, and the footers of live data files."""
    VALUES = 2
    """The values in live data files."""

    @staticmethod
    def of(text: str | Level) -> Level:
        """Return the level of a name in lower case."""
        return text if isinstance(text, Level) else Level[text.upper()]

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How many files of each kind to read; a kind is a shape, a partition spec, and the kinds of deletes that apply.

    Parameters
    ----------
    files:
        The most files to read; None for all.
    rows:
        Read whole files, the smallest first, until they have this many rows; None for all.
    """

    files: int | None = None
    rows: int | None = None

    @property
    def is_all(self) -> bool:
        """Whether every file is read."""
        return self.files is None and self.rows is None


EVERY_FILE = SampleSize()
