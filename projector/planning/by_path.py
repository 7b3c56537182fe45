"""A mapping by data file path, for what deletes say of data files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from projector.files.locations import canonical, without_authority

Value = TypeVar("Value")


@dataclass
class ByPath(Generic[Value]):
    """Values by the path of a data file, however it is spelled.

    Writers may name one file with several schemes or authorities (`hdfs://host/x` for `/x`). A path is looked up by its
    canonical spelling first, and without scheme and authority where that finds nothing.
    """

    _exact: dict[str, Value] = field(default_factory=dict)
    _loose: dict[str, Value] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._exact)

    def get(self, path: str) -> Value | None:
        """The value for a path, or None."""
        found = self._exact.get(canonical(path))
        return found if found is not None else self._loose.get(without_authority(path))

    def setdefault(self, path: str, value: Value) -> Value:
        """The value already there for this very path, else the given one, which is kept."""
        found = self._exact.setdefault(canonical(path), value)
        self._loose.setdefault(without_authority(path), found)
        return found
