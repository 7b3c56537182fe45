"""Falling back from an engine's own reader to the Arrow executor, in the middle of a scan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, Self, TypeVar


class Rows(Protocol):
    """A batch of rows that can be cut: an Arrow record batch, or a Polars frame."""

    def __len__(self) -> int: ...
    def slice(self, offset: int) -> Self:
        """Return the rows from an offset on."""
        ...


R = TypeVar("R", bound=Rows)


def skip_rows(batches: Iterable[R], count: int) -> Iterator[R]:
    """Yield batches without their first `count` rows, which the engine returned before it failed."""
    for batch in batches:
        if len(batch) > count:
            yield batch.slice(count)
        count = max(0, count - len(batch))
