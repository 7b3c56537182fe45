"""Check that a commit by pyiceberg would write exactly the prepared metadata. If not, it is not used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from projector.catalogs.catalog_table import LoadedTable
from projector.errors import ProjectorError, UnsupportedError
from projector.metadata.table_metadata import TableMetadata

_TIMES = {"last-updated-ms", "metadata-log"}
_MAY_BE_ABSENT: dict[str, Any] = {
    "refs": {},
    "properties": {},
    "snapshots": [],
    "snapshot-log": [],
    "statistics": [],
    "partition-statistics": [],
    "current-snapshot-id": -1,
}


def pyiceberg_request(
    current: LoadedTable, body: Mapping[str, Any], expected: TableMetadata, *, kind: str, table: str
) -> Any:
    """Return a request as pyiceberg's `CommitTableRequest`, if pyiceberg would write the expected metadata.

    Parameters
    ----------
    kind:
        The kind of the catalog, for messages.

    Raises `UnsupportedError` if pyiceberg would lose or change something, and says what.
    """
    from pyiceberg.table import CommitTableRequest
    from pyiceberg.table.metadata import TableMetadataUtil
    from pyiceberg.table.update import update_table_metadata

    def rejected(why: str) -> UnsupportedError:
        return UnsupportedError(
            f"Cannot commit through {kind}: {why}", table=table, hint="commit it with another client, or through REST"
        )

    try:
        request = CommitTableRequest.model_validate(body)
        before = TableMetadataUtil.parse_obj(dict(current.metadata.raw))
        made = update_table_metadata(before, request.updates, metadata_location=current.metadata_file)
        written = TableMetadata.from_json(made.model_dump_json(by_alias=True))
    except ProjectorError as error:
        raise rejected(f"pyiceberg would write metadata that is not valid ({error.message})") from None
    except Exception as error:  # pydantic and pyiceberg raise many kinds of errors
        reason = " ".join(str(error).split())[:300]
        raise rejected(f"pyiceberg cannot express the change ({type(error).__name__}: {reason})") from None
    if differences := list(differences_between(expected, written)):
        raise rejected(f"pyiceberg would not write {', '.join(differences)} as asked")
    return request


def differences_between(expected: TableMetadata, written: TableMetadata) -> Iterator[str]:
    """Yield the names of parts that differ between two metadata, except for times and the log."""
    for name in ("format_version", "table_uuid", "location", "last_column_id", "current_schema_id", "default_spec_id"):
        if getattr(expected, name) != getattr(written, name):
            yield name.replace("_", "-")
    for name in ("default_sort_order_id", "last_partition_id", "properties", "refs", "snapshots", "sort_orders"):
        if getattr(expected, name) != getattr(written, name):
            yield name.replace("_", "-")
    if sorted(expected.schema_ids) != sorted(written.schema_ids):
        yield "the schemas"
    else:
        for schema_id in expected.schema_ids:
            if not expected.schema(schema_id).same_columns(written.schema(schema_id)):
                yield f"schema {schema_id}"
    if expected.specs != written.specs:
        yield "the partition specs"
    for key, value in expected.raw.items():
        if key not in written.raw and key not in _TIMES and value is not None and value != _MAY_BE_ABSENT.get(key):
            yield key
