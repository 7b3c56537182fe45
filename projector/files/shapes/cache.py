"""Shapes of files kept on disk, so that a file that was read once, and has not changed, is not opened again.

Kept are, for each file, its size, the time of its last change, its rows and its shape; and of each shape the beginning
of the footer that it is parsed from. Folders are known by a digest, so that the cache does not list anyone's buckets.
A file whose size or time differ is read again. Nothing depends on the cache: where it cannot be read or written, files
are read as if there were none. Files that are always asked for together are also kept as batches (`shape_batches`).
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from projector.errors import CorruptFileError, ProjectorError, ProjectorWarning
from projector.files.cache.database import UNREADABLE, CacheFile, proof, proven
from projector.files.parquet.file_schema import FileSchema
from projector.files.shapes.shapes import KnownShapes
from projector.files.storage.storage import Storage

DEFAULT_LIMIT = 512 * 1024 * 1024
"""Bytes that the cache may take on disk; PROJECTOR_CACHE_BYTES says otherwise."""

_SETTLED = 50_000_000
_SETTLED_COARSELY = 2_000_000_000
"""Nanoseconds that must lie between a change and the look at a file: a second change would not show before that. Some
file systems, and object stores, tell times in whole seconds."""

_FEW = 200
"""Files of a folder that are looked up one by one; for more, all of the folder is fetched."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Sizes and times of change of files, looked up at a moment (nanoseconds from 1970)."""

    by_path: Mapping[str, tuple[int, int]]
    taken_at: int

    @staticmethod
    def take(paths: Iterable[str], storage: Storage) -> Marks:
        """The marks of files as they are now."""
        moment = time.time_ns()
        return Marks(storage.marks(paths), moment)

    def settled(self, path: str) -> tuple[int, int] | None:
        """The mark of a file, unless it changed so shortly before that another change might not show."""
        mark = self.by_path.get(path)
        if mark is None:
            return None
        age = self.taken_at - mark[1]
        return mark if age > (_SETTLED_COARSELY if mark[1] % 1_000_000_000 == 0 else _SETTLED) else None

    def all_settled(self, times: Iterable[int]) -> bool:
        """Whether files with these times of change are surely settled, all of them."""
        return self.taken_at - max(times, default=0) > _SETTLED_COARSELY


@dataclass(slots=True)
class Stored:
    """What the cache knows of files, in their order: None for the schema of a file that it does not know."""

    schemas: list[FileSchema | None] = field(default_factory=list)
    row_counts: list[int] = field(default_factory=list)


def cache_folder() -> Path:
    """Where caches are: PROJECTOR_CACHE_DIR, or `projector` in the user's folder of caches (XDG_CACHE_HOME)."""
    given = os.environ.get("PROJECTOR_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        home = str(Path.home() / "Library" / "Caches")
    else:
        home = str(Path.home() / ".cache")
    return Path(os.environ.get("XDG_CACHE_HOME") or home) / "projector"


@dataclass(frozen=True)
class ShapeCache:
    """The shapes kept in a folder. Any number of processes and threads may use it at once.

    Parameters
    ----------
    folder:
        Where its file is; made when something is kept.
    limit:
        Bytes it may take. Beyond that, the folders not used for the longest time are dropped.
    """

    folder: Path
    limit: int = DEFAULT_LIMIT

    @property
    def file(self) -> CacheFile:
        """The database that they are in."""
        return CacheFile(self.folder, self.limit)

    def look_up(self, paths: Sequence[str], storage: Storage, known: KnownShapes, marks: Marks | None = None) -> Stored:
        """The shapes of the files that are known and have not changed since; `marks` where they are known already."""
        unknown = Stored([None] * len(paths), [0] * len(paths))
        file = self.file
        if not file.path.exists():
            return unknown
        try:
            with file.database() as database:
                return self._look_up(database, paths, storage, known, marks)
        except UNREADABLE:
            file.drop_if_damaged()
            return unknown

    def _look_up(
        self,
        database: sqlite3.Connection,
        paths: Sequence[str],
        storage: Storage,
        known: KnownShapes,
        marks: Marks | None,
    ) -> Stored:
        key = self.file.key()
        kept: dict[str, tuple[int, int, int, int, bytes, bytes]] = {}
        for folder, names in _by_folder(paths).items():
            digest = _digest(folder, storage)
            row = database.execute("SELECT id FROM folders WHERE digest = ?", (digest,)).fetchone()
            if row is None:
                continue
            found: Iterable[tuple[str, int, int, int, int, bytes]]
            columns = "SELECT name, size, mark, shape, row_count, proof FROM files WHERE folder = ?"
            if len(names) > _FEW:
                found = database.execute(columns, row)
            else:
                found = (
                    each
                    for name in names
                    for each in database.execute(f"{columns} AND name = ?", (*row, name[len(folder) :]))
                )
            kept |= {folder + name: (*entry, proof_of_file, digest) for name, *entry, proof_of_file in found}
        if not kept:
            return Stored([None] * len(paths), [0] * len(paths))
        now = storage.marks(path for path in paths if path in kept) if marks is None else marks.by_path
        schemas = self._schemas(database, {entry[2] for entry in kept.values()}, known, key)
        result = Stored()
        add_schema, add_rows = result.schemas.append, result.row_counts.append
        for path in paths:
            entry = kept.get(path)
            if entry is not None and entry[:2] == now.get(path) and entry[2] in schemas:
                size, mark, shape, rows, proof_of_file, digest = entry
                schema, proof_of_shape = schemas[shape]
                said = _said(_split(path)[1], size, mark, rows)
                if proven(proof_of_file, key, digest, said, proof_of_shape):
                    add_schema(schema)
                    add_rows(rows)
                    continue
            add_schema(None)
            add_rows(0)
        return result

    def _schemas(
        self, database: sqlite3.Connection, numbers: set[int], known: KnownShapes, key: bytes
    ) -> dict[int, tuple[FileSchema, bytes]]:
        """Return schemas by their numbers, with the proofs of their shapes."""
        found: dict[int, tuple[FileSchema, bytes]] = {}
        for number in numbers:
            query = "SELECT fingerprint, proof FROM shapes WHERE id = ?"
            for fingerprint, proof_of_shape in database.execute(query, (number,)):
                if proven(proof_of_shape, key, fingerprint):
                    with suppress(CorruptFileError):
                        found[number] = known.adopt(fingerprint), proof_of_shape
        return found

    def keep(
        self,
        paths: Sequence[str],
        marks: Marks,
        schemas: Sequence[FileSchema | ProjectorError],
        row_counts: Sequence[int],
        known: KnownShapes,
        storage: Storage,
    ) -> None:
        """Remember files that were read, with the marks that they had before that.

        Not kept are those without a mark, those that could not be read, and those changed a moment before.
        """
        self.file.write(lambda database: self._keep(database, paths, marks, schemas, row_counts, known, storage))

    def _keep(
        self,
        database: sqlite3.Connection,
        paths: Sequence[str],
        marks: Marks,
        schemas: Sequence[FileSchema | ProjectorError],
        row_counts: Sequence[int],
        known: KnownShapes,
        storage: Storage,
    ) -> None:
        key = self.file.key(make=True)
        folders: dict[str, tuple[int, bytes]] = {}
        numbers: dict[int, tuple[int, bytes]] = {}
        rows: list[tuple[int, str, int, int, int, int, bytes]] = []
        for path, schema, count in zip(paths, schemas, row_counts, strict=True):
            mark = marks.settled(path)
            folder, name = _split(path)
            if mark is None or isinstance(schema, ProjectorError) or may_hold_secrets(path):
                continue
            if folder not in folders:
                digest = _digest(folder, storage)
                number = _number(
                    database,
                    "INSERT INTO folders (digest, used) VALUES (?1, ?2)"
                    " ON CONFLICT (digest) DO UPDATE SET used = ?2 RETURNING id",
                    (digest, int(time.time())),
                )
                folders[folder] = number, digest
            if id(schema) not in numbers:
                fingerprint = known.fingerprint(schema)
                proof_of_shape = proof(key, fingerprint)
                number = _number(
                    database,
                    "INSERT INTO shapes (fingerprint, proof) VALUES (?1, ?2)"
                    " ON CONFLICT (fingerprint) DO UPDATE SET proof = ?2 RETURNING id",
                    (fingerprint, proof_of_shape),
                )
                numbers[id(schema)] = number, proof_of_shape
            shape, proof_of_shape = numbers[id(schema)]
            proof_of_file = proof(key, folders[folder][1], _said(name, *mark, count), proof_of_shape)
            rows.append((folders[folder][0], name, *mark, shape, count, proof_of_file))
        database.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        database.commit()


def default_cache() -> ShapeCache | None:
    """The cache of this user; None if PROJECTOR_CACHE_BYTES is 0, and, with a warning, if others may change it."""
    try:
        limit = int(os.environ.get("PROJECTOR_CACHE_BYTES") or DEFAULT_LIMIT)
        if limit <= 0:
            return None
        cache = ShapeCache(cache_folder(), limit)
        trouble = cache.file.why_not_private()
    except (ValueError, RuntimeError, OSError):  # no number, no home, no access
        return None
    if trouble is None:
        return cache
    warnings.warn(
        f"the cache in {cache.folder} is not used, because {trouble}: what it says could be forged; make it yours alone"
        " (chmod 700 for the folder, 600 for its files), delete it, or set PROJECTOR_CACHE_DIR to another folder",
        ProjectorWarning,
        stacklevel=3,
    )
    return None


def _said(name: str, size: int, mark: int, rows: int) -> bytes:
    """Return what the cache says of a file."""
    return f"{size} {mark} {rows} {name}".encode("utf-8", "surrogatepass")


def _number(database: sqlite3.Connection, statement: str, values: tuple[object, ...]) -> int:
    (number,) = database.execute(statement, values).fetchone()
    return int(number)


def _split(path: str) -> tuple[str, str]:
    at = path.rfind("/") + 1
    return path[:at], path[at:]


def _by_folder(paths: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(path[: path.rfind("/") + 1], []).append(path)
    return found


def _digest(folder: str, storage: Storage) -> bytes:
    """What a folder is known by: its path, made absolute, and the store that it is in."""
    return hashlib.sha256(f"{storage.stores}\n{absolute(folder or '.')}".encode("utf-8", "surrogatepass")).digest()


def absolute(path: str) -> str:
    """A path that means the same wherever it is asked for."""
    return path if "://" in path or path.startswith("/") else os.path.abspath(path)


def may_hold_secrets(path: str) -> bool:
    """Whether something beside a name may be in a path: a signature behind a question mark, a password."""
    return "://" in path and ("?" in path or "@" in path.partition("://")[2].partition("/")[0])
