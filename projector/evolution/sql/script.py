"""Parse a SQL script to a proposal: its statements, their operations, and where each operation is written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from projector.errors import UnsupportedError
from projector.evolution.operations.schema import NextStatement, Operation, SetIdentifierFields, Source
from projector.evolution.operations.spec import SpecOperation
from projector.evolution.sql.cursor import Cursor
from projector.evolution.sql.statements import Parsed, parse_statement
from projector.evolution.sql.tokens import Dialect, check_dialect
from projector.evolution.updates.transaction import Transaction
from projector.evolution.updates.update_properties import PropertyOperation, UpdateProperties
from projector.evolution.updates.update_schema import UpdateSchema
from projector.evolution.updates.update_sort_order import WriteOrder
from projector.text import line_and_column


@dataclass(frozen=True, slots=True)
class Located:
    """An operation and its span in the text: offsets in characters from 0, `end` after its last character."""

    operation: Operation
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AlterStatement:
    """One statement of a script: the parts of the table name, its span, and its operations in order."""

    table: tuple[str, ...]
    start: int
    end: int
    operations: tuple[Located, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was understood but that Iceberg does not store, and its offset."""

    message: str
    position: int


@dataclass(frozen=True, slots=True)
class AlterScript:
    """The parsed script.

    Attributes
    ----------
    text, dialect:
        The text as given, and the dialect it was read in.
    statements:
        The statements in the order of the text; never empty. All name the same table.
    notes:
        Losses that are not errors, such as the length of a VARCHAR.
    """

    text: str
    dialect: Dialect
    statements: tuple[AlterStatement, ...]
    notes: tuple[Note, ...] = ()

    @property
    def table(self) -> tuple[str, ...]:
        """The table that all statements name, in its longest spelling."""
        return max((statement.table for statement in self.statements), key=len)

    @property
    def operations(self) -> tuple[Located, ...]:
        """The operations of all statements."""
        return tuple(located for statement in self.statements for located in statement.operations)

    def line_and_column(self, position: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1."""
        return line_and_column(self.text, position)

    def source(self, located: Located | AlterStatement) -> str:
        """Return the text of an operation or a statement."""
        return self.text[located.start : located.end]


def parse_alter(text: str, dialect: str = "spark") -> AlterScript:
    """Parse ALTER TABLE statements, separated by semicolons.

    Parameters
    ----------
    text:
        The SQL. It may hold comments and empty statements, and needs at least one statement.
    dialect:
        `spark`, `trino` or `duckdb`. Decides the grammar, how names are quoted and what types mean (`TIMESTAMP` is
        Iceberg's `timestamptz` in Spark, `timestamp` in the others).

    Raises
    ------
    ParseError
        Text that is not understood, with its position; nothing is ever skipped. Also two statements that name different
        tables.
    UnsupportedError
        An unknown dialect.
    """
    cursor = Cursor(text, check_dialect(dialect))
    parsed: list[Parsed] = []
    while cursor.token.kind != "end":
        if not cursor.accept_symbol(";"):
            parsed.append(parse_statement(cursor))
    if not parsed:
        raise cursor.error("No statement: the text is empty")
    longest = parsed[0].table
    for statement in parsed[1:]:
        if not is_same_table(longest, statement.table):
            names = f"{'.'.join(longest)} and {'.'.join(statement.table)}"
            raise_at = cursor.error(f"Every statement must name the same table, not {names}")
            raise_at.position = statement.table_start
            raise raise_at
        longest = max(longest, statement.table, key=len)
    statements = tuple(
        AlterStatement(
            found.table,
            found.start,
            found.end,
            tuple(
                Located(replace(w.operation, source=Source(text, w.start, w.end)), w.start, w.end)
                for w in found.written
            ),
        )
        for found in parsed
    )
    return AlterScript(text, cursor.dialect, statements, tuple(Note(*note) for note in cursor.notes))


def is_same_table(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether two spellings can mean the same table: `t` and `db.t`, in any case."""
    shorter, longer = sorted(([part.lower() for part in one], [part.lower() for part in other]), key=len)
    return longer[-len(shorter) :] == shorter


def is_about_columns(operation: Operation) -> bool:
    """Return whether an operation changes the schema, and not partitioning, sort order or properties."""
    return not isinstance(operation, SpecOperation | WriteOrder | PropertyOperation)


def to_transaction(
    script: AlterScript, *, case_sensitive: bool = False, allow_incompatible_changes: bool = False
) -> Transaction:
    """Return the transaction of a script, whose statements may be of any kind.

    Each statement sees the outcome of those before it. Adjacent statements about columns make one schema together.

    Parameters are those of `to_update`.
    """
    transaction = Transaction(case_sensitive=case_sensitive, allow_incompatible_changes=allow_incompatible_changes)
    for statement in script.statements:
        columns = [found.operation for found in statement.operations if is_about_columns(found.operation)]
        if columns:
            last = transaction.updates[-1] if transaction.updates else None
            if isinstance(last, UpdateSchema):
                last.record(NextStatement(source=Source(script.text, statement.start, statement.end)))
            update = last if isinstance(last, UpdateSchema) else transaction.update_schema()
            update.record(*(_spelled(operation, case_sensitive) for operation in columns))
        specs = [o.operation for o in statement.operations if isinstance(o.operation, SpecOperation)]
        if specs:
            transaction.update_spec().record(*specs)
        for found in statement.operations:
            if isinstance(found.operation, WriteOrder):
                fields = (replace(field, source=found.operation.source) for field in found.operation.fields)
                transaction.update_sort_order().record(*fields)
        properties = [o.operation for o in statement.operations if isinstance(o.operation, PropertyOperation)]
        if properties:
            transaction.record(UpdateProperties().record(*properties))
    return transaction


def to_update(
    script: AlterScript,
    *,
    format_version: int = 2,
    case_sensitive: bool = False,
    allow_incompatible_changes: bool = False,
) -> UpdateSchema:
    """Return the schema update of a script.

    Each statement sees the outcome of those before it. Every operation keeps its place in the text as its `source`.

    Parameters
    ----------
    format_version, allow_incompatible_changes:
        As in `UpdateSchema`.
    case_sensitive:
        Whether column names must match in case. All three dialects ignore case, so this is off by default.

    Raises
    ------
    UnsupportedError
        A statement that is not about columns; `to_transaction` accepts those too.
    """
    for located in script.operations:
        if not is_about_columns(located.operation):
            raise UnsupportedError(
                f"Not a change of the schema: {script.source(located)}",
                hint="it takes a transaction, not a schema update",
            )
    update = UpdateSchema(
        format_version=format_version,
        case_sensitive=case_sensitive,
        allow_incompatible_changes=allow_incompatible_changes,
    )
    for place, statement in enumerate(script.statements):
        if place:
            update.record(NextStatement(source=Source(script.text, statement.start, statement.end)))
        update.record(*(_spelled(located.operation, case_sensitive) for located in statement.operations))
    return update


def _spelled(operation: Operation, case_sensitive: bool) -> Operation:
    """Return the operation with names as `UpdateSchema` expects them: identifier fields of any case in lower case."""
    if case_sensitive or not isinstance(operation, SetIdentifierFields):
        return operation
    return replace(operation, names=tuple(tuple(part.lower() for part in name) for name in operation.names))
