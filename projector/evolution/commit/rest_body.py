"""Express commits as the REST catalog's CommitTableRequest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from projector.evolution.updates.schema_commit import SchemaCommit
from projector.evolution.updates.transaction import TransactionCommit
from projector.metadata.partitioning import spec_to_json
from projector.metadata.sort_order import sort_order_to_json
from projector.metadata.table_metadata import TableMetadata

LAST_ADDED = -1
"""The id that stands for the schema, spec or sort order that the same request added last."""


def schema_update_body(
    namespace: str | Sequence[str], table: str, current: TableMetadata, commit: SchemaCommit
) -> dict[str, Any]:
    """Return the body of `POST /v1/{prefix}/namespaces/{namespace}/tables/{table}` for a prepared schema update.

    Parameters
    ----------
    namespace:
        The levels of the namespace; text is split at its dots.
    current:
        The metadata that `commit` was prepared from. The request requires that the table still has its state.
    commit:
        The prepared update. For one that changes nothing the body has no updates.
    """
    updates = list(_updates(current, commit.metadata))
    return _body(namespace, table, [*_uuid(current), *_schema_requirements(current)], updates)


def transaction_body(
    namespace: str | Sequence[str], table: str, current: TableMetadata, commit: TransactionCommit
) -> dict[str, Any]:
    """Return the body for a prepared transaction: the updates of all its steps, and their requirements.

    Parameters are those of `schema_update_body`. The request requires that what the transaction changes has not changed
    meanwhile: the current schema, the default spec, the default sort order, and the last assigned ids.
    """
    updates = list(chain.from_iterable(_updates(step.before, step.after) for step in commit.steps))
    return _body(namespace, table, [*_uuid(current), *_requirements(current, updates)], updates)


def _body(
    namespace: str | Sequence[str], table: str, requirements: list[dict[str, Any]], updates: list[dict[str, Any]]
) -> dict[str, Any]:
    levels = namespace.split(".") if isinstance(namespace, str) else list(namespace)
    return {
        "identifier": {"namespace": levels, "name": table},
        "requirements": requirements,
        "updates": updates,
    }


def _uuid(current: TableMetadata) -> list[dict[str, Any]]:
    uuid = current.table_uuid
    return [] if uuid is None else [{"type": "assert-table-uuid", "uuid": uuid}]


def _schema_requirements(current: TableMetadata) -> list[dict[str, Any]]:
    return [
        {"type": "assert-current-schema-id", "current-schema-id": current.current_schema_id},
        {"type": "assert-last-assigned-field-id", "last-assigned-field-id": current.last_column_id},
    ]


def _requirements(current: TableMetadata, updates: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    actions = {update["action"] for update in updates}
    if "set-current-schema" in actions:
        yield from _schema_requirements(current)
    if "add-spec" in actions:
        last = current.last_partition_id
        yield {"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": last}
    if "set-default-spec" in actions:
        yield {"type": "assert-default-spec-id", "default-spec-id": current.default_spec_id}
    if "set-default-sort-order" in actions:
        order_id = current.default_sort_order_id
        yield {"type": "assert-default-sort-order-id", "default-sort-order-id": order_id}


def _updates(before: TableMetadata, after: TableMetadata) -> Iterator[dict[str, Any]]:
    """Return the updates that turn one metadata into another."""
    if before is after:
        return
    if before.table_uuid is None and after.table_uuid is not None:
        yield {"action": "assign-uuid", "uuid": after.table_uuid}
    if before.format_version != after.format_version:
        yield {"action": "upgrade-format-version", "format-version": after.format_version}
    yield from _schemas(before, after)
    yield from _specs(before, after)
    yield from _orders(before, after)
    yield from _properties(before, after)


def _schemas(before: TableMetadata, after: TableMetadata) -> Iterator[dict[str, Any]]:
    added = [schema_id for schema_id in after.schema_ids if schema_id not in before.schema_ids]
    for schema_id in added:
        schema = after.schema(schema_id).to_json_dict()
        yield {"action": "add-schema", "schema": schema, "last-column-id": after.last_column_id}
    current = after.current_schema_id
    if current != before.current_schema_id:
        yield {"action": "set-current-schema", "schema-id": LAST_ADDED if added[-1:] == [current] else current}


def _specs(before: TableMetadata, after: TableMetadata) -> Iterator[dict[str, Any]]:
    added = [spec_id for spec_id in after.spec_ids if spec_id not in before.spec_ids]
    for spec_id in added:
        yield {"action": "add-spec", "spec": spec_to_json(after.spec(spec_id))}
    default = after.default_spec_id
    if default != before.default_spec_id:
        yield {"action": "set-default-spec", "spec-id": LAST_ADDED if added[-1:] == [default] else default}


def _orders(before: TableMetadata, after: TableMetadata) -> Iterator[dict[str, Any]]:
    added = [order_id for order_id in after.sort_orders if order_id not in before.sort_orders]
    for order_id in added:
        yield {"action": "add-sort-order", "sort-order": sort_order_to_json(after.sort_orders[order_id])}
    default = after.default_sort_order_id
    if default != before.default_sort_order_id:
        order_id = LAST_ADDED if added[-1:] == [default] else default
        yield {"action": "set-default-sort-order", "sort-order-id": order_id}


def _properties(before: TableMetadata, after: TableMetadata) -> Iterator[dict[str, Any]]:
    old, new = before.properties, after.properties
    changed = {key: value for key, value in new.items() if old.get(key) != value}
    if changed:
        yield {"action": "set-properties", "updates": changed}
    removed = [key for key in old if key not in new]
    if removed:
        yield {"action": "remove-properties", "removals": removed}
