"""Partition specs: how partition tuples derive from rows (spec: Partitioning, Appendix C: Partition Specs)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from projector.errors import InvalidMetadataError
from projector.metadata.json_fields import Json, as_list, as_object, get_int, get_string

PARTITION_FIELD_ID_START = 1000
"""The first id of partition fields; specs of version 1 number their fields from it."""


@dataclass(frozen=True, slots=True)
class PartitionField:
    """One field of a partition spec.

    Parameters
    ----------
    source_ids:
        Ids of the source columns: one, or several for a transform of several arguments (v3).
    field_id:
        Id of the partition field, also in manifests.
    name:
        Its name, which no other column may have.
    transform:
        The transform in metadata's spelling, such as `bucket[16]`; it may be unknown.
    """

    source_ids: tuple[int, ...]
    field_id: int
    name: str
    transform: str

    @property
    def source_id(self) -> int:
        """The column of a transform of one argument; the first column otherwise."""
        return self.source_ids[0]

    @property
    def is_identity(self) -> bool:
        """Whether the partition value is the column's value itself."""
        return self.transform.lower() == "identity" and len(self.source_ids) == 1

    @property
    def is_void(self) -> bool:
        """Whether the field was dropped in the way of version 1: its value is always null."""
        return self.transform.lower() == "void"


@dataclass(frozen=True)
class PartitionSpec:
    """The partition fields of the files that were written with it; ids are unique within the spec."""

    spec_id: int
    fields: tuple[PartitionField, ...] = ()

    @property
    def is_unpartitioned(self) -> bool:
        """Whether all files share one partition: there is no field, or only void ones."""
        return all(field.is_void for field in self.fields)

    @cached_property
    def fields_by_id(self) -> Mapping[int, PartitionField]:
        """The fields by partition field id."""
        return {field.field_id: field for field in self.fields}

    @cached_property
    def identity_source_ids(self) -> Mapping[int, int]:
        """Column id to partition field id, for the fields whose value is the column's value.

        If two identity fields share a column, the first counts.
        """
        found: dict[int, int] = {}
        for field in self.fields:
            if field.is_identity:
                found.setdefault(field.source_id, field.field_id)
        return found

    @property
    def highest_field_id(self) -> int:
        """The highest partition field id, or 999 without fields."""
        return max((field.field_id for field in self.fields), default=PARTITION_FIELD_ID_START - 1)


def spec_from_json(value: Any) -> PartitionSpec:
    """Return a spec from its JSON object. Raises `InvalidMetadataError`."""
    node = as_object(value, "partition spec")
    if "fields" not in node:
        raise InvalidMetadataError("Cannot parse missing field: fields, in a partition spec")
    return PartitionSpec(get_int(node, "spec-id"), spec_fields_from_json(node["fields"]))


def spec_fields_from_json(value: Any) -> tuple[PartitionField, ...]:
    """Return the fields of a spec from their JSON array. Raises `InvalidMetadataError`.

    If no field has an id (version 1), ids are assigned in order from 1000.
    """
    nodes = [as_object(node, "partition field") for node in as_list(value, "partition spec fields")]
    missing = sum("field-id" not in node for node in nodes)
    if missing not in (0, len(nodes)):
        raise InvalidMetadataError(
            f"Cannot parse spec with missing field IDs: {missing} missing of {len(nodes)} fields."
        )
    fields = tuple(
        PartitionField(
            source_ids_from_json(node),
            PARTITION_FIELD_ID_START + position if missing else get_int(node, "field-id"),
            get_string(node, "name"),
            get_string(node, "transform"),
        )
        for position, node in enumerate(nodes)
    )
    seen: set[int] = set()
    for field in fields:
        if field.field_id in seen:
            raise InvalidMetadataError(f"Two fields of a partition spec have one id: {field.field_id}")
        seen.add(field.field_id)
    return fields


def source_ids_from_json(node: Json) -> tuple[int, ...]:
    """Return the source columns of a partition or sort field: `source-ids` if present, else `source-id`."""
    if node.get("source-ids") is None:
        return (get_int(node, "source-id"),)
    ids = as_list(node["source-ids"], "source-ids")
    if not ids:
        raise InvalidMetadataError("Cannot parse source-ids: it is empty")
    return tuple(get_int({"source-ids": i}, "source-ids") for i in ids)


def spec_to_json(spec: PartitionSpec) -> dict[str, Any]:
    """Return the spec's JSON object."""
    return {"spec-id": spec.spec_id, "fields": spec_fields_to_json(spec)}


def spec_fields_to_json(spec: PartitionSpec) -> list[dict[str, Any]]:
    """Return the JSON array of a spec's fields, as in the deprecated `partition-spec` and in manifests."""
    return [
        {"name": f.name, "transform": f.transform, **source_ids_to_json(f.source_ids), "field-id": f.field_id}
        for f in spec.fields
    ]


def source_ids_to_json(source_ids: tuple[int, ...]) -> dict[str, Any]:
    """Return `source-id` for one column, `source-ids` for several, as the spec requires."""
    return {"source-id": source_ids[0]} if len(source_ids) == 1 else {"source-ids": list(source_ids)}
