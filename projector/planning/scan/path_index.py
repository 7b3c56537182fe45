"""A mapping by data file path, for what deletes say of data files."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from projector.files.storage.locations import canonical, parse_location, without_authority

Value = TypeVar("Value")


def _in_other_stores(one: str, other: str) -> bool:
    """Return whether two paths that differ only in scheme and authority are certainly different files.

    They are in two buckets or accounts. HDFS name nodes, however, have several names, and some writers omit the
    authority.
    """
    here, there = parse_location(one), parse_location(other)
    if not here.authority or not there.authority:
        return False
    return here.scheme not in _ALIASED or there.scheme not in _ALIASED


_ALIASED = ("hdfs", "viewfs", "file")


@dataclass
class ByPath(Generic[Value]):
    """Values by the path of a data file, however it is spelled.

    Writers may name one file with several schemes or authorities (`hdfs://host/x` for `/x`). A path therefore finds all
    values of its spelling without scheme and authority; those of its canonical spelling come first.
    """

    _values: dict[str, dict[str, Value]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._values)

    def get(self, path: str, others: Container[str] = ()) -> list[Value]:
        """Return the values for a path.

        Parameters
        ----------
        others:
            Canonical spellings of existing files. A value for one of them does not apply to another file that differs
            only in
            scheme or authority, such as the same key in another bucket.
        """
        found = self._values.get(without_authority(path))
        if found is None:
            return []
        own = canonical(path)
        exact = [found[own]] if own in found else []
        return exact + [
            value
            for name, value in found.items()
            if name != own and name not in others and not _in_other_stores(name, own)
        ]

    def setdefault(self, path: str, value: Value) -> Value:
        """Return the value stored for exactly this path, or store and return the given one."""
        return self._values.setdefault(without_authority(path), {}).setdefault(canonical(path), value)
