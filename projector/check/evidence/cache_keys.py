"""Make cache keys for facts about files: a key changes when the file's location, size or time of change does."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from projector.files.shapes.cache import Marks, absolute, may_hold_secrets
from projector.files.storage.storage import Storage


def file_cache_keys(
    purpose: str, locations: Sequence[str], storage: Storage, more: Sequence[str] | None = None
) -> list[bytes | None]:
    """Return a cache key for each file.

    None if nothing about the file may be cached: it does not exist, changed a moment ago, or its path may hold secrets.

    Parameters
    ----------
    purpose:
        What is cached about the files.
    more:
        For each file, what else that depends on.
    """
    marks = Marks.take(locations, storage)
    found: list[bytes | None] = []
    for location, also in zip(locations, more or [""] * len(locations), strict=True):
        mark = marks.settled(location)
        if mark is None or may_hold_secrets(location):
            found.append(None)
            continue
        text = f"{storage.stores}\n{mark}\n{also}\n{absolute(location)}"
        found.append(f"{purpose}\n".encode() + hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    return found
