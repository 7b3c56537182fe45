"""What a commit of a schema update would write: the next metadata, built from the table's present one."""

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
        The table's metadata after the commit; the very metadata that was given where nothing changes.
    schema:
        The schema that is current after the commit.
    added:
        Whether the commit adds the schema. False where the table has had an equal one, whose id is used again.
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
        The table's present metadata. Its format version decides what is legal, not the update's own.
    update:
        What to change.
    metadata_file:
        Location of the file that `metadata` was read from, for the metadata log. Unless given it is the one that the
        metadata itself knows; without any the log stays as it is.
    timestamp_ms:
        Time of the commit, in milliseconds from 1970-01-01 UTC; now, unless given.

    Raises
    ------
    SchemaUpdateError
        A change that cannot be applied to the current schema, or that the partition spec or sort order forbids.
    """
    commit = change_schema(metadata, update)
    if not commit.changed:
        return commit
    after = stamped(metadata, commit.metadata, metadata_file=metadata_file, timestamp_ms=timestamp_ms)
    return replace(commit, metadata=after)


def change_schema(metadata: TableMetadata, update: UpdateSchema) -> SchemaCommit:
    """As `prepare_schema_update`, but as yet without time and log."""
    return commit_applied(metadata, apply_update(metadata, update))


def commit_applied(metadata: TableMetadata, steps: Sequence[Applied]) -> SchemaCommit:
    """As `change_schema`, for what the statements of an update do to the current schema."""
    base = metadata.current_schema
    result = steps[-1].schema
    if result.same_columns(base):
        return SchemaCommit(metadata, base, added=False, changed=False)
    properties = followed_properties(metadata.properties, base, steps)
    return with_schema(metadata, result, steps[-1].last_column_id, properties)


def with_schema(
    metadata: TableMetadata, result: Schema, last_column_id: int, properties: Mapping[str, str]
) -> SchemaCommit:
    """A table's metadata with another schema current, one that it has had or a new one; as yet without time and log.

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
    """What each statement of an update does to a table's current schema. Raises `SchemaUpdateError`."""
    steps = apply_statements(
        update.operations,
        metadata.current_schema,
        _last_column_id(metadata),
        format_version=metadata.format_version,
        case_sensitive=update.case_sensitive,
        allow_incompatible_changes=update.allow_incompatible_changes,
    )
    if (error := id_above_last(metadata)) is not None:  # after what Java says of the change itself
        raise error
    return steps


def try_update_of(metadata: TableMetadata, update: UpdateSchema) -> Outcome:
    """What of an update can be applied to a table's current schema, and why the rest cannot.

    Raises `SchemaUpdateError` if no schema of the table can be changed, whatever the change.
    """
    if (error := id_above_last(metadata)) is not None:
        raise error
    rules = Rules(metadata.format_version, update.case_sensitive, update.allow_incompatible_changes)
    return try_statements(update.operations, metadata.current_schema, _last_column_id(metadata), rules)


def _last_column_id(metadata: TableMetadata) -> int:
    """The highest id ever given, also where a writer has left `last-column-id` below the ids of an older schema.

    Below the ids of the current schema it stays as it is: the update gives Java's answer.
    """
    if id_above_last(metadata) is not None:
        return metadata.last_column_id
    try:
        return max(metadata.last_column_id, *(_highest_id(node) for node in _schemas(metadata, None)))
    except (KeyError, TypeError, AttributeError):  # malformed, which parsing says with the place and the reason
        return max(metadata.last_column_id, *(schema.highest_field_id for schema in metadata.schemas))


def _highest_id(node: Any) -> int:
    """The highest field id in a schema's JSON. A table may have many schemas: they are not parsed for this."""
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
    """The first of the table's schemas that has the same columns, if any. Only those that may are parsed."""
    names = [field.name for field in schema.fields]
    for node in _schemas(metadata, None):
        if _names(node) in (names, None):
            earlier = metadata.schema(node.get("schema-id", 0))
            if earlier.same_columns(schema):
                return earlier
    return None


def _names(node: Any) -> list[Any] | None:
    """The names of the top-level fields in a schema's JSON; None for malformed ones, which parsing reports."""
    try:
        return [field["name"] for field in node["fields"]]
    except (KeyError, TypeError):
        return None


def _schemas(metadata: TableMetadata, added: Schema | None) -> list[Any]:
    """The JSON of all schemas; metadata of version 1 may have had its one schema under `schema` only."""
    listed = metadata.raw.get("schemas")
    known = (
        list(listed) if listed is not None else [{**metadata.raw["schema"], "schema-id": metadata.current_schema_id}]
    )
    return known if added is None else [*known, added.to_json_dict()]
