"""Create the next `vN.metadata.json` of a table without a catalog in one step, and keep its version hint."""

from __future__ import annotations

import errno
import gzip
import os
import re
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import overload

from projector.errors import ProjectorError, UnsupportedError
from projector.files.storage.locations import base_name
from projector.files.storage.storage import Storage
from projector.metadata.loading import HADOOP_NAME, SUFFIXES, VERSION_HINT, find_metadata_file, read_metadata
from projector.metadata.table_metadata import TableMetadata

COMPRESSION_PROPERTY = "write.metadata.compression-codec"

_HIDDEN = re.compile(
    rf"\.(?:{HADOOP_NAME.pattern}|{re.escape(VERSION_HINT)})\.[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}\.tmp"
)
_LEFT_AFTER_SECONDS = 3600.0
_NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EXDEV, errno.EMLINK}


@overload
def version_of(name: str) -> int: ...
@overload
def version_of(name: str, default: None) -> int | None: ...
def version_of(name: str, default: int | None = -1) -> int | None:
    """Return the version in a metadata file's name; `default` for a name of another kind."""
    match = HADOOP_NAME.fullmatch(name)
    return int(match[1]) if match else default


@dataclass(frozen=True, slots=True)
class VersionFiles:
    """The metadata files of one table, in a local folder."""

    folder: str

    def make_next(self, version: int, metadata: TableMetadata) -> str | None:
        """Make `metadata` the version after `version`, unless another writer has made it.

        Returns the path of the new file, or None if the race is lost.

        Raises `UnsupportedError` if the file system has no hard links, and `ProjectorError` if it refuses the write.
        """
        try:
            target = self._link(version + 1, metadata)
        except OSError as error:
            raise ProjectorError(f"Cannot write metadata: {error.strerror}", file=self.folder) from error
        if target is None or not self._is_part_of_history(version, target, metadata):
            return None
        with suppress(OSError):  # the version exists; readers notice a hint that lags behind
            self._hint_at(version + 1)
        with suppress(OSError):
            self._clear(os.stat(target).st_mtime)
        return target

    def _clear(self, now: float) -> None:
        """Remove the hidden files of killed writers, an hour after the last write to them.

        A writer that was only suspended finds its hidden file gone when it links it: that commit fails, and nothing
        else.
        `now` is by the clock of the file system.
        """
        for name in os.listdir(self.folder):
            if _HIDDEN.fullmatch(name):
                with suppress(FileNotFoundError):  # another writer was faster
                    if now - os.stat(self._path(name)).st_mtime > _LEFT_AFTER_SECONDS:
                        os.unlink(self._path(name))

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _exists(self, version: int) -> bool:
        return any(os.path.exists(self._path(f"v{version}{spelling}")) for spelling in SUFFIXES)

    def _link(self, version: int, metadata: TableMetadata) -> str | None:
        """Write a version's file under a hidden name, and link it to its own name in one step."""
        compressed = metadata.properties.get(COMPRESSION_PROPERTY, "none").lower() == "gzip"
        content = metadata.to_json().encode()
        target = self._path(f"v{version}{'.gz' if compressed else ''}.metadata.json")
        hidden = self._path(f".{os.path.basename(target)}.{uuid.uuid4()}.tmp")
        try:
            _write_whole(hidden, gzip.compress(content, mtime=0) if compressed else content)
            if self._exists(version):
                return None
            try:
                os.link(hidden, target)
            except FileExistsError:
                # On a network file system the answer to a successful link can get lost; a second try finds the link.
                if not os.path.samefile(hidden, target):
                    return None
            except OSError as error:
                if error.errno in _NO_LINKS:
                    raise UnsupportedError(
                        f"Cannot commit: the file system of {self.folder} has no hard links",
                        hint="a new version cannot be made in one step there; commit through a catalog",
                    ) from error
                raise
        finally:
            with suppress(FileNotFoundError):
                os.unlink(hidden)
        _sync_folder(self.folder)
        return target

    def _is_part_of_history(self, version: int, target: str, metadata: TableMetadata) -> bool:
        """Return whether the new file follows the current version, and does not fill a gap in the past.

        A writer suspended for so long that later versions have come and been cleaned up finds its name free. Its file
        is
        removed again.
        """
        if self._exists(version):
            return True
        storage = Storage()
        current = find_metadata_file(self.folder, storage)
        if os.path.samefile(current, target):
            return True
        mine = (metadata.last_updated_ms, os.path.basename(target))
        log = read_metadata(current, storage).metadata_log
        if mine in ((entry.timestamp_ms, base_name(entry.metadata_file)) for entry in log):
            return True
        os.unlink(target)
        return False

    def _hint_at(self, version: int) -> None:
        """Make the hint name the newest version, even if other writers make versions meanwhile."""
        while True:
            while self._exists(version + 1):
                version += 1
            hinted = self._hinted()
            if hinted >= version and self._exists(hinted):
                return
            hidden = self._path(f".{VERSION_HINT}.{uuid.uuid4()}.tmp")
            try:
                _write_whole(hidden, str(version).encode())
                with suppress(
                    FileNotFoundError
                ):  # Hadoop's checksum of the old hint, which would make the new one unreadable
                    os.unlink(self._path(f".{VERSION_HINT}.crc"))
                os.replace(hidden, self._path(VERSION_HINT))
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(hidden)
            if not self._exists(version + 1):
                return

    def _hinted(self) -> int:
        try:
            with open(self._path(VERSION_HINT), "rb") as file:
                return int(file.read(32))
        except (FileNotFoundError, ValueError):
            return -1


def _write_whole(path: str, content: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: str) -> None:
    with suppress(OSError):  # not every system supports it
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
