"""Read the manifest lists of snapshots, each once, and cache them on disk.

A list names all manifests of its snapshot, so the lists of many snapshots repeat each other, and take longer to read
than the few manifests that are new.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

from projector.check.evidence.cache_keys import file_cache_keys
from projector.errors import ProjectorError
from projector.files.cache.database import CacheFile
from projector.files.cache.entries import Pieces
from projector.files.storage.locations import PathResolver
from projector.files.storage.storage import Storage
from projector.metadata.manifests.read import FieldSummary, ManifestContent, ManifestFile, snapshot_manifests
from projector.metadata.snapshots import Snapshot

_NAMES = tuple(each.name for each in fields(ManifestFile))
_CONTENT, _PARTITIONS, _KEY = (_NAMES.index(name) for name in ("content", "partitions", "key_metadata"))


def manifests_of(
    snapshots: Sequence[Snapshot], storage: Storage, resolver: PathResolver, cache: CacheFile | None
) -> Iterable[tuple[Snapshot, tuple[ManifestFile, ...] | ProjectorError]]:
    """Yield the manifests of each snapshot, or the error if they cannot be read."""
    named = [s for s in snapshots if s.manifest_list is not None and s.key_id is None] if cache is not None else []
    locations = resolver.resolve_all([str(snapshot.manifest_list) for snapshot in named])
    cache_keys = dict(zip(map(id, named), file_cache_keys("manifest list", locations, storage), strict=True))
    pieces = Pieces(cache, cache_keys.values())
    for snapshot in snapshots:
        cache_key = cache_keys.get(id(snapshot))
        found = pieces.get(cache_key, _from_bytes)
        if found is None:
            try:
                found = tuple(snapshot_manifests(storage, snapshot, resolver))
            except ProjectorError as error:
                yield snapshot, error
                continue
            if found:  # whether an empty list is valid depends on the snapshot
                pieces.add(cache_key, partial(_to_bytes, found))
        yield snapshot, found
    pieces.save()


def _to_bytes(manifests: Sequence[ManifestFile]) -> bytes:
    return json.dumps([[_plain(getattr(manifest, name)) for name in _NAMES] for manifest in manifests]).encode()


def _plain(value: Any) -> Any:
    match value:
        case bytes():
            return value.hex()
        case tuple():
            return [[_plain(v) for v in (s.contains_null, s.contains_nan, s.lower_bound, s.upper_bound)] for s in value]
    return value


def _from_bytes(piece: bytes) -> tuple[ManifestFile, ...]:
    return tuple(_manifest(values) for values in json.loads(piece))


def _manifest(values: list[Any]) -> ManifestFile:
    values[_CONTENT] = ManifestContent(values[_CONTENT])
    if values[_PARTITIONS] is not None:
        values[_PARTITIONS] = tuple(_summary(*summary) for summary in values[_PARTITIONS])
    values[_KEY] = _bytes(values[_KEY])
    return ManifestFile(*values)


def _summary(contains_null: bool, contains_nan: bool | None, lower: str | None, upper: str | None) -> FieldSummary:
    return FieldSummary(contains_null, contains_nan, _bytes(lower), _bytes(upper))


def _bytes(digits: str | None) -> bytes | None:
    return None if digits is None else bytes.fromhex(digits)
