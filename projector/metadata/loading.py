"""Find and read the current metadata file of a table, and locate the table's files."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from projector.errors import CorruptFileError, InvalidMetadataError, NotFoundError, ProjectorError
from projector.files.storage.locations import (
    PathResolver,
    base_name,
    join,
    parse_location,
    relative_to,
    same_path,
    table_root,
)
from projector.files.storage.read_all import read_whole
from projector.files.storage.storage import Storage
from projector.metadata.table_metadata import TableMetadata

VERSION_HINT = "version-hint.text"
SUFFIXES = (".metadata.json", ".gz.metadata.json", ".metadata.json.gz")
"""Endings of the name of a metadata file, in the order in which Java tries them."""
_SUFFIX = f"(?:{'|'.join(map(re.escape, SUFFIXES))})"
HADOOP_NAME = re.compile(r"v([0-9]{1,18})" + _SUFFIX)
"""The name of a version of a table without a catalog."""
_CATALOG_NAME = re.compile(r"([0-9]{1,18})-[^/]*?" + _SUFFIX)
_MAX_BYTES = 2 << 30
_LEAST_LIMIT, _MOST_RATIO, _MOST_MEMBERS = 64 << 20, 100, 100
"""Limits on unpacked size: JSON compresses to a tenth or a thirtieth, gzip bombs to a thousandth."""


@dataclass(frozen=True, slots=True)
class LoadedMetadata:
    """Table metadata, the file that it was read from, and the table's root by the location of that file."""

    metadata: TableMetadata
    metadata_file: str
    root: str

    def resolver(
        self,
        storage: Storage,
        allow_moved_paths: Literal["auto"] | bool = "auto",
        path_map: Mapping[str, str] | None = None,
    ) -> PathResolver:
        """Return a resolver from recorded paths to paths to read. Its `note` tells if the table has moved.

        Parameters
        ----------
        allow_moved_paths:
            Whether paths under the recorded location are read from `root` instead. `auto` does so if the metadata file
            was not
            read from under that location, and that location does not hold it either.
        path_map:
            {recorded prefix: actual prefix}.
        """
        location, mapping = self.metadata.location, dict(path_map or {})
        if allow_moved_paths is False or same_path(location, self.root):
            return PathResolver(location, None, mapping)
        if allow_moved_paths == "auto" and not self._moved(storage):
            return PathResolver(location, None, mapping)
        return PathResolver(location, self.root, mapping)

    def _moved(self, storage: Storage) -> bool:
        location = self.metadata.location
        if relative_to(self.metadata_file, location) is not None:
            return False
        if parse_location(self.metadata_file).is_local and not parse_location(location).is_local:
            return True  # a local copy is read locally; the store is not asked
        inside = relative_to(self.metadata_file, self.root)
        try:
            return inside is None or not storage.exists(join(location, inside))
        except ProjectorError:  # a store that does not answer counts as not holding it
            return True


def load_metadata(location: str, storage: Storage) -> LoadedMetadata:
    """Read a table's current metadata.

    Parameters
    ----------
    location:
        The table's root, its metadata folder, or a metadata file.

    Raises
    ------
    NotFoundError
        There is nothing there, or a folder without metadata.
    CorruptFileError, InvalidMetadataError, UnsupportedError
        The file cannot be unpacked or parsed, contradicts itself, or has a later format version.
    """
    if not location:  # an empty location, such as an unset variable of a script, must not mean the current folder
        raise NotFoundError("The table's location is empty", hint="give its folder; the current one is called .")
    file = find_metadata_file(_absolute(location), storage)
    return LoadedMetadata(read_metadata(file, storage), file, table_root(file))


def _absolute(location: str) -> str:
    """Return a relative local path as an absolute one, to compare with what metadata records."""
    place = parse_location(location)
    return os.path.abspath(location) if place.is_local and place.path == location else location


def read_metadata(file: str, storage: Storage) -> TableMetadata:
    """Read one metadata file, whether gzip-compressed or not, regardless of its name."""
    try:
        content = _unpacked(read_whole(storage, file))
        if content.startswith(b"PAR1"):
            raise InvalidMetadataError(
                "This is a Parquet file, not a table",
                file=file,
                hint="to read it: projector read --metadata TABLE FILE, or --schema",
            )
    except CorruptFileError as error:
        raise CorruptFileError(error.message, file=file) from None
    return TableMetadata.from_json(content, file=file)


def _unpacked(content: bytes) -> bytes:
    if not content.startswith(b"\x1f\x8b"):
        return content
    parts: list[bytes] = []
    left = min(_MAX_BYTES, max(_LEAST_LIMIT, _MOST_RATIO * len(content)))
    while content:
        if len(parts) >= _MOST_MEMBERS:
            raise CorruptFileError(f"Gzip content has more than {_MOST_MEMBERS} members")
        stream = zlib.decompressobj(31)
        try:
            parts.append(stream.decompress(content, left))
        except zlib.error as error:
            raise CorruptFileError(f"Gzip content is damaged: {error}") from None
        left -= len(parts[-1])
        if not stream.eof:
            raise CorruptFileError("Gzip content is cut off" if left > 0 else "Gzip content is too large")
        content = stream.unused_data.lstrip(b"\0")  # padding
    return b"".join(parts)


def find_metadata_file(location: str, storage: Storage) -> str:
    """Return the current metadata file of a table.

    Raises `NotFoundError`, naming what it looked for, also if a folder has the name of a newer metadata file.

    In a folder, `version-hint.text` names a version or a file; as in Java, versions that follow it without a gap are
    newer
    than the hint. Without a usable hint the highest version counts, of `v<N>.metadata.json` or of
    `<N>-<uuid>.metadata.json`.
    """
    if not storage.is_folder(location):
        if not storage.exists(location):
            name = base_name(location)
            is_dotted = "." in name and not name.startswith(".") and not name.endswith((".json", ".gz", ".parquet"))
            raise NotFoundError(
                f"No such table or metadata file: {location}",
                hint="to look a table up by its name, give --catalog NAME (in Python catalog=)" if is_dotted else None,
            )
        return location
    inner = join(location, "metadata")
    folder = inner if storage.is_folder(inner) else location
    names, folders = storage.listing(folder)
    try:
        current = _current(location, folder, names, storage)
    except NotFoundError:
        _refuse_folders(folder, folders, "")
        raise
    _refuse_folders(folder, folders, base_name(current))
    return current


def _refuse_folders(folder: str, folders: tuple[str, ...], current: str) -> None:
    """Raise for a folder with the name of a newer metadata file, instead of falling back to an older one."""
    for pattern in (HADOOP_NAME, _CATALOG_NAME):
        mine = pattern.fullmatch(current)
        by_version = _by_version(folders, pattern)
        if by_version and max(by_version) > (int(mine[1]) if mine else -1):
            raise NotFoundError(
                f"Is a folder, not a metadata file: {join(folder, by_version[max(by_version)][0])}",
                hint="it has the name of the table's newest metadata; bring the file back, or take the folder away",
            )


def _current(location: str, folder: str, names: tuple[str, ...], storage: Storage) -> str:
    hadoop = _by_version(names, HADOOP_NAME)
    hint = _hint(folder, names, storage)
    for suffix in ("", *SUFFIXES):
        if hint + suffix in names and hint + suffix != "":
            return join(folder, hint + suffix)
    hinted = int(hint) if re.fullmatch(r"[0-9]{1,18}", hint) else None
    if hinted is not None and hinted in hadoop:
        while hinted + 1 in hadoop:
            hinted += 1
        return join(folder, _preferred(hadoop[hinted]))
    catalog = _by_version(names, _CATALOG_NAME)
    if hadoop and (not catalog or hinted is not None):
        return join(folder, _preferred(hadoop[max(hadoop)]))
    if not catalog:
        raise NotFoundError(
            f"No table metadata in {location}",
            hint=f"looked in {folder} for {VERSION_HINT}, v<N>.metadata.json and <N>-<uuid>.metadata.json",
        )
    return _newest(folder, catalog, hadoop)


def _hint(folder: str, names: tuple[str, ...], storage: Storage) -> str:
    """Return the first line of the hint file; empty without one."""
    if VERSION_HINT not in names:
        return ""
    lines = storage.read_bytes(join(folder, VERSION_HINT)).decode("utf-8", "replace").splitlines()
    return lines[0].strip() if lines else ""


def _by_version(names: tuple[str, ...], pattern: re.Pattern[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for name in names:
        if match := pattern.fullmatch(name):
            found.setdefault(int(match[1]), []).append(name)
    return found


def _preferred(names: list[str]) -> str:
    """Return the spelling of a version that Java tries first, if there are several."""
    order = {suffix: position for position, suffix in enumerate(SUFFIXES)}
    return min(names, key=lambda name: (order.get(name[name.index(".") :], 9), name))


def _newest(folder: str, catalog: dict[int, list[str]], hadoop: dict[int, list[str]]) -> str:
    """Return the catalog-style file of the highest version.

    A failed commit can leave a second file of one version behind, and only the catalog knows which one is current.
    """
    names = catalog[max(catalog)] + (hadoop[max(hadoop)] if hadoop else [])
    if len(names) == 1:
        return join(folder, names[0])
    raise InvalidMetadataError(
        f"Cannot tell which metadata file is current in {folder}: {', '.join(sorted(names)[:5])}",
        hint="give the metadata file itself, or load the table through its catalog",
    )
