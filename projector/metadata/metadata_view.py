"""Table metadata of format versions 1 to 3, as real writers leave it (spec: Table Metadata, Appendices C and E)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from projector.errors import InvalidMetadataError, NotFoundError, ProjectorError
from projector.metadata.json_fields import (
    Json,
    as_list,
    as_object,
    get_int,
    get_int_or_none,
    get_list,
    get_long,
    get_long_or_none,
    get_string,
    get_string_or_none,
    get_strings,
)
from projector.metadata.partitioning import PartitionSpec, spec_from_json
from projector.metadata.snapshots import (
    MAIN_BRANCH,
    MetadataLogEntry,
    Snapshot,
    SnapshotLogEntry,
    SnapshotRef,
    metadata_log_from_json,
    ref_from_json,
    snapshot_from_json,
    snapshot_log_from_json,
)
from projector.metadata.sort_order import UNSORTED, SortOrder, sort_order_from_json
from projector.schema.name_mapping import NAME_MAPPING_PROPERTY, NameMapping
from projector.schema.schema import Schema

_T = TypeVar("_T")


@dataclass(frozen=True)
class MetadataView:
    """One version of a table's metadata: a view over its JSON, which is kept as it was read, unknown keys included.

    Parts are parsed when they are first asked for, so that a long history costs nothing unless it is looked at; a
    malformed part raises `InvalidMetadataError` then.

    Parameters
    ----------
    raw:
        The JSON object. It is shared, not copied: do not change it.
    file:
        The metadata file it was read from, for messages.
    """

    raw: Mapping[str, Any] = field(hash=False, repr=False)
    file: str | None = field(default=None, compare=False)

    def to_json(self) -> str:
        """Return the JSON text on one line, with every key that was read."""
        text = json.dumps(self.raw, ensure_ascii=False, separators=(",", ":"))
        try:
            text.encode()
        except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can represent
            return json.dumps(self.raw, separators=(",", ":"))
        return text

    @property
    def format_version(self) -> int:
        """1, 2 or 3."""
        return get_int(self.raw, "format-version")

    @property
    def table_uuid(self) -> str | None:
        """The UUID as text; None if version 1 omits it."""
        return get_string_or_none(self.raw, "table-uuid")

    @property
    def location(self) -> str:
        """The table's base location as recorded, without a slash at the end."""
        text = get_string(self.raw, "location")
        return text.rstrip("/") or text

    @property
    def last_sequence_number(self) -> int:
        """The highest sequence number assigned; 0 in version 1."""
        return 0 if self.format_version == 1 else get_long(self.raw, "last-sequence-number")

    @property
    def last_updated_ms(self) -> int:
        """When this version was written, in milliseconds from 1970-01-01 UTC."""
        return get_long(self.raw, "last-updated-ms")

    @property
    def last_column_id(self) -> int:
        """The highest field id ever assigned."""
        return get_int(self.raw, "last-column-id")

    @property
    def next_row_id(self) -> int:
        """The first free row id; 0 below version 3."""
        return 0 if self.format_version < 3 else get_long(self.raw, "next-row-id")

    @cached_property
    def properties(self) -> Mapping[str, str]:
        """The table properties."""
        return get_strings(self.raw, "properties")

    # Schemas

    @cached_property
    def _raw_schemas(self) -> Mapping[int, Json]:
        """Each schema's JSON by its id, in the order of the metadata."""
        listed = self.raw.get("schemas")
        if listed is None:
            self._version_1_only("schemas")
            nodes = [as_object(_present(self.raw, "schema"), "schema")]
        else:
            nodes = [as_object(node, "schema") for node in as_list(listed, "schemas")]
        return _by_id(((get_int_or_none(node, "schema-id") or 0, node) for node in nodes), "schema")

    @cached_property
    def _parsed_schemas(self) -> dict[int, Schema]:
        return {}

    @property
    def schema_ids(self) -> tuple[int, ...]:
        """The ids of all schemas, in the order of the metadata."""
        return tuple(self._raw_schemas)

    def schema_json(self, schema_id: int) -> Json | None:
        """Return the JSON of a schema, None for an unknown id. It is shared, not copied: do not change it."""
        return self._raw_schemas.get(schema_id)

    @cached_property
    def current_schema_id(self) -> int:
        """The id of the current schema."""
        if self.raw.get("schemas") is None:
            return next(iter(self._raw_schemas))
        if self.raw.get("current-schema-id") is None and self.format_version == 1:
            alone = as_object(_present(self.raw, "schema"), "schema")
            return get_int_or_none(alone, "schema-id") or 0
        return get_int(self.raw, "current-schema-id")

    @property
    def current_schema(self) -> Schema:
        """The current schema."""
        return self.schema()

    def schema(self, schema_id: int | None = None) -> Schema:
        """Return the schema with an id, or the current one. Raises `NotFoundError` for an unknown id."""
        wanted = self.current_schema_id if schema_id is None else schema_id
        found = self._parsed_schemas.get(wanted)
        if found is None:
            if wanted not in self._raw_schemas:
                known = ", ".join(map(str, self.schema_ids[-20:]))
                raise NotFoundError(f"Cannot find schema with id {wanted}", hint=f"the table has schemas {known}")
            node = self._raw_schemas[wanted]
            with errors_in(self.file):
                found = Schema.from_json(node if "schema-id" in node else {**node, "schema-id": wanted})
                found.fields_by_id  # noqa: B018 - raises where two fields have one id
            self._parsed_schemas[wanted] = found
        return found

    @property
    def schemas(self) -> tuple[Schema, ...]:
        """All schemas, in the order of the metadata."""
        return tuple(self.schema(schema_id) for schema_id in self._raw_schemas)

    @cached_property
    def name_mapping(self) -> NameMapping | None:
        """The name mapping for files without field ids; None if the table has none.

        Raises `InvalidMetadataError` if the property does not hold a name mapping.
        """
        text = self.properties.get(NAME_MAPPING_PROPERTY)
        if text is None:
            return None
        try:
            return NameMapping.from_json(text)
        except ProjectorError as error:
            raise InvalidMetadataError(
                f"Cannot parse table property {NAME_MAPPING_PROPERTY}: {error}", file=self.file
            ) from error

    # Partition specs and sort orders

    @cached_property
    def _raw_specs(self) -> Mapping[int, Json]:
        listed = self.raw.get("partition-specs")
        if listed is None:
            self._version_1_only("partition-specs")
            return {0: {"spec-id": 0, "fields": _present(self.raw, "partition-spec")}}
        nodes = [as_object(node, "partition spec") for node in as_list(listed, "partition specs")]
        return _by_id(((get_int(node, "spec-id"), node) for node in nodes), "partition spec")

    @property
    def default_spec_id(self) -> int:
        """The id of the spec that new files are written with."""
        return 0 if self.raw.get("partition-specs") is None else get_int(self.raw, "default-spec-id")

    @property
    def spec_ids(self) -> tuple[int, ...]:
        """The ids of all partition specs, in the order of the metadata."""
        return tuple(self._raw_specs)

    @cached_property
    def specs(self) -> Mapping[int, PartitionSpec]:
        """All partition specs by id."""
        with errors_in(self.file):
            return {spec_id: spec_from_json(node) for spec_id, node in self._raw_specs.items()}

    def spec(self, spec_id: int | None = None) -> PartitionSpec:
        """Return the partition spec with an id, or the default one. Raises `NotFoundError` for an unknown id."""
        wanted = self.default_spec_id if spec_id is None else spec_id
        if wanted not in self.specs:
            known = ", ".join(map(str, self.specs))
            raise NotFoundError(f"Cannot find partition spec with id {wanted}", hint=f"the table has specs {known}")
        return self.specs[wanted]

    @cached_property
    def last_partition_id(self) -> int:
        """The highest partition field id ever assigned; 999 if none was."""
        given = get_int_or_none(self.raw, "last-partition-id")
        if given is None:
            self._version_1_only("last-partition-id")
            return max(spec.highest_field_id for spec in self.specs.values())
        return given

    @cached_property
    def sort_orders(self) -> Mapping[int, SortOrder]:
        """All sort orders by id; the unsorted order, 0, always exists."""
        if self.raw.get("sort-orders") is None:
            self._version_1_only("sort-orders")
            return {0: UNSORTED}
        orders = [sort_order_from_json(node) for node in as_list(self.raw["sort-orders"], "sort orders")]
        return {0: UNSORTED, **_by_id(((order.order_id, order) for order in orders), "sort order")}

    @property
    def default_sort_order_id(self) -> int:
        """The id of the order that new files are sorted by."""
        return 0 if self.raw.get("sort-orders") is None else get_int(self.raw, "default-sort-order-id")

    # Snapshots

    @cached_property
    def _raw_snapshots(self) -> Mapping[int, Json]:
        nodes = [as_object(node, "snapshot") for node in get_list(self.raw, "snapshots")]
        return _by_id(((get_long(node, "snapshot-id"), node) for node in nodes), "snapshot")

    @cached_property
    def _parsed_snapshots(self) -> dict[int, Snapshot]:
        return {}

    @cached_property
    def current_snapshot_id(self) -> int | None:
        """The id of the current snapshot; None without one, which Java may write as -1."""
        given = get_long_or_none(self.raw, "current-snapshot-id")
        return None if given == -1 else given

    @property
    def current_snapshot(self) -> Snapshot | None:
        """The current snapshot; None for a table without one."""
        return None if self.current_snapshot_id is None else self.snapshot(self.current_snapshot_id)

    @property
    def snapshot_ids(self) -> tuple[int, ...]:
        """The ids of all snapshots, in the order of the metadata."""
        return tuple(self._raw_snapshots)

    @property
    def snapshots(self) -> tuple[Snapshot, ...]:
        """All snapshots, in the order of the metadata."""
        return tuple(self.snapshot(snapshot_id) for snapshot_id in self._raw_snapshots)

    def snapshot(self, snapshot_id: int) -> Snapshot:
        """Return the snapshot with an id. Raises `NotFoundError` if there is none: it may have expired."""
        found = self._parsed_snapshots.get(snapshot_id)
        if found is None:
            if snapshot_id not in self._raw_snapshots:
                raise NotFoundError(f"Cannot find snapshot with id {snapshot_id}", table=self.location)
            with errors_in(self.file):
                found = snapshot_from_json(self._raw_snapshots[snapshot_id])
            self._parsed_snapshots[snapshot_id] = found
        return found

    @cached_property
    def refs(self) -> Mapping[str, SnapshotRef]:
        """Branches and tags by name; `main` exists whenever there is a current snapshot."""
        given = self.raw.get("refs")
        found = {} if given is None else {name: ref_from_json(r) for name, r in as_object(given, "refs").items()}
        if self.current_snapshot_id is not None and MAIN_BRANCH not in found:
            found[MAIN_BRANCH] = SnapshotRef(self.current_snapshot_id, "branch")
        return found

    def snapshot_by_ref(self, name: str) -> Snapshot:
        """Return the snapshot of a branch or tag. Raises `NotFoundError` for an unknown name."""
        if name not in self.refs:
            known = ", ".join(self.refs) or "none"
            raise NotFoundError(f"Cannot find ref {name}", table=self.location, hint=f"the table's refs: {known}")
        return self.snapshot(self.refs[name].snapshot_id)

    @cached_property
    def snapshot_log(self) -> tuple[SnapshotLogEntry, ...]:
        """When each snapshot became current."""
        with errors_in(self.file):
            return tuple(snapshot_log_from_json(node) for node in get_list(self.raw, "snapshot-log"))

    def snapshot_as_of(self, timestamp_ms: int) -> Snapshot:
        """Return the snapshot that was current at a time, by the snapshot log (spec: Point in Time Reads).

        Parameters
        ----------
        timestamp_ms:
            Milliseconds from 1970-01-01 UTC; a snapshot is current from its own millisecond on.

        Raises `NotFoundError` if the log is empty or does not reach back that far.
        """
        found: int | None = None
        for entry in self.snapshot_log:
            if entry.timestamp_ms <= timestamp_ms:
                found = entry.snapshot_id
        if found is None:
            first = min((entry.timestamp_ms for entry in self.snapshot_log), default=None)
            raise NotFoundError(
                f"Cannot find a snapshot older than or at {timestamp_ms} ms",
                table=self.location,
                hint="the snapshot log is empty" if first is None else f"the snapshot log begins at {first} ms",
            )
        return self.snapshot(found)

    @cached_property
    def metadata_log(self) -> tuple[MetadataLogEntry, ...]:
        """The previous metadata files."""
        with errors_in(self.file):
            return tuple(metadata_log_from_json(node) for node in get_list(self.raw, "metadata-log"))

    def _version_1_only(self, name: str) -> None:
        if self.format_version > 1:
            raise InvalidMetadataError(f"{name} must exist in format v{self.format_version}")


@contextmanager
def errors_in(file: str | None) -> Iterator[None]:
    """Name the metadata file in errors raised inside."""
    try:
        yield
    except ProjectorError as error:
        if error.file is None:
            error.file = file
        raise


def _present(node: Json, name: str) -> Any:
    if node.get(name) is None:
        raise InvalidMetadataError(f"Cannot parse missing field: {name}")
    return node[name]


def _by_id(pairs: Iterator[tuple[int, _T]], what: str) -> dict[int, _T]:
    found: dict[int, _T] = {}
    for number, value in pairs:
        if number in found:
            raise InvalidMetadataError(f"Two {what}s have one id: {number}")
        found[number] = value
    return found
