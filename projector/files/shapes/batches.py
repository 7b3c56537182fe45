"""Cache on disk the shapes of files that are always read together, such as those of a manifest.

The key of a batch holds the paths, sizes and modification times of all its files, so one lookup answers for thousands
of them. If a file has changed, or another one was added, the files of the batch are looked up one by one.
"""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from itertools import chain

from projector.errors import CorruptFileError, ProjectorError
from projector.files.cache.database import CacheFile
from projector.files.parquet.file_schema import FileSchema
from projector.files.shapes.cache import Marks, ShapeCache, may_hold_secrets
from projector.files.shapes.reader import ShapesRead, read_shapes
from projector.files.shapes.shapes import KnownShapes
from projector.files.storage.storage import Storage

Batch = tuple[list[FileSchema | ProjectorError], list[int]]


def read_shape_batches(
    batches: Sequence[Sequence[str]],
    storage: Storage,
    cache: ShapeCache | None = None,
    executor: Executor | None = None,
    marks: Marks | None = None,
) -> ShapesRead:
    """Return the shape of every file of some batches, one batch after the other. Errors stand in place of schemas.

    Parameters
    ----------
    cache, executor, marks:
        As `read_shapes` takes them.
    """
    if cache is None:
        return read_shapes([*chain.from_iterable(batches)], storage, executor=executor)
    known, file = KnownShapes(), cache.file
    if marks is None:
        marks = Marks.take(
            chain.from_iterable(batches), storage
        )  # before the files are read, so that a change is noticed
    recipes = [_recipe(batch, marks, storage) for batch in batches]
    answers = _Answers(file, known, [recipe for recipe in recipes if recipe is not None])
    found = [
        None if recipe is None else answers.of(recipe, len(batch))
        for recipe, batch in zip(recipes, batches, strict=True)
    ]
    missing = [path for batch, answer in zip(batches, found, strict=True) if answer is None for path in batch]
    if not missing:
        fresh = ShapesRead()
    else:
        fresh = read_shapes(missing, storage, known, executor=executor, cache=cache, marks=marks)
    result, at = ShapesRead(opened=fresh.opened), 0
    pieces: dict[bytes, bytes] = {}
    for recipe, batch, answer in zip(recipes, batches, found, strict=True):
        if answer is None:
            answer = fresh.schemas[at : at + len(batch)], fresh.row_counts[at : at + len(batch)]
            at += len(batch)
            if recipe is not None:
                pieces |= _packed(recipe, answer, known)
        result.schemas += answer[0]
        result.row_counts += answer[1]
    file.store_pieces(pieces)
    return result


def _recipe(batch: Sequence[str], marks: Marks, storage: Storage) -> bytes | None:
    """Return all that the shapes of some files depend on; None if they must not be cached, or a file is missing."""
    by_path = marks.by_path
    text = "\0".join(batch)
    if not batch or ("://" in text and ("?" in text or "@" in text) and any(map(may_hold_secrets, batch))):
        return None
    try:
        figures = array("q", chain.from_iterable(map(by_path.__getitem__, batch)))
    except (KeyError, OverflowError):
        return None
    if not marks.all_settled(figures[1::2]) and None in map(marks.settled, batch):
        return None
    here = "" if all(path.startswith("/") or "://" in path for path in batch) else os.getcwd()
    digest = hashlib.sha256(f"{storage.stores}\n{here}\n{len(batch)}\n".encode("utf-8", "surrogatepass"))
    digest.update(text.encode("utf-8", "surrogatepass"))
    digest.update(figures.tobytes())
    return b"shapes of a batch\n" + digest.digest()


def _packed(recipe: bytes, answer: Batch, known: KnownShapes) -> Mapping[bytes, bytes]:
    """Return the pieces of a batch: its answer, and the fingerprints of its shapes; none if a file has an error."""
    schemas, row_counts = answer
    places: dict[int, int] = {}
    pieces: dict[bytes, bytes] = {}
    for schema in {id(schema): schema for schema in schemas}.values():
        if isinstance(schema, ProjectorError):
            return {}
        fingerprint = known.fingerprint(schema)
        places[id(schema)] = len(places)
        pieces[_shape_recipe(hashlib.sha256(fingerprint).hexdigest())] = fingerprint
    numbers = [places[id(schema)] for schema in schemas] if len(places) > 1 else None
    names = [recipe.rpartition(b" ")[2].decode() for recipe in pieces]
    pieces[recipe] = json.dumps([names, numbers, row_counts]).encode()
    return pieces


def _shape_recipe(digest: str) -> bytes:
    return b"shape " + digest.encode()


class _Answers:
    """The cached answers for batches. Looks up each shape once."""

    def __init__(self, file: CacheFile, known: KnownShapes, recipes: Sequence[bytes]) -> None:
        self._file, self._known = file, known
        self._pieces = file.pieces(recipes)
        self._schemas: dict[str, FileSchema | None] = {}

    def of(self, recipe: bytes, count: int) -> Batch | None:
        """Return the answer for a batch of `count` files, if it is cached."""
        piece = self._pieces.pop(recipe, None)
        if piece is None:
            return None
        try:
            names, numbers, row_counts = json.loads(piece)
            schemas: list[FileSchema | ProjectorError] = [s for s in map(self._schema, names) if s is not None]
            if len(schemas) != len(names) or len(row_counts) != count:
                return None
            return [schemas[0]] * count if numbers is None else [schemas[n] for n in numbers], row_counts
        except (ValueError, TypeError, IndexError):
            return None

    def _schema(self, name: str) -> FileSchema | None:
        if name not in self._schemas:
            recipe = _shape_recipe(name)
            fingerprint = self._file.pieces([recipe]).get(recipe)
            self._schemas[name] = None
            if fingerprint is not None:
                with suppress(CorruptFileError):
                    self._schemas[name] = self._known.adopt(fingerprint)
        return self._schemas[name]
