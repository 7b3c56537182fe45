"""A mapping by data file path, for what deletes say of data files."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from projector.files.storage.locations import canonical, parse_location, without_authority

Value = TypeVar("Value")


def _in_other_stores(one: str, other: str) -> bool:
    """Whether two paths, alike but for scheme and authority, are surely of two files: in two buckets or accounts.

    The name nodes of HDFS go by several names, and some writers leave the authority out.
    """
    here, there = parse_location(one), parse_location(other)
    if not here.authority or not there.authority:
        return False
    return here.scheme not in _ALIASED or there.scheme not in _ALIASED


_ALIASED = ("hdfs", "viewfs", "file")


@dataclass
class ByPath(Generic[Value]):
    """Values by the path of a data file, however it is spelled.

    Writers may name one file with several schemes or authorities (`hdfs://host/x` for `/x`), so what is found for a
    path is all that has it without scheme and authority; what has its canonical spelling comes first.
    """

    _values: dict[str, dict[str, Value]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._values)

    def get(self, path: str, others: Container[str] = ()) -> list[Value]:
        """The values for a path.

        Parameters
        ----------
        others:
            Canonical spellings of files that are surely there. What is meant for one of them is not for another that
            only differs from it in scheme or authority, such as the same key in another bucket.
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
        """The value already there for this very path, else the given one, which is kept."""
        return self._values.setdefault(without_authority(path), {}).setdefault(canonical(path), value)
