"""What a catalog has, for errors about a table that it does not have."""

from __future__ import annotations

import difflib
from typing import Any

_MOST = 10


def tables_like(catalog: Any, identifier: tuple[str, ...]) -> str | None:
    """Return what to write instead of the name of a table that a catalog does not have; None if nothing is known."""
    try:
        named = sorted(".".join(found) for found in catalog.list_tables(identifier[:-1]))
    except Exception:  # the namespace is not there either, or the catalog does not list
        return _namespaces_like(catalog, identifier[:-1])
    close = difflib.get_close_matches(".".join(identifier), named, n=3)
    if close:
        return f"did you mean {', '.join(close)}?"
    return f"there are {', '.join(named[:_MOST])}" if named else f"{'.'.join(identifier[:-1])} has no tables"


def _namespaces_like(catalog: Any, namespace: tuple[str, ...]) -> str | None:
    try:
        named = sorted(".".join(found) for found in catalog.list_namespaces())
    except Exception:  # what the catalog says of the table itself is said already
        return None
    close = difflib.get_close_matches(".".join(namespace), named, n=3)
    if close:
        return f"did you mean the namespace {', '.join(close)}?"
    return f"there are the namespaces {', '.join(named[:_MOST])}" if named else None
