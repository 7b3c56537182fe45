"""Building very many objects that stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def built_in_bulk() -> Iterator[None]:
    """Put off the search for reference cycles while very many objects are made that are going to be kept.

    It would look at all of them again and again, for as much time as it takes to make them.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
