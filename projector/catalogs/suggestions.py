"""Suggest tables and namespaces of a catalog, for errors about a missing table."""

from __future__ import annotations

import difflib
from typing import Any

_MOST = 10


def tables_like(catalog: Any, identifier: tuple[str, ...]) -> str | None:
    """Return a hint for the name of a missing table; None if the catalog does not list anything."""
    try:
        named = sorted(".".join(found) for found in catalog.list_tables(identifier[:-1]))
    except Exception:  # the namespace is missing as well, or the catalog does not list
        return _namespaces_like(catalog, identifier[:-1])
    close = difflib.get_close_matches(".".join(identifier), named, n=3)
    if close:
        return f"did you mean {', '.join(close)}?"
    return f"there are {', '.join(named[:_MOST])}" if named else f"{'.'.join(identifier[:-1])} has no tables"


def _namespaces_like(catalog: Any, namespace: tuple[str, ...]) -> str | None:
    try:
        named = sorted(".".join(found) for found in catalog.list_namespaces())
    except Exception:  # the error about the table is reported already
        return None
    close = difflib.get_close_matches(".".join(namespace), named, n=3)
    if close:
        return f"did you mean the namespace {', '.join(close)}?"
    return f"there are the namespaces {', '.join(named[:_MOST])}" if named else None
