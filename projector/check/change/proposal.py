"""Make a proposal of SQL, recorded updates, or a whole schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from projector.errors import ParseError, SchemaUpdateError
from projector.evolution.diff.operations import operations_of
from projector.evolution.diff.schema_diff import By, SchemaDiff, align_by_name, diff_schemas, filled_in
from projector.evolution.diff.schema_sources import SchemaSource, needs_ids
from projector.evolution.sql.script import (
    AlterScript,
    is_about_columns,
    is_same_table,
    parse_alter,
    to_transaction,
    to_update,
)
from projector.evolution.updates.transaction import Transaction
from projector.evolution.updates.update_schema import UpdateSchema
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema


@dataclass(frozen=True)
class Proposal:
    """A change as the user proposes it.

    Parameters
    ----------
    update:
        The operations; a transaction if they are not only about columns.
    script:
        The SQL of the operations; None for other proposals.
    file:
        The file that the SQL or the schema came from, if any.
    wanted:
        The proposed schema, with its own ids; None for operations.
    refused:
        Differences of a proposed schema that no operation can make.
    """

    update: UpdateSchema | Transaction
    script: AlterScript | None = None
    file: str | None = None
    wanted: Schema | None = None
    refused: tuple[SchemaUpdateError, ...] = ()

    @property
    def incompatible_allowed(self) -> bool:
        """Whether all its schema updates allow incompatible changes."""
        updates = self.update.updates if isinstance(self.update, Transaction) else (self.update,)
        return all(u.allow_incompatible_changes for u in updates if isinstance(u, UpdateSchema))

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on parts of the SQL that Iceberg does not store."""
        return () if self.script is None else tuple(note.message for note in self.script.notes)

    @property
    def text(self) -> str | None:
        """The SQL text."""
        return None if self.script is None else self.script.text


def from_sql(
    text: str,
    dialect: str,
    metadata: TableMetadata,
    file: str | None = None,
    *,
    allow_incompatible_changes: bool = False,
    table_names: Sequence[tuple[str, ...]] = (),
) -> Proposal:
    """Parse the proposal of a SQL text for a table.

    Column names match in any case, unless the table has names that differ only in case. Raises `ParseError`,
    `UnsupportedError`.

    Parameters
    ----------
    table_names:
        The full names of the table; a statement may use only their last parts, in any case. If there are none,
        statements may name any table.
    """
    script = parse_alter(text, dialect)
    if table_names and not any(is_same_table(script.table, name) for name in table_names):
        known = " or ".join(dict.fromkeys(".".join(name) for name in table_names))
        raise ParseError(
            f"The SQL is for table {'.'.join(script.table)}, not for this one",
            text=text,
            position=script.statements[0].start,
            hint=f"this table is called {known}; allow any name (--any-table) if it is the right one",
        )
    exact = metadata.current_schema.has_names_equal_but_for_case
    if all(is_about_columns(located.operation) for located in script.operations):
        update = to_update(
            script,
            format_version=metadata.format_version,
            case_sensitive=exact,
            allow_incompatible_changes=allow_incompatible_changes,
        )
        return Proposal(update, script, file)
    transaction = to_transaction(script, case_sensitive=exact, allow_incompatible_changes=allow_incompatible_changes)
    return Proposal(transaction, script, file)


def from_schema(
    source: SchemaSource,
    current: Schema,
    format_version: int,
    by: By | None = None,
    *,
    allow_incompatible_changes: bool = False,
) -> Proposal:
    """Return the proposal to make a schema the current one.

    Match fields by id if the schema has ids, else by name, unless `by` says which. Differences that no update can make
    (another parent, another initial default) are recorded as refused; the rest is proposed.

    Raises `UnsupportedError` for `by="id"` and a schema without ids.
    """
    if by == "id":
        needs_ids(source)
    by_id = source.has_ids if by is None else by == "id"
    target = source.schema if by_id else align_by_name(current, source.schema)
    if source.partial:
        target = filled_in(current, target)
    diff = diff_schemas(current, target)
    diff = diff if by_id else replace(diff, by="name")
    empty = UpdateSchema(format_version=format_version, allow_incompatible_changes=allow_incompatible_changes)
    refused: list[SchemaUpdateError] = []
    while True:
        try:
            update = empty.with_operations(operations_of(diff))
            break
        except SchemaUpdateError as error:
            refused.append(error)
            smaller = _without(diff, error)
            if len(smaller.changes) == len(diff.changes):
                update = empty
                break
            diff = smaller
    file = None if source.kind == "arrow" else source.name
    return Proposal(update, file=file, wanted=target if by_id else None, refused=tuple(refused))


def _without(diff: SchemaDiff, error: SchemaUpdateError) -> SchemaDiff:
    kinds = ("to_other_struct", "initial_default")
    kept = tuple(c for c in diff.changes if not (c.kind in kinds and c.field_id == error.field_id))
    return replace(diff, changes=kept)
