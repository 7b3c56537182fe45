"""A schema update as the REST catalog's CommitTableRequest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from projector.evolution.schema_commit import SchemaCommit
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema_json import schema_to_json_dict

LAST_ADDED = -1
"""Stands for the schema that the same request adds."""


def schema_update_body(
    namespace: str | Sequence[str], table: str, current: TableMetadata, commit: SchemaCommit
) -> dict[str, Any]:
    """The body of `POST /v1/{prefix}/namespaces/{namespace}/tables/{table}` for a prepared schema update.

    Parameters
    ----------
    namespace:
        The levels of the namespace; text is split at its dots.
    current:
        The metadata that `commit` was prepared from: the request asks that the table has not moved on from it.
    commit:
        The prepared update. One that changes nothing has no updates.
    """
    levels = namespace.split(".") if isinstance(namespace, str) else list(namespace)
    return {
        "identifier": {"namespace": levels, "name": table},
        "requirements": _requirements(current),
        "updates": _updates(current, commit) if commit.changed else [],
    }


def _requirements(current: TableMetadata) -> list[dict[str, Any]]:
    uuid = current.table_uuid
    return [
        *([] if uuid is None else [{"type": "assert-table-uuid", "uuid": uuid}]),
        {"type": "assert-current-schema-id", "current-schema-id": current.current_schema_id},
        {"type": "assert-last-assigned-field-id", "last-assigned-field-id": current.last_column_id},
    ]


def _updates(current: TableMetadata, commit: SchemaCommit) -> list[dict[str, Any]]:
    updates: list[dict[str, Any]] = []
    if commit.added:
        schema = schema_to_json_dict(commit.schema)
        last_column_id = commit.metadata.last_column_id
        updates.append({"action": "add-schema", "schema": schema, "last-column-id": last_column_id})
        updates.append({"action": "set-current-schema", "schema-id": LAST_ADDED})
    else:
        updates.append({"action": "set-current-schema", "schema-id": commit.schema.schema_id})
    before, after = current.properties, commit.metadata.properties
    changed = {key: value for key, value in after.items() if before.get(key) != value}
    if changed:
        updates.append({"action": "set-properties", "updates": changed})
    removed = [key for key in before if key not in after]
    if removed:
        updates.append({"action": "remove-properties", "removals": removed})
    return updates
