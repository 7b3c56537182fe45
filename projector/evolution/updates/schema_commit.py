"""Prepare the commit of a schema update: build the next metadata from the table's present one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from projector.evolution.apply.next_metadata import stamped
from projector.evolution.apply.pending import Rules
from projector.evolution.apply.property_updates import followed_properties
from projector.evolution.apply.schema import Applied, Outcome, apply_statements, try_statements
from projector.evolution.apply.table_rules import check_partitioning_and_order
from projector.evolution.updates.update_schema import UpdateSchema
from projector.metadata.contradictions import id_above_last
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema


@dataclass(frozen=True, slots=True)
class SchemaCommit:
    """A prepared schema update. Nothing of it has been written.

    Parameters
    ----------
    metadata:
        The table's metadata after the commit; the given object itself if nothing changes.
    schema:
        The schema that is current after the commit.
    added:
        Whether the commit adds the schema. False if the table already has an equal one, whose id is reused.
    changed:
        Whether there is anything to commit.
    """

    metadata: TableMetadata
    schema: Schema
    added: bool
    changed: bool


def prepare_schema_update(
    metadata: TableMetadata,
    update: UpdateSchema,
    *,
    metadata_file: str | None = None,
    timestamp_ms: int | None = None,
) -> SchemaCommit:
    """Apply a schema update to a table's metadata.

    Parameters
    ----------
    metadata:
        The table's present metadata. Its format version decides what is legal, not the update's.
    update:
        The changes.
    metadata_file:
        Location of the file that `metadata` was read from, for the metadata log. By default the file that the metadata
        itself knows; without one, the log is unchanged.
    timestamp_ms:
        The time of the commit, in milliseconds from 1970-01-01 UTC; now by default.

    Raises
    ------
    SchemaUpdateError
        A change cannot be applied to the current schema, or the partition specs or the sort order forbid it.
    """
    commit = change_schema(metadata, update)
    if not commit.changed:
        return commit
    after = stamped(metadata, commit.metadata, metadata_file=metadata_file, timestamp_ms=timestamp_ms)
    return replace(commit, metadata=after)


def change_schema(metadata: TableMetadata, update: UpdateSchema) -> SchemaCommit:
    """Apply a schema update like `prepare_schema_update`, without commit time and log."""
    return commit_applied(metadata, apply_update(metadata, update))


def commit_applied(metadata: TableMetadata, steps: Sequence[Applied]) -> SchemaCommit:
    """Return the commit of what the statements of an update do to the current schema, without commit time and log."""
    base = metadata.current_schema
    result = steps[-1].schema
    if result.same_columns(base):
        return SchemaCommit(metadata, base, added=False, changed=False)
    properties = followed_properties(metadata.properties, base, steps)
    return with_schema(metadata, result, steps[-1].last_column_id, properties)


def with_schema(
    metadata: TableMetadata, result: Schema, last_column_id: int, properties: Mapping[str, str]
) -> SchemaCommit:
    """Return a table's metadata with another current schema, an earlier or a new one, without commit time and log.

    Raises `SchemaUpdateError` for a schema that the partition specs or the sort order forbid.
    """
    check_partitioning_and_order(metadata, result)
    earlier = _equal_schema(metadata, result)
    schema = replace(result, schema_id=max(metadata.schema_ids) + 1) if earlier is None else earlier
    raw = dict(metadata.raw)
    raw["last-column-id"] = max(metadata.last_column_id, last_column_id)
    raw["current-schema-id"] = schema.schema_id
    raw["schemas"] = _schemas(metadata, schema if earlier is None else None)
    if metadata.format_version == 1:
        raw["schema"] = next(node for node in raw["schemas"] if node.get("schema-id", 0) == schema.schema_id)
    if properties != metadata.properties:
        raw["properties"] = dict(properties)
    return SchemaCommit(TableMetadata.from_json(raw), schema, added=earlier is None, changed=True)


def apply_update(metadata: TableMetadata, update: UpdateSchema) -> tuple[Applied, ...]:
    """Return what each statement of an update does to a table's current schema. Raises `SchemaUpdateError`."""
    steps = apply_statements(
        update.operations,
        metadata.current_schema,
        _last_column_id(metadata),
        format_version=metadata.format_version,
        case_sensitive=update.case_sensitive,
        allow_incompatible_changes=update.allow_incompatible_changes,
    )
    if (error := id_above_last(metadata)) is not None:  # after Java's own errors about the change
        raise error
    return steps


def try_update_of(metadata: TableMetadata, update: UpdateSchema) -> Outcome:
    """Apply as much of an update as possible to a table's current schema, and return why the rest cannot be applied.

    Raises `SchemaUpdateError` if no schema of the table can be changed at all.
    """
    if (error := id_above_last(metadata)) is not None:
        raise error
    rules = Rules(metadata.format_version, update.case_sensitive, update.allow_incompatible_changes)
    return try_statements(update.operations, metadata.current_schema, _last_column_id(metadata), rules)


def _last_column_id(metadata: TableMetadata) -> int:
    """Return the highest id ever assigned, even if a writer left `last-column-id` below the ids of an older schema.

    If it is below the ids of the current schema it is returned as it is: the update then gives Java's answer.
    """
    if id_above_last(metadata) is not None:
        return metadata.last_column_id
    try:
        return max(metadata.last_column_id, *(_highest_id(node) for node in _schemas(metadata, None)))
    except (KeyError, TypeError, AttributeError):  # malformed: parsing reports it with the place and the reason
        return max(metadata.last_column_id, *(schema.highest_field_id for schema in metadata.schemas))


def _highest_id(node: Any) -> int:
    """Return the highest field id in a schema's JSON. It is not parsed, because a table may have many schemas."""
    highest, left = 0, [node]
    while left:
        here = left.pop()
        match here.get("type"):
            case "struct":
                for field in here["fields"]:
                    highest = max(highest, field["id"])
                    if isinstance(field["type"], dict):
                        left.append(field["type"])
            case "list":
                highest = max(highest, here["element-id"])
                left += [here["element"]] if isinstance(here["element"], dict) else []
            case "map":
                highest = max(highest, here["key-id"], here["value-id"])
                left += [here[child] for child in ("key", "value") if isinstance(here[child], dict)]
    return highest


def _equal_schema(metadata: TableMetadata, schema: Schema) -> Schema | None:
    """Return the first of the table's schemas with the same columns, if any. Only schemas that may match are parsed."""
    names = [field.name for field in schema.fields]
    for node in _schemas(metadata, None):
        if _names(node) in (names, None):
            earlier = metadata.schema(node.get("schema-id", 0))
            if earlier.same_columns(schema):
                return earlier
    return None


def _names(node: Any) -> list[Any] | None:
    """Return the names of the top-level fields in a schema's JSON; None if it is malformed, which parsing reports."""
    try:
        return [field["name"] for field in node["fields"]]
    except (KeyError, TypeError):
        return None


def _schemas(metadata: TableMetadata, added: Schema | None) -> list[Any]:
    """Return the JSON of all schemas. Metadata of version 1 may have its only schema under `schema`."""
    listed = metadata.raw.get("schemas")
    known = (
        list(listed) if listed is not None else [{**metadata.raw["schema"], "schema-id": metadata.current_schema_id}]
    )
    return known if added is None else [*known, added.to_json_dict()]
