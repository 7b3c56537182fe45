"""Compare, join and split paths, and resolve the paths of a table that was moved. Pure, without I/O.

Paths in Iceberg metadata are plain strings. A percent sign, a question mark, a space or a star in one stands
for itself: nothing here decodes or expands a path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+):(/.*)", re.DOTALL)
_SLASHES = re.compile(r"//+")
_ONE_STORE = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "abfss": "abfs", "wasbs": "wasb"}


@dataclass(frozen=True, slots=True)
class Location:
    """The parts of a path: `scheme` ("file" for local paths), `authority` (bucket, host or empty), `path`."""

    scheme: str
    authority: str
    path: str

    @property
    def is_local(self) -> bool:
        """Whether the path is in a file system of this machine."""
        return self.scheme == "file"


def parse_location(path: str) -> Location:
    """Split a path, with one spelling of the scheme: `s3a` is `s3`, and `/x`, `file:/x`, `file:///x` are the same.

    Only `scheme:/...` is a URI. Everything else is a local path, including a Windows drive or a name with a colon.
    """
    match = _URI.fullmatch(path)
    if match is None:
        return Location("file", "", path)
    scheme, rest = match[1].lower(), match[2]
    authority = ""
    if rest.startswith("//"):
        authority, slash, tail = rest[2:].partition("/")
        rest = slash + tail
    if scheme == "file":
        return Location("file", "" if authority.lower() == "localhost" else authority, "/" + rest.lstrip("/"))
    return Location(_ONE_STORE.get(scheme, scheme), authority, rest)


def canonical(path: str) -> str:
    """Return the spelling by which paths are compared.

    Drop the scheme and repeated slashes of local paths; shorten other schemes to their shortest name. Drop a slash at
    the end.
    """
    location = parse_location(path)
    if location.is_local and not location.authority:
        text = _SLASHES.sub("/", location.path)
        return text.rstrip("/") or text[:1]
    return f"{location.scheme}://{location.authority}{location.path}".rstrip("/")


def same_path(one: str, other: str) -> bool:
    """Return whether two paths name the same file, however their schemes are spelled."""
    return one == other or canonical(one) == canonical(other)


def without_authority(path: str) -> str:
    """Return the path without scheme and authority: `hdfs://host/x`, `file:/x` and `/x` all become `/x`.

    Position deletes match by it if the two paths differ in scheme or authority only.
    """
    return _SLASHES.sub("/", parse_location(path).path)


def join(folder: str, name: str) -> str:
    """Return the path of a name in a folder."""
    return f"{folder.rstrip('/')}/{name}" if folder.rstrip("/") else f"{folder}{name}"


def parent(path: str) -> str:
    """Return the folder of a path, in the same spelling; `.` for a bare name."""
    stripped = path.rstrip("/")
    head, slash, _ = stripped.rpartition("/")
    if not slash:
        return "."
    return head or "/"


def base_name(path: str) -> str:
    """Return the last part of a path."""
    return path.rstrip("/").rpartition("/")[2]


def relative_to(path: str, folder: str) -> str | None:
    """Return a path relative to a folder, without a leading slash; None if it is outside the folder.

    `/tmp/table2` is not below `/tmp/table`. The result keeps the spelling of the path.
    """
    inner, outer = canonical(path), canonical(folder)
    if inner == outer:
        return ""
    if outer == "/":
        return inner.lstrip("/") if inner.startswith("/") else None
    return inner[len(outer) + 1 :] if inner.startswith(outer + "/") else None


def table_root(metadata_file: str) -> str:
    """Return the root of a table, given its metadata file: the folder above `metadata`, else the file's own folder."""
    folder = parent(metadata_file)
    return parent(folder) if base_name(folder) == "metadata" else folder


@dataclass(frozen=True, slots=True)
class PathResolver:
    """Resolves paths that metadata records to the paths to read.

    Parameters
    ----------
    location:
        The table's location, as its metadata records it.
    root:
        The present location; None if the table was not moved.
    path_map:
        Maps recorded prefixes to actual ones, for files outside the location too. A prefix matches whole path parts.
        The longest one wins. The map takes precedence over `root`.
    """

    location: str
    root: str | None = None
    path_map: Mapping[str, str] = field(default_factory=dict)

    def resolve(self, path: str) -> str:
        """Return the path to read a recorded path from: the path itself if no rule covers it."""
        for prefix in sorted(self.path_map, key=lambda p: len(canonical(p)), reverse=True):
            rest = relative_to(path, prefix)
            if rest is not None:
                return join(self.path_map[prefix], rest) if rest else self.path_map[prefix]
        if self.root is not None:
            rest = relative_to(path, self.location)
            if rest is not None:
                return join(self.root, rest) if rest else self.root
        return path

    def resolve_all(self, paths: Sequence[str]) -> Sequence[str]:
        """Return the path to read each recorded path from."""
        return paths if self.root is None and not self.path_map else [self.resolve(path) for path in paths]

    @property
    def note(self) -> str | None:
        """One line for the user about a moved table; None if it was not moved."""
        if self.root is None:
            return None
        return f"the table records its location as {self.location}; its files are read from {self.root}"
