"""One statistic of one column for every file, by the manifests: for rules that ask it of all files. Kept on disk."""

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
    """A statistic of each file, None where its manifest has none.

    Parameters
    ----------
    name:
        Of the map in the spec: `null_value_counts`, `lower_bounds` and so on.
    cache:
        Where columns are kept; for those that it has, no manifest is read.

    Raises `CorruptFileError`, and as `read_manifest` does.
    """
    key = (name, field_id)
    sources = [run.source for run in files.runs if key not in run.source.metrics]
    recipes = {id(s): _recipe(s.recipe, name, field_id) for s in sources if s.recipe is not None}
    pieces = Pieces(cache, recipes.values())
    found: list[Any] = []
    for run in files.runs:
        source = run.source
        recipe = recipes.get(id(source)) if cache is not None else None
        if key not in source.metrics and recipe is not None:
            column = pieces.get(recipe, partial(_from_bytes, count=len(source.listing)))
            if column is None and (column := _whole(source, name, field_id)) is not None:
                pieces.add(recipe, partial(_to_bytes, column))
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
    """The column of all files of a manifest; None where it is damaged for some, who may be none of those asked for."""
    try:
        return _values(source, range(len(source.listing)), name, field_id)
    except CorruptFileError:
        return None


def _recipe(listing: bytes, name: str, field_id: int) -> bytes:
    return b"metric\n" + hashlib.sha256(listing + f"{name} {field_id}".encode()).digest()


def _to_bytes(column: Column) -> bytes:
    return json.dumps([value.hex() if isinstance(value, bytes) else value for value in column]).encode()


def _from_bytes(piece: bytes, count: int) -> Column:
    found = json.loads(piece)
    if len(found) != count:
        raise ValueError("the column of other files")
    return [bytes.fromhex(value) if isinstance(value, str) else value for value in found]
