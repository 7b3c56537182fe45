"""Cache the manifests that this process has decoded. They never change, so the next plan need not decode them again.

A manifest is identified by its location and by everything that its entries inherit from the manifest list; a local one
also by its inode, size and times, because another table may come to its location with the old times (`cp -p`,
archives); others by the store. The cache is bounded; a manifest that is too long is not cached. See docs/adr/0007.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from threading import Lock

from projector.files.cache.lru import LruCache
from projector.files.storage.locations import PathResolver
from projector.files.storage.storage import RandomAccess, Storage
from projector.files.storage.tails import plain_local_path
from projector.metadata.manifests.model import ManifestEntry, ManifestFile
from projector.metadata.manifests.read import read_manifest

MOST_BYTES = 96 << 20
"""The most memory that all cached manifests take, as far as it can be estimated."""

_LONGEST = 2 << 20
_BYTES_OF_ENTRY = 1800
_INFLATED = 4

_kept: LruCache[tuple[object, ...], tuple[ManifestEntry, ...]] = LruCache(MOST_BYTES)
_lock = Lock()


def is_kept(storage: Storage, manifest: ManifestFile, resolver: PathResolver) -> bool:
    """Return whether the entries of a manifest are cached."""
    with _lock:
        return _kept.get(_key(storage, manifest, resolver.resolve(manifest.path))) is not None


def manifest_entries(
    storage: Storage, manifest: ManifestFile, resolver: PathResolver, opened: RandomAccess | None = None
) -> Iterator[ManifestEntry]:
    """Yield all entries of a manifest, and raise, as `read_manifest` does; a manifest read to its end is cached."""
    key = _key(storage, manifest, resolver.resolve(manifest.path))
    with _lock:
        known = _kept.get(key)
    if known is not None:
        if opened is not None:
            opened.close()
        yield from known
        return
    entries = read_manifest(storage, manifest, resolver, opened)
    if manifest.length > _LONGEST:
        yield from entries
        return
    read: list[ManifestEntry] = []
    for entry in entries:
        read.append(entry)
        yield entry
    with _lock:
        _kept.put(key, tuple(read), _INFLATED * manifest.length + _BYTES_OF_ENTRY * len(read))


def forget() -> None:
    """Clear the cache."""
    with _lock:
        _kept.clear()


def _key(storage: Storage, manifest: ManifestFile, location: str) -> tuple[object, ...]:
    inherited = manifest.spec_id, manifest.sequence_number, manifest.added_snapshot_id, manifest.first_row_id
    where: object = None
    local = plain_local_path(location)
    if local is None:
        where = storage.stores
    else:
        with suppress(OSError):
            status = os.stat(local)
            where = status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    return location, manifest.length, where, *inherited
