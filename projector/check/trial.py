"""An update tried on a table's metadata, operation by operation, so that everything that is refused is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from projector.errors import ProjectorError, SchemaUpdateError
from projector.evolution.apply import Applied
from projector.evolution.operations import AddColumn, NextStatement, Operation, RenameColumn, Source, dotted
from projector.evolution.schema_commit import apply_update, change_schema
from projector.evolution.update_schema import UpdateSchema
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema
from projector.schema.schema_json import schema_to_json_dict


@dataclass(frozen=True)
class Refusal:
    """Something that cannot be applied.

    Parameters
    ----------
    error:
        Why, in Iceberg's own words where it has some.
    operation:
        The operation; None where the schema or the table as a whole forbids it.
    schema:
        The schema that the operation was applied to.
    """

    error: SchemaUpdateError
    operation: Operation | None
    schema: Schema
    case_sensitive: bool = True

    @property
    def source(self) -> Source | None:
        """Where the operation is written."""
        return None if self.operation is None else self.operation.source

    @property
    def field_id(self) -> int | None:
        """The id of the field that it is about, where that is a field of `schema`."""
        path = getattr(self.operation, "path", None) or getattr(self.operation, "column", None)
        if self.error.field_id is not None or path is None:
            return self.error.field_id
        try:
            return self.schema.find_id(path, self.case_sensitive)
        except ProjectorError:
            return None

    @property
    def path(self) -> str | None:
        """The dotted path of the field that it is about, or the name that was written."""
        if self.field_id is not None and self.field_id in self.schema.fields_by_id:
            return self.schema.name_of(self.field_id)
        match self.operation:
            case AddColumn(parent=parent, name=name):
                return name if not parent else f"{dotted(parent)}.{name}"
            case None:
                return self.error.path
            case operation:
                path = getattr(operation, "path", None) or getattr(operation, "column", None)
                return self.error.path if path is None else dotted(path)


@dataclass(frozen=True)
class AppliedOperations:
    """The operations that were applied, in statements, with the schema before each and what it did."""

    statements: tuple[tuple[Schema, tuple[Operation, ...], Applied], ...] = ()
    case_sensitive: bool = True


@dataclass(frozen=True, slots=True)
class OtherOperation:
    """An operation that is not about columns alone, applied, and the metadata before and after its update."""

    operation: Operation
    before: TableMetadata
    after: TableMetadata


@dataclass(frozen=True)
class Trial:
    """How a proposal fared.

    Parameters
    ----------
    applied:
        What could be applied to the schema.
    refusals:
        What could not be applied.
    metadata, schema:
        The table's metadata and current schema with what could be applied, without the time and log of a commit. The
        very metadata that was given where nothing changes.
    others:
        What else could be applied: to partition spec, sort order, properties, and so on.
    """

    applied: AppliedOperations
    refusals: tuple[Refusal, ...]
    metadata: TableMetadata
    schema: Schema
    others: tuple[OtherOperation, ...] = ()


def try_update(metadata: TableMetadata, update: UpdateSchema) -> Trial:
    """Apply as much of an update as can be applied.

    Changes that are only incompatible (a required column without a default, optional to required) are applied whether
    or not the update allows them: what they do to the data is for rules to say, as is that they are refused.
    """
    trial = UpdateSchema(
        format_version=metadata.format_version, case_sensitive=update.case_sensitive, allow_incompatible_changes=True
    )
    kept = list(update.operations)
    refusals: list[tuple[int, Refusal]] = []
    steps: tuple[Applied, ...] = ()
    while True:
        try:
            steps = apply_update(metadata, trial.with_operations(kept))
            break
        except SchemaUpdateError as error:
            if not kept:  # the schema itself is refused, whatever is to be changed in it
                found = [refusal for _, refusal in sorted(refusals, key=itemgetter(0))]
                found.append(Refusal(error, None, metadata.current_schema))
                return Trial(AppliedOperations(), tuple(found), metadata, metadata.current_schema)
            index = error.operation_index
            if index is None:
                index = _blamed(metadata, trial, kept)
            if index is None:
                refusals.append((len(update.operations), Refusal(error, None, metadata.current_schema)))
                kept = []
                continue
            operation = kept.pop(index)
            if not any(_follows(operation, refusal.operation) for _, refusal in refusals):
                schema = _schema_before(metadata, trial, kept, index)
                refusals.append(
                    (update.operations.index(operation), Refusal(error, operation, schema, update.case_sensitive))
                )
    refusals.sort(key=itemgetter(0))
    found = [refusal for _, refusal in refusals]
    applied = _applied(metadata.current_schema, kept, steps, update.case_sensitive)
    schema = steps[-1].schema
    try:
        commit = change_schema(metadata, trial.with_operations(kept))
    except SchemaUpdateError as error:
        found.append(Refusal(error, None, schema))
        return Trial(applied, tuple(found), _patched(metadata, schema), schema)
    return Trial(applied, tuple(found), commit.metadata, commit.schema)


def _blamed(metadata: TableMetadata, trial: UpdateSchema, kept: Sequence[Operation]) -> int | None:
    """The last operation without which the others can be applied."""
    for index in reversed(range(len(kept))):
        if isinstance(kept[index], NextStatement):
            continue
        try:
            apply_update(metadata, trial.with_operations([*kept[:index], *kept[index + 1 :]]))
        except SchemaUpdateError:
            continue
        return index
    return next((i for i in reversed(range(len(kept))) if not isinstance(kept[i], NextStatement)), None)


def _schema_before(metadata: TableMetadata, trial: UpdateSchema, kept: Sequence[Operation], index: int) -> Schema:
    """The schema that an operation's names are those of: what the statements before its own made."""
    start = max((i for i in range(index) if isinstance(kept[i], NextStatement)), default=None)
    if start is None:
        return metadata.current_schema
    try:
        return apply_update(metadata, trial.with_operations(kept[:start]))[-1].schema
    except SchemaUpdateError:
        return metadata.current_schema


def _follows(operation: Operation, refused: Operation | None) -> bool:
    """Whether an operation is about a name that a refused one would have made."""
    match refused:
        case AddColumn(parent=parent, name=name):
            made = name if not parent else f"{dotted(parent)}.{name}"
        case RenameColumn(path=path, new_name=name):
            parent_name, dot, _ = dotted(path).rpartition(".")
            made = f"{parent_name}{dot}{name}"
        case _:
            return False
    about: Any = getattr(operation, "path", None) or getattr(operation, "parent", None)
    return about is not None and (dotted(about) == made or dotted(about).startswith(f"{made}."))


def _applied(
    base: Schema, kept: Sequence[Operation], steps: Sequence[Applied], case_sensitive: bool
) -> AppliedOperations:
    statements: list[list[Operation]] = [[]]
    for operation in kept:
        if isinstance(operation, NextStatement):
            statements.append([])
        else:
            statements[-1].append(operation)
    before = [base, *(step.schema for step in steps[:-1])]
    made = zip(before, map(tuple, statements), steps, strict=True)
    return AppliedOperations(tuple(made), case_sensitive)


def _patched(metadata: TableMetadata, schema: Schema) -> TableMetadata:
    """The metadata with a schema that a commit would refuse, for rules that look at both."""
    new_id = max(metadata.schema_ids) + 1
    node = {**schema_to_json_dict(schema), "schema-id": new_id}
    listed = metadata.raw.get("schemas") or [
        {**metadata.raw.get("schema", {}), "schema-id": metadata.current_schema_id},
    ]
    raw = {**metadata.raw, "schemas": [*listed, node], "current-schema-id": new_id}
    raw["last-column-id"] = max(metadata.last_column_id, schema.highest_field_id)
    return TableMetadata(raw, metadata.file)
