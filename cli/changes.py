"""Schema changes as rows of a listing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CHANGE_COLUMNS = ("change", "id", "field", "before", "after")


def change_row(change: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the row of one change, from the JSON form of `projector.evolution.diff.schema_diff`."""
    return tuple(change[key] for key in ("kind", "field_id", "path", "before", "after"))
