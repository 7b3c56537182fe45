"""Parse column definitions: a path, a type, and the clauses after it, in the orders that the dialects allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from projector.evolution.operations.schema import NOT_GIVEN, AddColumn, MoveColumn, Operation
from projector.evolution.sql.cursor import Cursor
from projector.evolution.sql.literals import parse_default
from projector.evolution.sql.tokens import Dialect, Token
from projector.evolution.sql.types import parse_type
from projector.schema.types import IcebergType

Path = tuple[str, ...]

_CLAUSES: dict[Dialect, tuple[str, ...]] = {
    "spark": ("NOT NULL", "DEFAULT", "COMMENT", "FIRST", "AFTER"),
    "trino": ("NOT NULL", "DEFAULT", "COMMENT", "FIRST", "AFTER", "LAST"),
    "duckdb": ("NOT NULL", "NULL", "DEFAULT"),
}


@dataclass(frozen=True, slots=True)
class Position:
    """FIRST, or AFTER a field of the same struct, and its span in the text."""

    where: Literal["first", "after"]
    reference: str | None
    start: int
    end: int

    def move(self, path: Path, only_if_added: bool = False) -> MoveColumn:
        """Return the move of a column to this position."""
        reference = None if self.reference is None else (*path[:-1], self.reference)
        return MoveColumn(path, self.where, reference, only_if_added)


@dataclass(frozen=True, slots=True)
class Written:
    """An operation and the span of the text that asks for it."""

    operation: Operation
    start: int
    end: int


def parse_names(cursor: Cursor, what: str = "a column name") -> Path:
    """A path of names, as the text spells them."""
    return tuple(token.value for token in cursor.path(what))


def new_name(cursor: Cursor, token: Token) -> str:
    """Return the name of a new column: Trino stores names in lower case."""
    if cursor.dialect != "trino" or token.value == token.value.lower():
        return token.value
    cursor.note(f"Trino stores column names in lower case: {token.value} becomes {token.value.lower()}", token)
    return token.value.lower()


def note_default(cursor: Cursor) -> None:
    """Note at the next token that Spark itself refuses defaults."""
    if cursor.dialect == "spark":
        cursor.note(
            "Spark 3.5 refuses DEFAULT for Iceberg tables; it is read here as Iceberg's own API means it", cursor.token
        )


def parse_position(cursor: Cursor) -> Position | None:
    """Parse FIRST or AFTER with its reference, if one of them comes next."""
    start = cursor.token.start
    if cursor.accept("FIRST"):
        return Position("first", None, start, cursor.previous_end)
    if cursor.accept("AFTER"):
        return Position("after", cursor.name().value, start, cursor.previous_end)
    return None


def parse_new_column(cursor: Cursor, if_not_exists: bool = False) -> list[Written]:
    """Parse one column definition of ADD COLUMN, and return its operations."""
    start = cursor.token.start
    tokens = cursor.path()
    path = (*(token.value for token in tokens[:-1]), new_name(cursor, tokens[-1]))
    column_type = parse_type(cursor)
    required, doc, default, position = _clauses(cursor, column_type)
    end = cursor.previous_end if position is None else position.start
    end = len(cursor.text[:end].rstrip())
    in_full = cursor.dialect == "spark" and len(path) > 1
    added = AddColumn(path[:-1], path[-1], column_type, required, doc, default, if_not_exists, in_full)
    if position is None:
        return [Written(added, start, end)]
    return [Written(added, start, end), Written(position.move(path, if_not_exists), position.start, position.end)]


def _clauses(cursor: Cursor, column_type: IcebergType) -> tuple[bool, str | None, Any, Position | None]:
    """Parse the clauses, and return whether the column is required, its doc, its default, and its position."""
    required, doc, position = False, None, None
    default: Any = NOT_GIVEN
    seen: set[str] = set()
    while not cursor.at_end and not cursor.at_symbol(",", ")"):
        clause = next((c for c in _CLAUSES[cursor.dialect] if cursor.at(*c.split())), None)
        if clause is None:
            raise cursor.error(
                f"Not understood in a column definition: {cursor.preview(cursor.token)}",
                hint=f"in {cursor.dialect} a type may be followed by {', '.join(_CLAUSES[cursor.dialect])}",
            )
        kind = {"NULL": "NOT NULL", "AFTER": "FIRST", "LAST": "FIRST"}.get(clause, clause)
        if kind in seen:
            raise cursor.error(f"Given twice: {clause}")
        seen.add(kind)
        match clause:
            case "NOT NULL":
                cursor.expect("NOT", "NULL")
                required = True
            case "DEFAULT":
                note_default(cursor)
                cursor.expect("DEFAULT")
                default = parse_default(cursor, column_type)
            case "COMMENT":
                cursor.expect("COMMENT")
                doc = cursor.string("the text of the comment")
            case "FIRST" | "AFTER":
                position = parse_position(cursor)
            case _:
                cursor.take()
    return required, doc, default, position
