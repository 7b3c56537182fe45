"""Where files are: one spelling for one place, and where the files of a moved table are now. Pure, no I/O.

Paths in Iceberg metadata are plain strings. A percent sign, a question mark, a space or a star in them is that
character: nothing here decodes or expands a path.
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
    """A path taken apart: `scheme` ("file" for local paths), `authority` (bucket, host or empty), `path`."""

    scheme: str
    authority: str
    path: str

    @property
    def is_local(self) -> bool:
        """Whether the path is on the file systems of this machine."""
        return self.scheme == "file"


def parse_location(path: str) -> Location:
    """A path taken apart, with one spelling of the scheme: `s3a` is `s3`, and `/x`, `file:/x`, `file:///x` are one.

    Only `scheme:/...` is a URI; everything else, a Windows drive or a name with a colon in it too, is a local path.
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
    """The one spelling by which paths are compared.

    Local paths lose their scheme and repeated slashes; other schemes are kept, in their shortest name. A slash at the
    end is dropped.
    """
    location = parse_location(path)
    if location.is_local and not location.authority:
        text = _SLASHES.sub("/", location.path)
        return text.rstrip("/") or text[:1]
    return f"{location.scheme}://{location.authority}{location.path}".rstrip("/")


def same_path(one: str, other: str) -> bool:
    """Whether two paths name one file, whatever the spelling of their schemes."""
    return one == other or canonical(one) == canonical(other)


def without_authority(path: str) -> str:
    """The path alone: `hdfs://host/x`, `file:/x` and `/x` are all `/x`.

    Position deletes are matched by it where the two paths differ in scheme or authority only.
    """
    return _SLASHES.sub("/", parse_location(path).path)


def join(folder: str, name: str) -> str:
    """The path of a name below a folder."""
    return f"{folder.rstrip('/')}/{name}" if folder.rstrip("/") else f"{folder}{name}"


def parent(path: str) -> str:
    """The folder that holds a path, in the same spelling; a bare name is in `.`."""
    stripped = path.rstrip("/")
    head, slash, _ = stripped.rpartition("/")
    if not slash:
        return "."
    return head or "/"


def base_name(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rpartition("/")[2]


def relative_to(path: str, folder: str) -> str | None:
    """The rest of a path below a folder, without a slash in front; None where the path lies outside.

    `/tmp/table2` is not below `/tmp/table`. The rest keeps the spelling of the path.
    """
    inner, outer = canonical(path), canonical(folder)
    if inner == outer:
        return ""
    if outer == "/":
        return inner.lstrip("/") if inner.startswith("/") else None
    return inner[len(outer) + 1 :] if inner.startswith(outer + "/") else None


def table_root(metadata_file: str) -> str:
    """The root of a table by the place of its metadata file: the folder above `metadata`, or the file's own folder."""
    folder = parent(metadata_file)
    return parent(folder) if base_name(folder) == "metadata" else folder


@dataclass(frozen=True, slots=True)
class PathResolver:
    """Turns paths as metadata records them into paths to read.

    Parameters
    ----------
    location:
        The table's location, as its metadata records it.
    root:
        Where the table is now; None where it has not moved.
    path_map:
        Recorded prefix to actual prefix, for files outside the location too. A prefix matches whole path parts and the
        longest one wins; the map goes before `root`.
    """

    location: str
    root: str | None = None
    path_map: Mapping[str, str] = field(default_factory=dict)

    def resolve(self, path: str) -> str:
        """Where a recorded path is read from; paths that no rule covers are returned as they are."""
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
        """Where each of many recorded paths is read from."""
        return paths if self.root is None and not self.path_map else [self.resolve(path) for path in paths]

    @property
    def note(self) -> str | None:
        """What to tell the user about a moved table, as one line; None where it has not moved."""
        if self.root is None:
            return None
        return f"the table records its location as {self.location}; its files are read from {self.root}"
