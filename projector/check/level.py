"""How much a check looks at: its level, and at level `values` how many files of each kind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """How much is looked at; each level includes those before it."""

    SCHEMA = 0
    """The metadata; no data file is opened."""
    FOOTERS = 1
    """The footers of live data files."""
    VALUES = 2
    """The values in them."""

    @staticmethod
    def of(text: str | Level) -> Level:
        """A level by its name in lower case."""
        return text if isinstance(text, Level) else Level[text.upper()]

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How much of each kind of file is read; a kind is a shape, a partition spec, and the kinds of deletes that apply.

    Parameters
    ----------
    files:
        Files at most; None for all.
    rows:
        Whole files, the smallest first, until they have this many rows; None for all.
    """

    files: int | None = None
    rows: int | None = None

    @property
    def is_all(self) -> bool:
        """Whether every file is read."""
        return self.files is None and self.rows is None


EVERY_FILE = SampleSize()
