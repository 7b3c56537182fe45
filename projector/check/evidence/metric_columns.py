"""Read one statistic of one column for every file, by the manifests, and cache it on disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from projector.check.evidence.live_files import Files, LiveManifest
from projector.errors import CorruptFileError
from projector.files.cache.database import CacheFile
from projector.files.cache.entries import Pieces

Column = Sequence[Any]


def metric_column(files: Files, name: str, field_id: int, cache: CacheFile | None) -> list[Any]:
    """Return a statistic of each file, None if its manifest does not have it.

    Raises `CorruptFileError`, and as `read_manifest` does.

    Parameters
    ----------
    name:
        The name of the map in the spec: `null_value_counts`, `lower_bounds` and so on.
    cache:
        Cached columns; for those no manifest is read.
    """
    key = (name, field_id)
    sources = [run.source for run in files.runs if key not in run.source.metrics]
    cache_keys = {id(s): _cache_key(s.cache_key, name, field_id) for s in sources if s.cache_key is not None}
    pieces = Pieces(cache, cache_keys.values())
    found: list[Any] = []
    for run in files.runs:
        source = run.source
        cache_key = cache_keys.get(id(source)) if cache is not None else None
        if key not in source.metrics and cache_key is not None:
            column = pieces.get(cache_key, partial(_from_bytes, count=len(source.listing)))
            if column is None and (column := _whole(source, name, field_id)) is not None:
                pieces.add(cache_key, partial(_to_bytes, column))
            if column is not None:
                source.metrics[key] = column
        if key in source.metrics:
            found += run.column(source.metrics[key])
        else:
            found += _values(source, run.indexes, name, field_id)
    pieces.save()
    return found


def _values(source: LiveManifest, indexes: Iterable[int], name: str, field_id: int) -> list[Any]:
    entries = source.entries
    return [entries[index].data_file.metrics.value(name, field_id) for index in indexes]


def _whole(source: LiveManifest, name: str, field_id: int) -> Column | None:
    """Return the column of all files of a manifest; None if it is damaged for some, perhaps files not asked for."""
    try:
        return _values(source, range(len(source.listing)), name, field_id)
    except CorruptFileError:
        return None


def _cache_key(listing: bytes, name: str, field_id: int) -> bytes:
    return b"metric\n" + hashlib.sha256(listing + f"{name} {field_id}".encode()).digest()


def _to_bytes(column: Column) -> bytes:
    return json.dumps([value.hex() if isinstance(value, bytes) else value for value in column]).encode()


def _from_bytes(piece: bytes, count: int) -> Column:
    found = json.loads(piece)
    if len(found) != count:
        raise ValueError("a column of other files")
    return [bytes.fromhex(value) if isinstance(value, str) else value for value in found]
