"""Read local files, and object stores through pyarrow, behind one small interface.

Paths are literal: never expanded, never percent-decoded. Every failure is a `ProjectorError` that names the path.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self, TypeVar
from urllib.parse import unquote

from projector.errors import NotFoundError, ProjectorError, UnsupportedError
from projector.files.storage.locations import Location, parse_location
from projector.files.storage.object_stores import STORES
from projector.files.storage.remote_tails import S3Tails, arrow_marks, arrow_tail
from projector.files.storage.retry import with_retries
from projector.files.storage.tails import Tail, local_tail, plain_local_path, read_from

T = TypeVar("T")


class ByteSource(Protocol):
    """Bytes that are read by position. Safe to use from several threads."""

    def size(self) -> int:
        """Return the length in bytes."""

    def read_at(self, offset: int, length: int) -> bytes:
        """Return `length` bytes from `offset`; fewer only if the source ends there."""


class RandomAccess(ByteSource, Protocol):
    """An open file, read by position."""

    path: str

    def close(self) -> None:
        """Close the file."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...


class FolderListing(NamedTuple):
    """The names directly in a folder, sorted."""

    files: tuple[str, ...]
    folders: tuple[str, ...]


_STORES = ("s3.endpoint", "gcs.service.host", "adls.account-name", "hdfs.host", "hdfs.port")


@dataclass(frozen=True)
class Storage:
    """Reads local paths and the object stores that pyarrow supports.

    Parameters
    ----------
    properties:
        Settings of the stores by pyiceberg's names, such as `s3.endpoint`, `s3.region`, `s3.access-key-id`,
        `s3.secret-access-key`, `s3.session-token`, `s3.path-style-access`. They may hold secrets and are never
        printed. `ExpiringProperties` are renewed in time.

    A request that an object store does not answer is retried a few times, with growing waits.

    Every method raises `NotFoundError` if the path is missing, or is a folder and not a file; `UnsupportedError` for an
    unknown scheme; and `ProjectorError` for any other error of the file system.
    """

    properties: Mapping[str, str] = field(default_factory=dict, repr=False)
    _stores: dict[tuple[str, str], tuple[Any, dict[str, str]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _s3_tails: S3Tails = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_s3_tails", S3Tails(self.properties))

    @property
    def stores(self) -> str:
        """A text that differs between stores in which the same path is another file. It holds no secrets."""
        return "\n".join(self.properties.get(name, "") for name in _STORES)

    def open(self, path: str) -> RandomAccess:
        """Open a file for reading by position."""
        location = _known(path)
        with _named_errors(path):
            if location.is_local:
                return _LocalFile(path, location.path)
            return _ArrowFile(path, self._request(location, lambda store, key: store.open_input_file(key)))

    def read_bytes(self, path: str) -> bytes:
        """Read the whole content of a file."""
        with self.open(path) as file:
            return file.read_at(0, file.size())

    def read_tail(self, path: str, length: int) -> Tail:
        """Read the last `length` bytes of a file, or all of a shorter one, by one request if the store allows it."""
        local = plain_local_path(path)
        if local is None:
            location = _known(path)
            if not location.is_local:
                return self._remote_tail(path, location, length)
            local = location.path
        try:
            return local_tail(local, length)
        except (OSError, ValueError):
            with _named_errors(path):
                _reject_non_files(local)
                raise

    def _remote_tail(self, path: str, location: Location, length: int) -> Tail:
        with _named_errors(path):
            if location.scheme == "s3":
                found = self._s3_tails.tail(location.authority, location.path.lstrip("/"), length)
                if found is not None:
                    return found
            return self._request(location, lambda store, key: arrow_tail(store, key, length))

    def marks(self, paths: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return for each file its size and a mark that changes when the file does, without opening any.

        Leave out files that are not found and those of unknown schemes. List whole folders of object stores. Leave out
        all files of a store that cannot be reached.
        """
        found: dict[str, tuple[int, int]] = {}
        stat_of = os.stat
        remote: dict[tuple[str, str], dict[str, str]] = {}
        for path in paths:
            # nearly all paths are spelled so, and there may be very many
            if path[:1] == "/":
                local: str | None = path
            elif path[:8] == "file:///" and path[8:9] != "/":
                local = path[7:]
            else:
                local = None
            if local is None:
                try:
                    location = _known(path)
                except UnsupportedError:
                    continue
                if not location.is_local:
                    remote.setdefault((location.scheme, location.authority), {})[_key(location)] = path
                    continue
                local = location.path
            try:
                status = stat_of(local)
                found[path] = status.st_size, status.st_mtime_ns
            except (OSError, ValueError):
                continue
        for by_key in remote.values():
            with suppress(ProjectorError), _named_errors(next(iter(by_key.values()))):
                first = parse_location(next(iter(by_key.values())))
                marks = self._request(first, partial(_marks_of, tuple(by_key)))
                found |= {by_key[key]: mark for key, mark in marks.items()}
        return found

    def open_arrow(self, path: str) -> Any:
        """Open a `pyarrow.NativeFile` for pyarrow's own readers."""
        location = _known(path)
        with _named_errors(path):
            if location.is_local:
                import pyarrow as pa

                _reject_non_files(location.path)
                return pa.OSFile(location.path, "rb")
            return self._request(location, lambda store, key: store.open_input_file(key))

    def exists(self, path: str) -> bool:
        """Return whether a path is a file or a folder."""
        return self._kind(path) is not None

    def is_folder(self, path: str) -> bool:
        """Return whether a path is a folder; in an object store, whether there is anything below it."""
        return self._kind(path) == "folder"

    def listing(self, folder: str) -> FolderListing:
        """Return the names of the files and of the folders directly in a folder."""
        location = _known(folder)
        with _named_errors(folder):
            if location.is_local:
                with os.scandir(location.path) as entries:
                    kinds = [(entry.name, entry.is_dir()) for entry in entries]
            else:
                from pyarrow import fs

                found = self._request(
                    location, lambda s, key: s.get_file_info(fs.FileSelector(key, allow_not_found=False))
                )
                both = (fs.FileType.File, fs.FileType.Directory)
                kinds = [(info.base_name, info.type == fs.FileType.Directory) for info in found if info.type in both]
        files = sorted(name for name, is_folder in kinds if not is_folder)
        return FolderListing(tuple(files), tuple(sorted(name for name, is_folder in kinds if is_folder)))

    def _kind(self, path: str) -> str | None:
        location = _known(path)
        with _named_errors(path):
            if location.is_local:
                if os.path.isdir(location.path):
                    return "folder"
                return "file" if os.path.exists(location.path) else None
            from pyarrow import fs

            kind = self._request(location, lambda store, key: store.get_file_info(key).type)
            return {fs.FileType.Directory: "folder", fs.FileType.NotFound: None}.get(kind, "file")

    def _request(self, location: Location, request: Callable[[Any, str], T]) -> T:
        """Send a request to an object store, with retries. `request` takes its pyarrow file system and the key."""
        renew = getattr(self.properties, "renew", None)
        return with_retries(lambda: request(*self._store(location)), renew=renew)

    def _store(self, location: Location) -> tuple[Any, str]:
        """Return the pyarrow file system of a location, and the key of the location in it."""
        settings = dict(self.properties)  # reading them renews those that expire
        known, made_with = self._stores.get((location.scheme, location.authority), (None, None))
        if known is None or made_with != settings:
            known = STORES[location.scheme](location, settings)
            self._stores[(location.scheme, location.authority)] = (known, settings)
        return known, _key(location)


class _LocalFile:
    def __init__(self, path: str, local: str) -> None:
        self.path = path
        _reject_non_files(local)
        self._file = open(local, "rb", buffering=0)  # noqa: SIM115 - closed by close()
        self._size = os.fstat(self._file.fileno()).st_size

    def size(self) -> int:
        return self._size

    def read_at(self, offset: int, length: int) -> bytes:
        parts: list[bytes] = []
        with _named_errors(self.path):
            while length > 0:
                part = read_from(self._file.fileno(), min(length, 1 << 30), offset)
                if not part:
                    break
                parts.append(part)
                offset += len(part)
                length -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _ArrowFile:
    def __init__(self, path: str, file: Any) -> None:
        self.path = path
        self._file = file

    def size(self) -> int:
        with _named_errors(self.path):
            return int(self._file.size())

    def read_at(self, offset: int, length: int) -> bytes:
        with _named_errors(self.path):
            return bytes(with_retries(lambda: self._file.read_at(length, offset)))

    def close(self) -> None:
        with _named_errors(self.path):
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _marks_of(keys: tuple[str, ...], store: Any, _: str) -> dict[str, tuple[int, int]]:
    return arrow_marks(store, keys)


def _reject_non_files(local: str) -> None:
    """Reject folders, and pipes, sockets and devices: opening or reading one could block forever."""
    mode = os.stat(local).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(local)
    if not stat.S_ISREG(mode):
        raise OSError("not a regular file")


def _known(path: str) -> Location:
    location = parse_location(path)
    if location.scheme not in STORES and not (location.is_local and not location.authority):
        name = f"{location.scheme}://{location.authority}" if location.is_local else location.scheme
        raise UnsupportedError(
            f"Cannot read from {name!r}: {path}",
            hint=f"paths are local, file:, or one of {', '.join(sorted(STORES))}",
        )
    return location


@contextmanager
def _named_errors(path: str) -> Iterator[None]:
    """Turn the errors of a file system into ours, with the requested path."""
    try:
        yield
    except ProjectorError:
        raise
    except IsADirectoryError:
        raise NotFoundError(f"Is a folder, not a file: {path}") from None
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(f"No such file or folder: {path}", hint=_percent_hint(path)) from None
    except PermissionError:
        raise ProjectorError(f"Permission denied: {path}") from None
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else " ".join(str(error).split())
        raise ProjectorError(f"Cannot read {path}: {reason}") from None
    except (ValueError, TypeError, NotImplementedError) as error:
        # an embedded zero byte, a name that cannot be encoded, a key that pyarrow rejects
        raise NotFoundError(f"Invalid path: {path!r} ({' '.join(str(error).split())})") from None


def _percent_hint(path: str) -> str | None:
    decoded = unquote(path)
    location = parse_location(decoded)
    if decoded != path and "\0" not in decoded and location.is_local and os.path.exists(location.path):
        return f"percent signs in paths are taken as they are; {decoded} exists"
    return None


def _key(location: Location) -> str:
    """Return the path in the form that the pyarrow file system of a scheme expects."""
    if location.scheme in ("s3", "gs"):
        return location.authority + location.path
    if location.scheme in ("abfs", "wasb"):
        return location.authority.partition("@")[0] + location.path
    return location.path
