"""Where DuckDB reads: paths as it takes them, literally."""

from __future__ import annotations

import os
import re

from projector.files.storage.locations import parse_location

_PATTERN = re.compile(r"[*?\[]")


def local_path(location: str) -> str:
    """A location on a local disk as an absolute path."""
    return os.path.abspath(parse_location(location).path)


def duckdb_path(location: str) -> str | None:
    """A location as `read_parquet` opens exactly it; None where it cannot, or might open another one.

    DuckDB takes paths for patterns: characters that mean something in one are put in brackets, where they mean
    themselves.
    """
    parsed = parse_location(location)
    if not parsed.is_local or parsed.authority:
        return None
    path = local_path(location)
    if not _PATTERN.search(path):
        return path
    # In a pattern a backslash takes the meaning from the next character, braces may list alternatives.
    if any(c in path for c in "\\{}\0"):
        return None
    return _PATTERN.sub(lambda found: f"[{found[0]}]", path)
