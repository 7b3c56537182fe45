"""Store caches on disk: one database of bounded size for all processes and threads of a user.

Beside the tables of shapes and files, it stores *pieces*. A piece is an answer, stored under a recipe: the bytes of all
that the answer depends on, which is the question, and the sizes and modification times of the files it came from. If a
file changes, so does the recipe, and the old piece is not found. The database holds only a digest of the recipe, and
the answer is sealed with another digest: its locations and values cannot be read without knowing the question. Names of
files and columns, but not of folders, are in the other tables in clear.

Every entry carries a proof made with a secret key of the user. Entries that were altered, or come from elsewhere, are
rejected. A folder or a file that others may write is not used either.

Everything works without the cache: if it cannot be read or written, it is as if empty. If it is damaged, it is deleted
and rebuilt.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from projector.files.cache.private import why_not_private

FORMAT = 3
"""Part of the file's name, so that files of other versions are not read."""

UNREADABLE = (sqlite3.Error, OSError, ValueError, TypeError, OverflowError)
"""Errors that a file causes which is damaged, locked, or not ours."""

_NO_DAMAGE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_NOMEM,
)
"""Errors of SQLite that do not mean that a file is damaged."""

_KEY_BYTES = 32
_PROOF_BYTES = 16

_TABLES = """
CREATE TABLE IF NOT EXISTS shapes (id INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL UNIQUE, proof BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS folders (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, used INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS files (
    folder INTEGER NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL, mark INTEGER NOT NULL, shape INTEGER NOT NULL,
    row_count INTEGER NOT NULL, proof BLOB NOT NULL, PRIMARY KEY (folder, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pieces (digest BLOB PRIMARY KEY, used INTEGER NOT NULL, sealed BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pieces_by_use ON pieces (used);
"""
_A_DAY = 24 * 60 * 60


@dataclass(frozen=True)
class CacheFile:
    """The database in a folder.

    Parameters
    ----------
    folder:
        Its folder, created by the first write.
    limit:
        The most bytes that it may take. Beyond that, the least recently used entries are evicted.
    """

    folder: Path
    limit: int

    @property
    def path(self) -> Path:
        """The database itself."""
        return self.folder / f"cache-{FORMAT}.sqlite"

    @property
    def key_path(self) -> Path:
        """The file of the secret key for the proofs."""
        return self.folder / f"key-{FORMAT}"

    def why_not_private(self) -> str | None:
        """Return what lets others change the cache, as the end of a sentence; None if nothing does.

        Raises
        ------
        OSError
            If a path cannot be examined.
        """
        return why_not_private((self.folder, self.key_path, self.path, *self._journals()))

    def _journals(self) -> list[Path]:
        return [Path(f"{self.path}{ending}") for ending in ("-wal", "-shm", "-journal")]

    def key(self, make: bool = False) -> bytes:
        """Return the secret key. If there is none and `make` is set, create one.

        Raises
        ------
        OSError, ValueError
            If the key is missing or damaged, or cannot be read or written.
        """
        with suppress(FileNotFoundError):
            key = self.key_path.read_bytes()
            if len(key) == _KEY_BYTES:
                return key
        if not make:
            raise ValueError("no key")
        key = secrets.token_bytes(_KEY_BYTES)
        number, name = tempfile.mkstemp(dir=self.folder, prefix=".key-")  # only this user can read it
        with os.fdopen(number, "wb") as file:
            file.write(key)
        os.replace(name, self.key_path)  # if two processes race, one wins, and the entries of the other are rejected
        return key

    def pieces(self, recipes: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the stored pieces among some recipes."""
        found: dict[bytes, bytes] = {}
        if not self.path.exists():
            return found
        try:
            old, now = [], int(time.time())
            with self.database() as database:
                key = self.key()
                for recipe in recipes:
                    digest = _digest(b"name", recipe)
                    row = database.execute("SELECT used, sealed FROM pieces WHERE digest = ?", (digest,)).fetchone()
                    if row is None or not proven(row[1][:_PROOF_BYTES], key, digest, row[1][_PROOF_BYTES:]):
                        continue
                    found[recipe] = zlib.decompress(_sealed(recipe, row[1][_PROOF_BYTES:]))
                    if row[0] < now - _A_DAY:
                        old.append((now, digest))
            if old:
                with suppress(*UNREADABLE), self.database(write=True) as database:
                    database.executemany("UPDATE pieces SET used = ? WHERE digest = ?", old)
                    database.commit()
        except UNREADABLE:
            self.drop_if_damaged()
        return found

    def store_pieces(self, pieces: Mapping[bytes, bytes]) -> None:
        """Store pieces by their recipes."""
        if not pieces:
            return

        def store(database: sqlite3.Connection) -> None:
            now, key = int(time.time()), self.key(make=True)
            rows = ((digest := _digest(b"name", r), now, _proven(key, digest, r, piece)) for r, piece in pieces.items())
            database.executemany("INSERT OR REPLACE INTO pieces VALUES (?, ?, ?)", rows)
            database.commit()

        self.write(store)

    def write(self, store: Callable[[sqlite3.Connection], None]) -> None:
        """Call `store` with a connection, then evict down to the limit. Ignore errors; delete a damaged file."""
        try:
            with self.database(write=True) as database:
                store(database)
                self.shrink(database)
        except UNREADABLE:
            self.drop_if_damaged()

    @contextmanager
    def database(self, write: bool = False) -> Iterator[sqlite3.Connection]:
        """Open a connection. If `write` is set, create missing tables.

        Raises
        ------
        PermissionError
            If others may change the cache.
        """
        if write:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        trouble = self.why_not_private()
        if trouble is not None:
            raise PermissionError(trouble)
        if write:
            with suppress(FileExistsError):  # the mode of a file that SQLite makes depends on the umask
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(self.path, timeout=10)) as database:
            if write:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = NORMAL")
                database.executescript(_TABLES)
            yield database

    def shrink(self, database: sqlite3.Connection) -> None:
        """Evict the least recently used entries until the file is within its limit."""
        (page,) = database.execute("PRAGMA page_size").fetchone()
        while True:
            (pages,) = database.execute("PRAGMA page_count").fetchone()
            (free,) = database.execute("PRAGMA freelist_count").fetchone()
            if (pages - free) * page <= self.limit:
                break
            if not self._evict_oldest(database):
                database.execute("DELETE FROM shapes")
                break
            database.commit()
        if pages * page > self.limit:
            database.execute("VACUUM")

    def _evict_oldest(self, database: sqlite3.Connection) -> bool:
        """Evict a folder or a sixteenth of the pieces, whichever is older. Return False if there is neither."""
        folder = database.execute("SELECT used, id FROM folders ORDER BY used, id LIMIT 1").fetchone()
        piece = database.execute("SELECT used FROM pieces ORDER BY used LIMIT 1").fetchone()
        if piece is not None and (folder is None or piece[0] <= folder[0]):
            oldest = "SELECT digest FROM pieces ORDER BY used LIMIT 1 + (SELECT count(*) FROM pieces) / 16"
            database.execute(f"DELETE FROM pieces WHERE digest IN ({oldest})")
            return True
        if folder is None:
            return False
        database.execute("DELETE FROM files WHERE folder = ?", folder[1:])
        database.execute("DELETE FROM folders WHERE id = ?", folder[1:])
        database.execute("DELETE FROM shapes WHERE id NOT IN (SELECT DISTINCT shape FROM files)")
        return True

    def drop_if_damaged(self) -> None:
        """Delete the file if it is not a sound database with the tables of this version, so that it is rebuilt."""
        with suppress(*UNREADABLE):
            if self.why_not_private() is None and not self._is_sound():
                for path in (self.path, *self._journals()):
                    path.unlink(missing_ok=True)

    def _is_sound(self) -> bool:
        try:
            with self.database() as database, closing(sqlite3.connect(":memory:")) as expected:
                expected.executescript(_TABLES)
                tables = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
                found = database.execute(tables).fetchall()
                if found and found != expected.execute(tables).fetchall():
                    return False
                return bool(database.execute("PRAGMA quick_check").fetchone() == ("ok",))
        except sqlite3.Error as error:
            return (getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF) in _NO_DAMAGE
        except ValueError:  # names or messages that are not text
            return False


def proof(key: bytes, *parts: bytes) -> bytes:
    """Return the proof that these parts were stored together by a holder of the key."""
    return hashlib.blake2b(
        b"".join(len(p).to_bytes(8, "little") + p for p in parts), digest_size=_PROOF_BYTES, key=key
    ).digest()


def proven(claimed: bytes, key: bytes, *parts: bytes) -> bool:
    """Return whether a proof is right for some parts. In a damaged database, values may have any type."""
    if not all(isinstance(each, bytes) for each in (claimed, *parts)):
        return False
    return hmac.compare_digest(claimed, proof(key, *parts))


def _proven(key: bytes, digest: bytes, recipe: bytes, piece: bytes) -> bytes:
    sealed = _sealed(recipe, zlib.compress(piece, 1))
    return proof(key, digest, sealed) + sealed


def _digest(purpose: bytes, recipe: bytes) -> bytes:
    return hashlib.sha256(purpose + b"\0" + recipe).digest()


def _sealed(recipe: bytes, content: bytes) -> bytes:
    """Seal content by its recipe, or open sealed content: both are the same operation."""
    stream = hashlib.shake_256(b"seal\0" + recipe).digest(len(content))
    both = int.from_bytes(content, "little") ^ int.from_bytes(stream, "little")
    return both.to_bytes(len(content), "little")
