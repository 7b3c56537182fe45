"""The file that caches are kept in: one database for all processes and threads of a user, of bounded size.

Beside tables of its own that a cache may have, it keeps *pieces*: answers, each by a recipe that holds everything which
the answer depends on (what was asked, and the sizes and times of change of the files it came from). Where a file is
another now, so is the recipe, and nothing is found. Only a digest of the recipe is kept, and the answer is sealed with
another: who does not know what was asked learns nothing of tables and their buckets from the file.

Nothing depends on it: where it cannot be read or written, or is damaged, there are no pieces.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

FORMAT = 2
"""Part of the file's name: what another version wrote is not read."""

UNREADABLE = (sqlite3.Error, OSError, ValueError, OverflowError)
"""What comes of a file that is damaged, locked, or not ours."""

_TABLES = """
CREATE TABLE IF NOT EXISTS shapes (id INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS folders (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, used INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS files (
    folder INTEGER NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL, mark INTEGER NOT NULL, shape INTEGER NOT NULL,
    row_count INTEGER NOT NULL, PRIMARY KEY (folder, name)
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

    def pieces(self, recipes: Iterable[bytes]) -> dict[bytes, bytes]:
        """The answers that are kept, by their recipes."""
        found: dict[bytes, bytes] = {}
        if not self.path.exists():
            return found
        try:
            old, now = [], int(time.time())
            with self.database() as database:
                for recipe in recipes:
                    digest = _digest(b"name", recipe)
                    row = database.execute("SELECT used, sealed FROM pieces WHERE digest = ?", (digest,)).fetchone()
                    if row is None:
                        continue
                    with suppress(zlib.error):  # damaged, which its checksum shows
                        found[recipe] = zlib.decompress(_sealed(recipe, row[1]))
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
        with suppress(*UNREADABLE), self.database(write=True) as database:
            now = int(time.time())
            rows = ((_digest(b"name", r), now, _sealed(r, zlib.compress(piece, 1))) for r, piece in pieces.items())
            database.executemany("INSERT OR REPLACE INTO pieces VALUES (?, ?, ?)", rows)
            database.commit()
            self.shrink(database)

    @contextmanager
    def database(self, write: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection; to write, the tables are made where there are none."""
        if write:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
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
        """Delete the file if it is no sound database, so that it is made anew."""
        with suppress(OSError, sqlite3.Error):
            try:
                with self.database() as database:
                    sound = database.execute("PRAGMA quick_check").fetchone() == ("ok",)
            except sqlite3.OperationalError:
                return  # busy, or not ours to read
            except sqlite3.DatabaseError:
                sound = False
            if not sound:
                for ending in ("", "-wal", "-shm"):
                    Path(f"{self.path}{ending}").unlink(missing_ok=True)


def _digest(purpose: bytes, recipe: bytes) -> bytes:
    return hashlib.sha256(purpose + b"\0" + recipe).digest()


def _sealed(recipe: bytes, content: bytes) -> bytes:
    """Content sealed by its recipe, or what was sealed, opened again."""
    stream = hashlib.shake_256(b"seal\0" + recipe).digest(len(content))
    both = int.from_bytes(content, "little") ^ int.from_bytes(stream, "little")
    return both.to_bytes(len(content), "little")
