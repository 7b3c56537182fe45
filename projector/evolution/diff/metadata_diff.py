"""Compare two versions of a table's metadata, key by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from projector.metadata.table_metadata import TableMetadata

_KEYS = {
    "schemas": "schema-id",
    "partition-specs": "spec-id",
    "sort-orders": "order-id",
    "snapshots": "snapshot-id",
}
"""Lists whose members are identified by an id."""


def diff_metadata(before: TableMetadata, after: TableMetadata) -> list[tuple[str, Any, Any]]:
    """Yield every value that differs: its path, such as `schemas[3]` or `properties.owner`, and the value before and
    after.

    None stands for a missing value.
    """
    return list(_differences("", before.raw, after.raw))


def _differences(path: str, before: Any, after: Any) -> Iterator[tuple[str, Any, Any]]:
    if before == after:
        return
    key = _KEYS.get(path)
    if key is not None and isinstance(before, list) and isinstance(after, list):
        old, new = ({node.get(key): node for node in nodes} for nodes in (before, after))
        for number in dict.fromkeys((*old, *new)):
            if old.get(number) != new.get(number):
                yield f"{path}[{number}]", old.get(number), new.get(number)
    elif path == "metadata-log" and isinstance(after, list):
        yield f"{path}[{len(after) - 1}]", None, after[-1] if after else None
    elif isinstance(before, Mapping) and isinstance(after, Mapping) and path in ("", "properties"):
        for name in dict.fromkeys((*before, *after)):
            yield from _differences(f"{path}.{name}" if path else name, before.get(name), after.get(name))
    else:
        yield path, before, after
