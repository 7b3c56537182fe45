"""The last step of every commit: its time, and its entry in the metadata log."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from projector.errors import InvalidMetadataError
from projector.metadata.json_fields import get_list
from projector.metadata.table_metadata import TableMetadata

PREVIOUS_VERSIONS_MAX_PROPERTY = "write.metadata.previous-versions-max"
PREVIOUS_VERSIONS_MAX_DEFAULT = 100


def stamped(
    before: TableMetadata, after: TableMetadata, *, metadata_file: str | None, timestamp_ms: int | None
) -> TableMetadata:
    """Return changed metadata with the time of its commit, and the previous file at the end of its metadata log.

    Parameters
    ----------
    metadata_file:
        Location of the file that `before` was read from. By default the file that `before` itself knows; without one,
        the
        log is unchanged.
    timestamp_ms:
        The time of the commit, in milliseconds from 1970-01-01 UTC; now by default. It never goes backwards.

    Raises `InvalidMetadataError` if the table's setting for the length of its log is not a number.
    """
    raw = dict(after.raw)
    now = time.time_ns() // 1_000_000 if timestamp_ms is None else timestamp_ms
    raw["last-updated-ms"] = max(now, before.last_updated_ms)
    if (file := metadata_file or before.file) is not None:
        raw["metadata-log"] = _metadata_log(before, file, after.properties)
    return TableMetadata.from_json(raw)


def _metadata_log(metadata: TableMetadata, metadata_file: str, properties: Mapping[str, str]) -> list[Any]:
    """Return the metadata log with the previous file at its end, cut to the length that the table's settings allow."""
    text = properties.get(PREVIOUS_VERSIONS_MAX_PROPERTY, str(PREVIOUS_VERSIONS_MAX_DEFAULT))
    try:
        kept = max(1, int(text))
    except ValueError:
        raise InvalidMetadataError(
            f"Invalid table property {PREVIOUS_VERSIONS_MAX_PROPERTY}: {text!r} is not a number",
            table=metadata.location,
        ) from None
    before = get_list(metadata.raw, "metadata-log")
    entry = {"timestamp-ms": metadata.last_updated_ms, "metadata-file": metadata_file}
    return [*before, entry][-kept:]
