"""Paths of local files in the form in which DuckDB opens exactly those files."""

from __future__ import annotations

import os
import re

from projector.files.storage.locations import parse_location

_PATTERN = re.compile(r"[*?\[]")


def local_path(location: str) -> str:
    """Return a location on a local disk as an absolute path."""
    return os.path.abspath(parse_location(location).path)


def duckdb_path(location: str) -> str | None:
    """Return the path by which `read_parquet` opens exactly this location; None if it cannot, or might open another.

    DuckDB treats paths as patterns. Brackets around a character with a meaning in patterns make it literal.
    """
    parsed = parse_location(location)
    if not parsed.is_local or parsed.authority:
        return None
    path = local_path(location)
    if not _PATTERN.search(path):
        return path
    # In a pattern a backslash escapes the next character, and braces list alternatives.
    if any(c in path for c in "\\{}\0"):
        return None
    return _PATTERN.sub(lambda found: f"[{found[0]}]", path)
