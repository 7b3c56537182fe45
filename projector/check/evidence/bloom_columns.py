"""Find the columns of a file that have bloom filters, and cache the answer on disk: it is deep in the footer."""

from __future__ import annotations

import json

from projector.check.evidence.cache_keys import file_cache_keys
from projector.check.evidence.live_files import LiveFile
from projector.errors import ProjectorError
from projector.files.cache.database import CacheFile
from projector.files.cache.entries import Pieces
from projector.files.parquet.bloom_filters import leaves_with_bloom_filters
from projector.files.parquet.footer import read_footer
from projector.files.storage.storage import Storage


def bloom_leaves(file: LiveFile, storage: Storage, cache: CacheFile | None) -> frozenset[int]:
    """Return the indexes of the leaf columns with bloom filters; none if the file cannot be read."""
    (cache_key,) = [None] if cache is None else file_cache_keys("bloom filters", [file.location], storage)
    pieces = Pieces(cache, [cache_key])
    found = pieces.get(cache_key, _from_bytes)
    if found is not None:
        return found
    try:
        with storage.open(file.location) as source:
            found = leaves_with_bloom_filters(read_footer(source, file.path))
    except ProjectorError:
        return frozenset()
    pieces.add(cache_key, json.dumps(sorted(found)).encode)
    pieces.save()
    return found


def _from_bytes(piece: bytes) -> frozenset[int]:
    return frozenset(json.loads(piece))
