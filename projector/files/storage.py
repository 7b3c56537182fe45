"""One small interface for all reading: local files first, object stores through pyarrow.

Paths are literal: never expanded, never percent-decoded. Whatever goes wrong is a `ProjectorError` that names the path.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, Self
from urllib.parse import unquote

from projector.errors import NotFoundError, ProjectorError, UnsupportedError
from projector.files.locations import Location, parse_location


class RandomAccess(Protocol):
    """An open file, read by position. Safe to use from several threads."""

    path: str

    def size(self) -> int:
        """The length of the file in bytes."""

    def read_at(self, offset: int, length: int) -> bytes:
        """The bytes from `offset`; fewer than `length` only where the file ends."""

    def close(self) -> None:
        """Give the file back."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True)
class Storage:
    """Reads local paths and the object stores that pyarrow knows.

    Parameters
    ----------
    properties:
        Settings of the stores by pyiceberg's names, such as `s3.endpoint`, `s3.region`, `s3.access-key-id`,
        `s3.secret-access-key`, `s3.session-token`, `s3.path-style-access`. They may hold secrets and are never shown.

    Every method raises `NotFoundError` for what is missing (a folder where a file is asked for, too),
    `UnsupportedError` for a scheme that is not known, and `ProjectorError` for anything else the file system refuses.
    """

    properties: Mapping[str, str] = field(default_factory=dict, repr=False)
    _stores: dict[tuple[str, str], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def open(self, path: str) -> RandomAccess:
        """A file, opened for reading by position."""
        location = _known(path)
        with _named_errors(path):
            if location.is_local:
                return _LocalFile(path, location.path)
            store, key = self._store(location)
            return _ArrowFile(path, store.open_input_file(key))

    def read_bytes(self, path: str) -> bytes:
        """The whole content of a file."""
        with self.open(path) as file:
            return file.read_at(0, file.size())

    def open_arrow(self, path: str) -> Any:
        """A `pyarrow.NativeFile` for pyarrow's own readers."""
        location = _known(path)
        with _named_errors(path):
            if location.is_local:
                import pyarrow as pa

                _refuse_folder(location.path)
                return pa.OSFile(location.path, "rb")
            store, key = self._store(location)
            return store.open_input_file(key)

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder at a path."""
        return self._kind(path) is not None

    def is_folder(self, path: str) -> bool:
        """Whether a path is a folder; in an object store, whether anything lies below it."""
        return self._kind(path) == "folder"

    def list(self, folder: str) -> tuple[str, ...]:
        """The names of the files directly in a folder, sorted."""
        location = _known(folder)
        with _named_errors(folder):
            if location.is_local:
                with os.scandir(location.path) as entries:
                    return tuple(sorted(entry.name for entry in entries if not entry.is_dir()))
            from pyarrow import fs

            store, key = self._store(location)
            found = store.get_file_info(fs.FileSelector(key, allow_not_found=False))
            return tuple(sorted(info.base_name for info in found if info.type == fs.FileType.File))

    def _kind(self, path: str) -> str | None:
        location = _known(path)
        with _named_errors(path):
            if location.is_local:
                if os.path.isdir(location.path):
                    return "folder"
                return "file" if os.path.exists(location.path) else None
            from pyarrow import fs

            store, key = self._store(location)
            kind = store.get_file_info(key).type
            return {fs.FileType.Directory: "folder", fs.FileType.NotFound: None}.get(kind, "file")

    def _store(self, location: Location) -> tuple[Any, str]:
        """The pyarrow file system of a location and the key to ask it for."""
        known = self._stores.get((location.scheme, location.authority))
        if known is None:
            known = _STORES[location.scheme](location, self.properties)
            self._stores[(location.scheme, location.authority)] = known
        return known, _key(location)


class _LocalFile:
    def __init__(self, path: str, local: str) -> None:
        self.path = path
        _refuse_folder(local)
        self._file = open(local, "rb", buffering=0)  # noqa: SIM115 - closed by close()
        self._size = os.fstat(self._file.fileno()).st_size

    def size(self) -> int:
        return self._size

    def read_at(self, offset: int, length: int) -> bytes:
        parts: list[bytes] = []
        with _named_errors(self.path):
            while length > 0:
                part = _pread(self._file.fileno(), min(length, 1 << 30), offset)
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
            return bytes(self._file.read_at(length, offset))

    def close(self) -> None:
        with _named_errors(self.path):
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _pread(descriptor: int, length: int, offset: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, length, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, length)


def _refuse_folder(local: str) -> None:
    if os.path.isdir(local):
        raise IsADirectoryError(local)


def _known(path: str) -> Location:
    location = parse_location(path)
    if location.scheme not in _STORES and not (location.is_local and not location.authority):
        shown = f"{location.scheme}://{location.authority}" if location.is_local else location.scheme
        raise UnsupportedError(
            f"Cannot read from {shown!r}: {path}",
            hint=f"paths are local, file:, or one of {', '.join(sorted(_STORES))}",
        )
    return location


@contextmanager
def _named_errors(path: str) -> Iterator[None]:
    """Turn what a file system raises into our errors, with the path that was asked for."""
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
        # an embedded zero byte, a name that cannot be encoded, a key that pyarrow refuses
        raise NotFoundError(f"Cannot be a path: {path!r} ({' '.join(str(error).split())})") from None


def _percent_hint(path: str) -> str | None:
    decoded = unquote(path)
    location = parse_location(decoded)
    if decoded != path and "\0" not in decoded and location.is_local and os.path.exists(location.path):
        return f"percent signs in paths are taken as they are; {decoded} exists"
    return None


def _key(location: Location) -> str:
    """The path as the pyarrow file system of a scheme expects it."""
    if location.scheme in ("s3", "gs"):
        return location.authority + location.path
    if location.scheme in ("abfs", "wasb"):
        return location.authority.partition("@")[0] + location.path
    return location.path


def _truth(properties: Mapping[str, str], name: str, default: bool) -> bool:
    return str(properties.get(name, default)).strip().lower() in ("true", "1", "yes")


def _s3(_: Location, properties: Mapping[str, str]) -> Any:
    from pyarrow import fs

    def first(*names: str) -> str | None:
        return next((properties[n] for n in names if properties.get(n)), None)

    options: dict[str, Any] = {
        "endpoint_override": first("s3.endpoint"),
        "access_key": first("s3.access-key-id", "client.access-key-id"),
        "secret_key": first("s3.secret-access-key", "client.secret-access-key"),
        "session_token": first("s3.session-token", "client.session-token"),
        "region": first("s3.region", "client.region"),
        "role_arn": first("s3.role-arn", "client.role-arn"),
        "session_name": first("s3.role-session-name", "client.role-session-name"),
        "proxy_options": first("s3.proxy-uri"),
    }
    for name, property_name in (("connect_timeout", "s3.connect-timeout"), ("request_timeout", "s3.request-timeout")):
        seconds = first(property_name)
        options[name] = float(seconds) if seconds else None
    if "s3.path-style-access" in properties:
        options["force_virtual_addressing"] = not _truth(properties, "s3.path-style-access", True)
    elif "s3.force-virtual-addressing" in properties:
        options["force_virtual_addressing"] = _truth(properties, "s3.force-virtual-addressing", False)
    if _truth(properties, "s3.anonymous", False):
        options["anonymous"] = True
    return fs.S3FileSystem(**{name: value for name, value in options.items() if value is not None})


def _gcs(_: Location, properties: Mapping[str, str]) -> Any:
    from datetime import UTC, datetime

    from pyarrow import fs

    options: dict[str, Any] = {}
    if token := properties.get("gcs.oauth2.token"):
        expires = int(properties.get("gcs.oauth2.token-expires-at", 4102444800000))
        options["access_token"] = token
        options["credential_token_expiration"] = datetime.fromtimestamp(expires / 1000, UTC)
    if project := properties.get("gcs.project-id"):
        options["project_id"] = project
    if host := properties.get("gcs.service.host"):
        scheme, separator, rest = host.partition("://")
        options |= {"scheme": scheme, "endpoint_override": rest} if separator else {"endpoint_override": host}
    if _truth(properties, "gcs.anonymous", False):
        options["anonymous"] = True
    return fs.GcsFileSystem(**options)


def _azure(location: Location, properties: Mapping[str, str]) -> Any:
    from pyarrow import fs

    host = location.authority.partition("@")[2]
    options = {
        "account_name": properties.get("adls.account-name") or host.partition(".")[0],
        "account_key": properties.get("adls.account-key"),
        "sas_token": properties.get("adls.sas-token"),
        "tenant_id": properties.get("adls.tenant-id"),
        "client_id": properties.get("adls.client-id"),
        "client_secret": properties.get("adls.client-secret"),
        "blob_storage_authority": properties.get("adls.blob-storage-authority"),
        "dfs_storage_authority": properties.get("adls.dfs-storage-authority"),
        "blob_storage_scheme": properties.get("adls.blob-storage-scheme"),
        "dfs_storage_scheme": properties.get("adls.dfs-storage-scheme"),
    }
    return fs.AzureFileSystem(**{name: value for name, value in options.items() if value})


def _hdfs(location: Location, properties: Mapping[str, str]) -> Any:
    from pyarrow import fs

    host, _, port = location.authority.partition(":")
    return fs.HadoopFileSystem(
        host=properties.get("hdfs.host") or host or "default",
        port=int(properties.get("hdfs.port") or port or 0),
        user=properties.get("hdfs.user"),
        kerb_ticket=properties.get("hdfs.kerberos_ticket"),
    )


_STORES: dict[str, Callable[[Location, Mapping[str, str]], Any]] = {
    "s3": _s3,
    "gs": _gcs,
    "abfs": _azure,
    "wasb": _azure,
    "hdfs": _hdfs,
    "viewfs": _hdfs,
}
"""The stores that are known, by the shortest name of their scheme."""
