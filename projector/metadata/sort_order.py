"""Sort orders: how rows are sorted within files (spec: Sorting, Appendix C: Sort Orders)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from projector.errors import InvalidMetadataError
from projector.metadata.json_fields import as_list, as_object, get_int, get_string
from projector.metadata.partitioning import source_ids_from_json, source_ids_to_json

_DIRECTIONS = ("asc", "desc")
_NULL_ORDERS = ("nulls-first", "nulls-last")


@dataclass(frozen=True, slots=True)
class SortField:
    """One field of a sort order: columns, transform as spelled, `asc` or `desc`, `nulls-first` or `nulls-last`."""

    source_ids: tuple[int, ...]
    transform: str
    direction: str
    null_order: str

    @property
    def source_id(self) -> int:
        """The column of a transform of one argument; the first column otherwise."""
        return self.source_ids[0]


@dataclass(frozen=True, slots=True)
class SortOrder:
    """The fields that rows are sorted by, the first one first. Order 0 is the unsorted one."""

    order_id: int
    fields: tuple[SortField, ...] = ()

    @property
    def is_unsorted(self) -> bool:
        """Whether it has no fields."""
        return not self.fields


UNSORTED = SortOrder(0)
"""The order with the id that the spec reserves for no order."""


def sort_order_from_json(value: Any) -> SortOrder:
    """Return a sort order from its JSON object. Raises `InvalidMetadataError`."""
    node = as_object(value, "sort order")
    if "fields" not in node:
        raise InvalidMetadataError("Cannot parse missing field: fields, in a sort order")
    return SortOrder(get_int(node, "order-id"), tuple(_field(f) for f in as_list(node["fields"], "sort order fields")))


def _field(value: Any) -> SortField:
    node = as_object(value, "sort field")
    direction, null_order = get_string(node, "direction").lower(), get_string(node, "null-order").lower()
    if direction not in _DIRECTIONS:
        raise InvalidMetadataError(f"Invalid sort direction: {node['direction']}")
    if null_order not in _NULL_ORDERS:
        raise InvalidMetadataError(f"Invalid null order: {node['null-order']}")
    return SortField(source_ids_from_json(node), get_string(node, "transform"), direction, null_order)


def sort_order_to_json(order: SortOrder) -> dict[str, Any]:
    """Return the order's JSON object."""
    return {
        "order-id": order.order_id,
        "fields": [
            {
                "transform": f.transform,
                **source_ids_to_json(f.source_ids),
                "direction": f.direction,
                "null-order": f.null_order,
            }
            for f in order.fields
        ],
    }
