"""Try an update on a table's metadata, operation by operation, to find every operation that is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from projector.check.report.refusal import Refusal
from projector.errors import SchemaUpdateError
from projector.evolution.apply.schema import Statement
from projector.evolution.operations.schema import AddColumn, Operation, RenameColumn, dotted
from projector.evolution.updates.schema_commit import commit_applied, try_update_of
from projector.evolution.updates.update_schema import UpdateSchema
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema


@dataclass(frozen=True)
class AppliedOperations:
    """The applied operations, by statement, with the schema before each and its outcome."""

    statements: tuple[Statement, ...] = ()
    case_sensitive: bool = True


@dataclass(frozen=True, slots=True)
class OtherOperation:
    """An applied operation that is not only about columns, with the metadata before and after its update."""

    operation: Operation
    before: TableMetadata
    after: TableMetadata


@dataclass(frozen=True)
class Trial:
    """The outcome of trying a proposal.

    Parameters
    ----------
    applied:
        The operations that were applied to the schema.
    refusals:
        The operations that could not be applied.
    metadata, schema:
        The table's metadata and current schema after the applied operations, without the time and log of a commit. The
        metadata before, unchanged, if nothing changes.
    others:
        The other applied operations: on the partition spec, sort order, properties, and so on.
    incompatible:
        The operations that a commit refuses because incompatible changes are not allowed. The trial applies them, so
        that rules can say what they do to the data.
    """

    applied: AppliedOperations
    refusals: tuple[Refusal, ...]
    metadata: TableMetadata
    schema: Schema
    others: tuple[OtherOperation, ...] = ()
    incompatible: tuple[Refusal, ...] = ()


def try_update(metadata: TableMetadata, update: UpdateSchema) -> Trial:
    """Apply as much of an update as possible, in one pass.

    Incompatible changes (a required column without a default, optional to required) are applied whether or not the
    update allows them: rules report what they do to the data, and that they are refused.
    """
    try:
        outcome = try_update_of(metadata, update)
    except SchemaUpdateError as error:  # the table does not allow any schema change
        refusal = Refusal(error, None, metadata.current_schema)
        return Trial(AppliedOperations(), (refusal,), metadata, metadata.current_schema)
    refusals: list[Refusal] = []
    incompatible: list[Refusal] = []
    never_made: set[str] = set()
    for found in outcome.refused:
        refusal = Refusal(found.error, found.operation, found.base, update.case_sensitive)
        if found.incompatible:
            incompatible.append(refusal)
        elif found.operation is None or not _is_about(found.operation, never_made):
            refusals.append(refusal)
            never_made |= _would_make(found.operation)
    applied = AppliedOperations(outcome.statements, update.case_sensitive)
    steps = [statement.applied for statement in outcome.statements]
    schema = steps[-1].schema
    try:
        commit = commit_applied(metadata, steps)
    except SchemaUpdateError as error:
        refusals.append(Refusal(error, None, schema))
        return Trial(applied, tuple(refusals), _patched(metadata, schema), schema, incompatible=tuple(incompatible))
    return Trial(applied, tuple(refusals), commit.metadata, commit.schema, incompatible=tuple(incompatible))


def _would_make(operation: Operation | None) -> set[str]:
    """Return the name that a refused operation would have made, if it would have made one."""
    match operation:
        case AddColumn(parent=parent, name=name):
            return {name if not parent else f"{dotted(parent)}.{name}"}
        case RenameColumn(path=path, new_name=name):
            parent_name, dot, _ = dotted(path).rpartition(".")
            return {f"{parent_name}{dot}{name}"}
        case _:
            return set()


def _is_about(operation: Operation, names: set[str]) -> bool:
    """Return whether an operation is about one of some names, or about a field inside one."""
    about: Any = getattr(operation, "path", None) or getattr(operation, "parent", None)
    if about is None:
        return False
    parts = dotted(about).split(".")
    return any(".".join(parts[: n + 1]) in names for n in range(len(parts)))


def _patched(metadata: TableMetadata, schema: Schema) -> TableMetadata:
    """Return the metadata with a schema that a commit would refuse, for rules that read both."""
    new_id = max(metadata.schema_ids) + 1
    node = {**schema.to_json_dict(), "schema-id": new_id}
    listed = metadata.raw.get("schemas") or [
        {**metadata.raw.get("schema", {}), "schema-id": metadata.current_schema_id},
    ]
    raw = {**metadata.raw, "schemas": [*listed, node], "current-schema-id": new_id}
    raw["last-column-id"] = max(metadata.last_column_id, schema.highest_field_id)
    return TableMetadata(raw, metadata.file)
