"""What tells whether something that was made of a file, and kept on disk, still holds: its place and its mark."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from projector.files.shapes.cache import Marks, absolute, may_hold_secrets
from projector.files.storage.storage import Storage


def file_recipes(
    purpose: str, locations: Sequence[str], storage: Storage, more: Sequence[str] | None = None
) -> list[bytes | None]:
    """For each of some files all that what is made of it depends on.

    None where nothing must be kept: the file is not there, or changed a moment ago, or its path may hold secrets.

    Parameters
    ----------
    purpose:
        What is made of the files.
    more:
        For each of them what else it depends on.
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
