"""The statements of each dialect.

A statement is chosen by its first keywords, from a table. `_LATER` and `_REFUSED` list statements that are known and
not
supported, so that the message can name them. Everything else is an error at its first token.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from projector.evolution.operations.schema import (
    DeleteColumn,
    DropIdentifierFields,
    MakeColumnOptional,
    RenameColumn,
    RequireColumn,
    SetIdentifierFields,
    UpdateColumnDefault,
    UpdateColumnDoc,
    UpdateColumnType,
)
from projector.evolution.sql.columns import (
    Path,
    Written,
    new_name,
    note_default,
    parse_names,
    parse_new_column,
    parse_position,
)
from projector.evolution.sql.cursor import Cursor
from projector.evolution.sql.literals import parse_default
from projector.evolution.sql.table_statements import (
    add_partition_field,
    drop_partition_field,
    replace_partition_field,
    set_properties,
    unset_properties,
    write_order,
)
from projector.evolution.sql.tokens import Dialect
from projector.evolution.sql.types import parse_type

Action = Callable[[Cursor], list[Written]]

_SPARK_NARROWER = {
    **dict.fromkeys(("BYTE", "TINYINT", "SHORT", "SMALLINT"), "INT"),
    **dict.fromkeys(("VARCHAR", "CHAR", "CHARACTER"), "STRING"),
}
"""Types that Spark accepts for new columns but not in ALTER COLUMN TYPE, and the column's type in the Iceberg table."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """One statement: its table, the position of the table's name, and its operations."""

    table: Path
    table_start: int
    start: int
    end: int
    written: tuple[Written, ...]


def parse_statement(cursor: Cursor) -> Parsed:
    """Parse the next statement, up to its semicolon. Raises `ParseError`."""
    start = cursor.token.start
    if cursor.accept("COMMENT", "ON", "COLUMN") and cursor.dialect != "spark":
        table_start, table, written = _comment_on_column(cursor, start)
    elif cursor.accept("ALTER", "TABLE"):
        if cursor.dialect != "spark":
            cursor.accept("IF", "EXISTS")
        table_start = cursor.token.start
        table = parse_names(cursor, "a table name")
        written = _action(cursor)
    elif cursor.dialect == "spark" and cursor.index and cursor.previous_end > start:
        cursor.index -= 3
        raise cursor.error("COMMENT ON COLUMN is not Spark's", hint="use ALTER TABLE t ALTER COLUMN c COMMENT '...'")
    else:
        raise cursor.error(f"Not an ALTER TABLE statement: {cursor.preview(cursor.token)}")
    if not cursor.at_end:
        raise cursor.error(
            f"Not understood: {cursor.preview(cursor.token)}", hint="the statement is complete before it"
        )
    return Parsed(table, table_start, start, cursor.previous_end, tuple(written))


def _action(cursor: Cursor) -> list[Written]:
    for words, action in _SPARK_ONLY.items():
        if cursor.at(*words.split()) and cursor.dialect != "spark":
            raise cursor.error(f"{words} is not {cursor.dialect}'s", hint="it is Spark's: read the text as spark")
        if cursor.accept(*words.split()):
            return action(cursor)
    for words, (kind, hint) in _REFUSED.items():
        if cursor.at(*words.split()):
            raise cursor.error(f"{kind} is not supported", hint=hint)
    actions = _ACTIONS[cursor.dialect]
    for words, action in actions.items():
        if cursor.accept(*words.split()):
            return action(cursor)
    words_known = [*actions, *(_SPARK_ONLY if cursor.dialect == "spark" else ())]
    known = ", ".join(dict.fromkeys(words.split()[0] for words in words_known))
    raise cursor.unexpected(f"one of {known}")


# ---------------------------------------------------------------- adding and dropping


def _add_spark(cursor: Cursor) -> list[Written]:
    _refuse_condition(cursor, "ADD COLUMN")
    if not cursor.accept_symbol("("):
        return _list(cursor, parse_new_column)
    written = _list(cursor, parse_new_column)
    cursor.expect_symbol(")")
    return written


def _add_one(cursor: Cursor) -> list[Written]:
    return parse_new_column(cursor, cursor.accept("IF", "NOT", "EXISTS"))


def _add_duckdb(cursor: Cursor) -> list[Written]:
    cursor.accept("COLUMN")
    return _add_one(cursor)


def _drop_spark(cursor: Cursor) -> list[Written]:
    if_exists = cursor.accept("IF", "EXISTS")
    if not cursor.accept_symbol("("):
        return _list(cursor, lambda c: _drop(c, if_exists))
    written = _list(cursor, lambda c: _drop(c, if_exists))
    cursor.expect_symbol(")")
    return written


def _drop_one(cursor: Cursor) -> list[Written]:
    return _drop(cursor, cursor.accept("IF", "EXISTS"))


def _drop_duckdb(cursor: Cursor) -> list[Written]:
    cursor.accept("COLUMN")
    written = _drop_one(cursor)
    # CASCADE and RESTRICT have no effect: an Iceberg column has no dependents.
    if not cursor.accept("CASCADE"):
        cursor.accept("RESTRICT")
    return written


def _drop(cursor: Cursor, if_exists: bool) -> list[Written]:
    start = cursor.token.start
    path = parse_names(cursor)
    return [Written(DeleteColumn(path, if_exists), start, cursor.previous_end)]


def _refuse_condition(cursor: Cursor, statement: str) -> None:
    if cursor.at("IF", "NOT", "EXISTS") or cursor.at("IF", "EXISTS"):
        raise cursor.error(f"Spark has no IF [NOT] EXISTS in {statement}", hint="leave it out")


# ---------------------------------------------------------------- renaming


def _rename_spark(cursor: Cursor) -> list[Written]:
    _refuse_condition(cursor, "RENAME COLUMN")
    first = cursor.token
    written = _rename(cursor, False)
    match written[0].operation:
        case RenameColumn(path=tuple() as path, new_name=name) if path[-1] == name:
            raise cursor.error(f"Cannot rename {name} to its own name: Spark refuses it", first, hint="leave it out")
        case RenameColumn(path=tuple() as path) as operation if path[-1].lower() in ("element", "key", "value"):
            return [replace(written[0], operation=replace(operation, struct_fields_only=True))]
    return written


def _rename_trino(cursor: Cursor) -> list[Written]:
    return _rename(cursor, cursor.accept("IF", "EXISTS"))


def _rename_duckdb(cursor: Cursor) -> list[Written]:
    cursor.accept("COLUMN")
    return _rename(cursor, False)


def _rename(cursor: Cursor, if_exists: bool) -> list[Written]:
    start = cursor.token.start
    path = parse_names(cursor)
    cursor.expect("TO")
    name = new_name(cursor, cursor.name("the new name"))
    if cursor.at_symbol("."):
        raise cursor.error("The new name is one name, not a path", hint="a rename leaves the field in its struct")
    return [Written(RenameColumn(path, name, if_exists), start, cursor.previous_end)]


# ---------------------------------------------------------------- altering a column


def _alter_spark(cursor: Cursor) -> list[Written]:
    cursor.accept("COLUMN")
    return _list(cursor, _change_spark)


def _change_spark(cursor: Cursor) -> list[Written]:
    start = cursor.token.start
    return _changed_spark(cursor, parse_names(cursor), start)


def _changed_spark(cursor: Cursor, path: Path, start: int) -> list[Written]:
    if cursor.accept("TYPE"):
        return _type(cursor, path, start)
    if cursor.accept("COMMENT"):
        doc = cursor.string("the text of the comment")
        return [Written(UpdateColumnDoc(path, doc), start, cursor.previous_end)]
    if position := parse_position(cursor):
        return [Written(position.move(path), start, position.end)]
    if cursor.at("SET", "DATA"):
        raise cursor.error(
            "Spark has no SET DATA TYPE: write ALTER COLUMN name TYPE type", hint="or choose --dialect trino"
        )
    return _nulls_or_default(cursor, path, start, "TYPE, COMMENT, FIRST, AFTER, SET or DROP")


def _hive_change(cursor: Cursor) -> list[Written]:
    """Parse CHANGE COLUMN: as ALTER COLUMN, or Hive's form `CHANGE c c type`, which Spark accepts if the name stays."""
    cursor.accept("COLUMN")
    start = cursor.token.start
    path = parse_names(cursor)
    if any(cursor.at(word) for word in ("TYPE", "COMMENT", "FIRST", "AFTER", "SET", "DROP")):
        written = _changed_spark(cursor, path, start)
        return written + _list(cursor, _change_spark) if cursor.accept_symbol(",") else written
    again = cursor.name("TYPE, COMMENT, FIRST, AFTER, SET or DROP, or the column name again")
    if again.value.lower() != path[-1].lower():
        raise cursor.error(
            f"CHANGE COLUMN cannot rename {path[-1]} to {again.value}",
            again,
            hint=f"use RENAME COLUMN {'.'.join(path)} TO {again.value}",
        )
    written = _type(cursor, path, start)
    if cursor.at("NOT"):
        raise cursor.error("CHANGE COLUMN cannot make a column required", hint="use ALTER COLUMN c SET NOT NULL")
    start = cursor.token.start
    if cursor.accept("COMMENT"):
        doc = cursor.string("the text of the comment")
        written.append(Written(UpdateColumnDoc(path, doc), start, cursor.previous_end))
    if position := parse_position(cursor):
        written.append(Written(position.move(path), position.start, position.end))
    return written


def _alter_trino(cursor: Cursor) -> list[Written]:
    start = cursor.token.start
    path = parse_names(cursor)
    if cursor.accept("SET", "DATA", "TYPE"):
        return _type(cursor, path, start)
    expected = "SET DATA TYPE, SET NOT NULL, DROP NOT NULL, SET DEFAULT or DROP DEFAULT"
    return _nulls_or_default(cursor, path, start, expected)


def _alter_duckdb(cursor: Cursor) -> list[Written]:
    cursor.accept("COLUMN")
    start = cursor.token.start
    path = parse_names(cursor)
    if cursor.accept("TYPE") or cursor.accept("SET", "DATA", "TYPE") or cursor.accept("SET", "TYPE"):
        written = _type(cursor, path, start)
        if cursor.at("USING"):
            raise cursor.error("USING would rewrite data", hint="a schema change promotes a type and rewrites nothing")
        return written
    return _nulls_or_default(cursor, path, start, "TYPE, SET or DROP")


def _type(cursor: Cursor, path: Path, start: int) -> list[Written]:
    instead = _SPARK_NARROWER.get(cursor.token.value.upper()) if cursor.dialect == "spark" else None
    if instead is not None:
        raise cursor.error(
            f"Cannot change a column's type to {cursor.token.value.upper()}: Spark refuses it", hint=f"write {instead}"
        )
    new_type = parse_type(cursor)
    return [Written(UpdateColumnType(path, new_type), start, cursor.previous_end)]


def _nulls_or_default(cursor: Cursor, path: Path, start: int, expected: str) -> list[Written]:
    if cursor.accept("SET", "NOT", "NULL"):
        return [Written(RequireColumn(path), start, cursor.previous_end)]
    if cursor.accept("DROP", "NOT", "NULL"):
        return [Written(MakeColumnOptional(path), start, cursor.previous_end)]
    if cursor.at("SET", "DEFAULT") or cursor.at("DROP", "DEFAULT"):
        note_default(cursor)
    if cursor.accept("SET", "DEFAULT"):
        default = parse_default(cursor, None)
        return [Written(UpdateColumnDefault(path, default), start, cursor.previous_end)]
    if cursor.accept("DROP", "DEFAULT"):
        return [Written(UpdateColumnDefault(path, None), start, cursor.previous_end)]
    raise cursor.unexpected(expected)


# ---------------------------------------------------------------- the rest


def _set_identifier_fields(cursor: Cursor) -> list[Written]:
    start = cursor.token.start
    names = _paths(cursor)
    return [Written(SetIdentifierFields(names), start, cursor.previous_end)]


def _drop_identifier_fields(cursor: Cursor) -> list[Written]:
    start = cursor.token.start
    names = _paths(cursor)
    return [Written(DropIdentifierFields(names), start, cursor.previous_end)]


def _comment_on_column(cursor: Cursor, start: int) -> tuple[int, Path, list[Written]]:
    table_start = cursor.token.start
    names = parse_names(cursor, "a table name and a column name")
    if len(names) < 2:
        raise cursor.unexpected("'.' and a column name")
    cursor.expect("IS")
    doc = None if cursor.accept("NULL") else cursor.string("the text of the comment, or NULL")
    return table_start, names[:-1], [Written(UpdateColumnDoc(names[-1:], doc), start, cursor.previous_end)]


def _list(cursor: Cursor, item: Action) -> list[Written]:
    written = item(cursor)
    while cursor.accept_symbol(","):
        written = written + item(cursor)
    return written


def _paths(cursor: Cursor) -> tuple[Path, ...]:
    found = [parse_names(cursor)]
    while cursor.accept_symbol(","):
        found.append(parse_names(cursor))
    return tuple(found)


_SPARK_ONLY: Mapping[str, Action] = {
    "ADD PARTITION FIELD": add_partition_field,
    "DROP PARTITION FIELD": drop_partition_field,
    "REPLACE PARTITION FIELD": replace_partition_field,
    "WRITE": write_order,
    "SET TBLPROPERTIES": set_properties,
    "UNSET TBLPROPERTIES": unset_properties,
}
"""Statements that are not about columns. They precede `_REFUSED`, which has shorter keywords."""
# Of keywords with a common beginning the longest come first.
_ACTIONS: Mapping[Dialect, Mapping[str, Action]] = {
    "spark": {
        "ADD COLUMN": _add_spark,
        "ADD COLUMNS": _add_spark,
        "DROP IDENTIFIER FIELDS": _drop_identifier_fields,
        "DROP COLUMN": _drop_spark,
        "DROP COLUMNS": _drop_spark,
        "RENAME COLUMN": _rename_spark,
        "ALTER": _alter_spark,
        "CHANGE": _hive_change,
        "SET IDENTIFIER FIELDS": _set_identifier_fields,
    },
    "trino": {
        "ADD COLUMN": _add_one,
        "DROP COLUMN": _drop_one,
        "RENAME COLUMN": _rename_trino,
        "ALTER COLUMN": _alter_trino,
    },
    "duckdb": {"ADD": _add_duckdb, "DROP": _drop_duckdb, "RENAME": _rename_duckdb, "ALTER": _alter_duckdb},
}
_OTHER_STATEMENT = "changes of columns, identifier and partition fields, write order and properties are taken"
_REFUSED: Mapping[str, tuple[str, str]] = {
    "REPLACE COLUMNS": ("REPLACE COLUMNS", "it drops every column, and with it every id; name the changes one by one"),
    "SET PROPERTIES": ("SET PROPERTIES", _OTHER_STATEMENT),
    "SET AUTHORIZATION": ("SET AUTHORIZATION", _OTHER_STATEMENT),
    "SET SORTED BY": ("SET SORTED BY", _OTHER_STATEMENT),
    "SET PARTITIONED BY": ("SET PARTITIONED BY", _OTHER_STATEMENT),
    "RENAME TO": ("RENAME TO", "the name of a table is its catalog's, not its schema's"),
    "ADD PARTITION": ("ADD PARTITION", _OTHER_STATEMENT),
    "DROP PARTITION": ("DROP PARTITION", _OTHER_STATEMENT),
    "ADD CONSTRAINT": ("ADD CONSTRAINT", _OTHER_STATEMENT),
    "ADD PRIMARY KEY": ("ADD PRIMARY KEY", "Iceberg's nearest is SET IDENTIFIER FIELDS"),
    "DROP CONSTRAINT": ("DROP CONSTRAINT", _OTHER_STATEMENT),
    "SET LOCATION": ("SET LOCATION", _OTHER_STATEMENT),
    "EXECUTE": ("EXECUTE", _OTHER_STATEMENT),
    "CREATE BRANCH": ("CREATE BRANCH", _OTHER_STATEMENT),
    "DROP BRANCH": ("DROP BRANCH", _OTHER_STATEMENT),
    "CREATE TAG": ("CREATE TAG", _OTHER_STATEMENT),
    "DROP TAG": ("DROP TAG", _OTHER_STATEMENT),
}
"""Known statements that are refused: their names, and what else to say."""
