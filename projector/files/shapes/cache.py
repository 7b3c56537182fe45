"""Cache the shapes of files on disk, so that an unchanged file is opened once only.

The cache stores of each file its size, modification time, rows and shape; and of each shape the beginning of the footer
that it is parsed from. It stores only a digest of folders, so that it does not list a user's buckets. A file whose size
or time differs is read again. If the cache cannot be read or written, files are read as if there were none. Files that
are always read together are also cached as batches (`batches`).
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
"""The most bytes that the cache takes on disk, unless PROJECTOR_CACHE_BYTES is set."""

_SETTLED = 50_000_000
_SETTLED_COARSELY = 2_000_000_000
"""Nanoseconds that must lie between a change of a file and its mark: a second change within them might not alter the
mark. Some file systems, and object stores, record times in whole seconds."""

_FEW = 200
"""Up to so many files of a folder are looked up one by one. For more, the whole folder is fetched."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Sizes and modification times of files, as of a moment (nanoseconds from 1970)."""

    by_path: Mapping[str, tuple[int, int]]
    taken_at: int

    @staticmethod
    def take(paths: Iterable[str], storage: Storage) -> Marks:
        """Return the present marks of files."""
        moment = time.time_ns()
        return Marks(storage.marks(paths), moment)

    def settled(self, path: str) -> tuple[int, int] | None:
        """Return the mark of a file; None if it changed so recently that another change might not show."""
        mark = self.by_path.get(path)
        if mark is None:
            return None
        age = self.taken_at - mark[1]
        return mark if age > (_SETTLED_COARSELY if mark[1] % 1_000_000_000 == 0 else _SETTLED) else None

    def all_settled(self, times: Iterable[int]) -> bool:
        """Return whether all files with these modification times are certainly settled."""
        return self.taken_at - max(times, default=0) > _SETTLED_COARSELY


@dataclass(slots=True)
class Stored:
    """What the cache holds of some files, in their order. The schema of a file that it does not hold is None."""

    schemas: list[FileSchema | None] = field(default_factory=list)
    row_counts: list[int] = field(default_factory=list)


def cache_folder() -> Path:
    """Return the folder of the cache: PROJECTOR_CACHE_DIR, or `projector` in the user's caches (XDG_CACHE_HOME)."""
    folder = os.environ.get("PROJECTOR_CACHE_DIR")
    if folder:
        return Path(folder)
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        home = str(Path.home() / "Library" / "Caches")
    else:
        home = str(Path.home() / ".cache")
    return Path(os.environ.get("XDG_CACHE_HOME") or home) / "projector"


@dataclass(frozen=True)
class ShapeCache:
    """A cache of shapes in a folder. Any number of processes and threads may use it at once.

    Parameters
    ----------
    folder:
        The folder of its file, created by the first write.
    limit:
        The most bytes that it takes. Beyond that, the least recently used folders are evicted.
    """

    folder: Path
    limit: int = DEFAULT_LIMIT

    @property
    def file(self) -> CacheFile:
        """The database of the cache."""
        return CacheFile(self.folder, self.limit)

    def look_up(self, paths: Sequence[str], storage: Storage, known: KnownShapes, marks: Marks | None = None) -> Stored:
        """Return the cached shapes of unchanged files. `marks` saves looking them up, if the caller has them."""
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
        cached: dict[str, tuple[int, int, int, int, bytes, bytes]] = {}
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
            cached |= {folder + name: (*entry, proof_of_file, digest) for name, *entry, proof_of_file in found}
        if not cached:
            return Stored([None] * len(paths), [0] * len(paths))
        now = storage.marks(path for path in paths if path in cached) if marks is None else marks.by_path
        schemas = self._schemas(database, {entry[2] for entry in cached.values()}, known, key)
        result = Stored()
        add_schema, add_rows = result.schemas.append, result.row_counts.append
        for path in paths:
            entry = cached.get(path)
            if entry is not None and entry[:2] == now.get(path) and entry[2] in schemas:
                size, mark, shape, rows, proof_of_file, digest = entry
                schema, proof_of_shape = schemas[shape]
                claims = _claims(_split(path)[1], size, mark, rows)
                if proven(proof_of_file, key, digest, claims, proof_of_shape):
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

    def store(
        self,
        paths: Sequence[str],
        marks: Marks,
        schemas: Sequence[FileSchema | ProjectorError],
        row_counts: Sequence[int],
        known: KnownShapes,
        storage: Storage,
    ) -> None:
        """Store the shapes of files that were read, with the marks that they had before the read.

        Skip files without a mark, files that could not be read, and files that changed a moment before.
        """
        self.file.write(lambda database: self._store(database, paths, marks, schemas, row_counts, known, storage))

    def _store(
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
            proof_of_file = proof(key, folders[folder][1], _claims(name, *mark, count), proof_of_shape)
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
    except (ValueError, RuntimeError, OSError):  # not a number, no home folder, no access
        return None
    if trouble is None:
        return cache
    warnings.warn(
        f"the cache in {cache.folder} is not used, because {trouble}: its content could be forged; restrict it to your"
        " user (chmod 700 for the folder, 600 for its files), delete it, or set PROJECTOR_CACHE_DIR to another folder",
        ProjectorWarning,
        stacklevel=3,
    )
    return None


def _claims(name: str, size: int, mark: int, rows: int) -> bytes:
    """Return the bytes that the proof of a file covers."""
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
    """Return the digest of a folder: of its absolute path and its store."""
    return hashlib.sha256(f"{storage.stores}\n{absolute(folder or '.')}".encode("utf-8", "surrogatepass")).digest()


def absolute(path: str) -> str:
    """Return a path that means the same in every working directory."""
    return path if "://" in path or path.startswith("/") else os.path.abspath(path)


def may_hold_secrets(path: str) -> bool:
    """Return whether a path may hold more than a name: a signature after a question mark, or a password."""
    return "://" in path and ("?" in path or "@" in path.partition("://")[2].partition("/")[0])
