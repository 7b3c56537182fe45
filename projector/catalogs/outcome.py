"""Find out from the state of a table whether an unanswered request was carried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from projector.metadata.partitioning import spec_to_json
from projector.metadata.sort_order import sort_order_to_json
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema


def is_done(body: Mapping[str, Any], before: TableMetadata, now: TableMetadata) -> bool:
    """Return whether a request was carried out on a table.

    A commit is atomic, so the schemas, specs and sort orders that the request adds decide, by their columns and ids:
    they stay in the table when later commits follow. If another writer added the same ones under the same ids, that is
    just as good. A request that adds none counts as done if everything is as it asks.

    Parameters
    ----------
    body:
        The request.
    before:
        The metadata that it was prepared from.
    now:
        The current metadata of the table.
    """
    updates = body["updates"]
    added = [update for update in updates if update["action"] in _ADDED]
    if added:
        return all(_ADDED[update["action"]](update, before, now) for update in added)
    return all(_holds(update, now) for update in updates)


def _schema_added(update: Mapping[str, Any], before: TableMetadata, now: TableMetadata) -> bool:
    expected = Schema.from_json(update["schema"])
    names = [field.name for field in expected.fields]
    return any(
        schema.same_columns(expected)
        for schema_id in now.schema_ids
        if schema_id not in before.schema_ids
        for schema in (now.schema(schema_id),)
        if [field.name for field in schema.fields] == names
    )


def _spec_added(update: Mapping[str, Any], before: TableMetadata, now: TableMetadata) -> bool:
    new = (spec_to_json(now.spec(spec_id)) for spec_id in now.spec_ids if spec_id not in before.spec_ids)
    return any(spec["fields"] == update["spec"]["fields"] for spec in new)


def _order_added(update: Mapping[str, Any], before: TableMetadata, now: TableMetadata) -> bool:
    new = (sort_order_to_json(order) for i, order in now.sort_orders.items() if i not in before.sort_orders)
    return any(order["fields"] == update["sort-order"]["fields"] for order in new)


_ADDED = {"add-schema": _schema_added, "add-spec": _spec_added, "add-sort-order": _order_added}


def _holds(update: Mapping[str, Any], now: TableMetadata) -> bool:
    match update["action"]:
        case "set-current-schema":
            return bool(now.current_schema_id == update["schema-id"])
        case "set-default-spec":
            return bool(now.default_spec_id == update["spec-id"])
        case "set-default-sort-order":
            return bool(now.default_sort_order_id == update["sort-order-id"])
        case "set-properties":
            return all(now.properties.get(key) == value for key, value in update["updates"].items())
        case "remove-properties":
            return not any(key in now.properties for key in update["removals"])
        case "upgrade-format-version":
            return bool(now.format_version >= update["format-version"])
        case "assign-uuid":
            return bool(now.table_uuid == update["uuid"])
    return False


def describe_request(body: Mapping[str, Any]) -> str:
    """Describe what a request adds or sets in a few words, for a message about an unknown outcome."""
    for update in body["updates"]:
        if update["action"] == "add-schema":
            schema = Schema.from_json(update["schema"])
            return f"a schema of {len(schema.fields)} columns whose highest field id is {schema.highest_field_id}"
    return ", ".join(sorted({update["action"] for update in body["updates"]}))
