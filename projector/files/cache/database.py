"""The file that caches are kept in: one database for all processes and threads of a user, of bounded size.

Beside tables of its own that a cache may have, it keeps *pieces*: answers, each by a recipe that holds everything which
the answer depends on (what was asked, and the sizes and times of change of the files it came from). Where a file is
another now, so is the recipe, and nothing is found. Only a digest of the recipe is kept, and the answer is sealed with
another: who does not know what was asked learns nothing of tables and their buckets from the file.

Everything in it carries a proof made with a secret key of the user's: what was altered, or came from elsewhere, is
not used. A folder or a file that others may write is not used either.

Nothing depends on it: if it cannot be read or written, there are no pieces; if it is damaged, it is deleted and
rebuilt.
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
"""Part of the file's name: what another version wrote is not read."""

UNREADABLE = (sqlite3.Error, OSError, ValueError, TypeError, OverflowError)
"""What comes of a file that is damaged, locked, or not ours."""

_NO_DAMAGE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_NOMEM,
)
"""Errors of SQLite that say nothing about the content of a file."""

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
        Where it is; made when something is kept.
    limit:
        Bytes it may take. Beyond that, what was not used for the longest time is dropped.
    """

    folder: Path
    limit: int

    @property
    def path(self) -> Path:
        """The database itself."""
        return self.folder / f"cache-{FORMAT}.sqlite"

    @property
    def key_path(self) -> Path:
        """The secret key that proofs are made with."""
        return self.folder / f"key-{FORMAT}"

    def why_not_private(self) -> str | None:
        """Return what lets others change the cache, as the end of a sentence; None if nothing does.

        Raises
        ------
        OSError
            If it cannot be looked at.
        """
        return why_not_private((self.folder, self.key_path, self.path, *self._journals()))

    def _journals(self) -> list[Path]:
        return [Path(f"{self.path}{ending}") for ending in ("-wal", "-shm", "-journal")]

    def key(self, make: bool = False) -> bytes:
        """Return the secret key; make one if there is none and that is asked for.

        Raises
        ------
        OSError, ValueError
            If there is none, or it cannot be read or written, or is damaged.
        """
        with suppress(FileNotFoundError):
            key = self.key_path.read_bytes()
            if len(key) == _KEY_BYTES:
                return key
        if not make:
            raise ValueError("no key")
        key = secrets.token_bytes(_KEY_BYTES)
        number, name = tempfile.mkstemp(dir=self.folder, prefix=".key-")  # for this user alone
        with os.fdopen(number, "wb") as file:
            file.write(key)
        os.replace(name, self.key_path)  # of two processes one wins; the other's entries are not used
        return key

    def pieces(self, recipes: Iterable[bytes]) -> dict[bytes, bytes]:
        """The answers that are kept, by their recipes."""
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

    def keep_pieces(self, pieces: Mapping[bytes, bytes]) -> None:
        """Keep answers by their recipes."""
        if not pieces:
            return

        def keep(database: sqlite3.Connection) -> None:
            now, key = int(time.time()), self.key(make=True)
            rows = ((digest := _digest(b"name", r), now, _proven(key, digest, r, piece)) for r, piece in pieces.items())
            database.executemany("INSERT OR REPLACE INTO pieces VALUES (?, ?, ?)", rows)
            database.commit()

        self.write(keep)

    def write(self, keep: Callable[[sqlite3.Connection], None]) -> None:
        """Have something kept, within the limit. What goes wrong is passed over, and a damaged file is deleted."""
        try:
            with self.database(write=True) as database:
                keep(database)
                self.shrink(database)
        except UNREADABLE:
            self.drop_if_damaged()

    @contextmanager
    def database(self, write: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection; to write, the tables are made where there are none.

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
        """Drop what was used least recently, until the limit is kept."""
        (page,) = database.execute("PRAGMA page_size").fetchone()
        while True:
            (pages,) = database.execute("PRAGMA page_count").fetchone()
            (free,) = database.execute("PRAGMA freelist_count").fetchone()
            if (pages - free) * page <= self.limit:
                break
            if not self._drop_oldest(database):
                database.execute("DELETE FROM shapes")
                break
            database.commit()
        if pages * page > self.limit:
            database.execute("VACUUM")

    def _drop_oldest(self, database: sqlite3.Connection) -> bool:
        """Drop a folder, or a sixteenth of the pieces, whichever is older; False where there is neither."""
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
        """Delete the file if it is no sound database with the tables of this version, so that it is rebuilt."""
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
        except ValueError:  # names or messages that are no text
            return False


def proof(key: bytes, *parts: bytes) -> bytes:
    """Return what proves that who kept these parts together knew the key."""
    return hashlib.blake2b(
        b"".join(len(p).to_bytes(8, "little") + p for p in parts), digest_size=_PROOF_BYTES, key=key
    ).digest()


def proven(given: bytes, key: bytes, *parts: bytes) -> bool:
    """Whether a proof is that of these parts. What is damaged may have any type."""
    if not all(isinstance(each, bytes) for each in (given, *parts)):
        return False
    return hmac.compare_digest(given, proof(key, *parts))


def _proven(key: bytes, digest: bytes, recipe: bytes, piece: bytes) -> bytes:
    sealed = _sealed(recipe, zlib.compress(piece, 1))
    return proof(key, digest, sealed) + sealed


def _digest(purpose: bytes, recipe: bytes) -> bytes:
    return hashlib.sha256(purpose + b"\0" + recipe).digest()


def _sealed(recipe: bytes, content: bytes) -> bytes:
    """Content sealed by its recipe, or what was sealed, opened again."""
    stream = hashlib.shake_256(b"seal\0" + recipe).digest(len(content))
    both = int.from_bytes(content, "little") ^ int.from_bytes(stream, "little")
    return both.to_bytes(len(content), "little")
