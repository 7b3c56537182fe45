"""Map SQL types to Iceberg types, with one table for each dialect, as its Iceberg connector maps them.

Ids inside the types are placeholders; a schema update assigns the real ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from projector.errors import InvalidMetadataError
from projector.evolution.sql.cursor import Cursor
from projector.evolution.sql.tokens import Dialect, Token
from projector.schema.types import (
    MAX_NESTING,
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
    VariantType,
    nesting,
)


@dataclass(frozen=True, slots=True)
class Plain:
    """A type without parameters. `loses` says what of the SQL type Iceberg does not store."""

    type: IcebergType
    loses: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A string type whose length Iceberg does not store; `length_needed` if the dialect requires one."""

    length_needed: bool = False


@dataclass(frozen=True, slots=True)
class Decimals:
    """A decimal; precision and scale are the defaults. A precision alone means scale 0."""

    precision: int
    scale: int


@dataclass(frozen=True, slots=True)
class Clock:
    """A time or timestamp: its types without and with a zone, in microseconds and in nanoseconds; None is refused.

    Attributes
    ----------
    precisions:
        Whether the dialect accepts a number of fractional digits: up to 6 are microseconds, 7 to 9 nanoseconds.
    zones:
        Whether WITH or WITHOUT TIME ZONE may follow.
    """

    plain: IcebergType | None
    zoned: IcebergType | None = None
    plain_nanos: IcebergType | None = None
    zoned_nanos: IcebergType | None = None
    precisions: bool = False
    zones: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """A type that the dialect cannot store in an Iceberg table, and what to use instead."""

    instead: str


Rule = Plain | Text | Decimals | Clock | Refused

_SMALL = "Iceberg has no 8 or 16 bit integers"
_UNSIGNED = {
    "UTINYINT": "INTEGER", "UINT8": "INTEGER", "USMALLINT": "INTEGER", "UINT16": "INTEGER",
    "UINTEGER": "BIGINT", "UINT32": "BIGINT", "UBIGINT": "DECIMAL(20, 0)", "UINT64": "DECIMAL(20, 0)",
    "HUGEINT": "DECIMAL(38, 0)", "INT128": "DECIMAL(38, 0)", "UHUGEINT": "DECIMAL(38, 0)", "UINT128": "DECIMAL(38, 0)",
    "BIGNUM": "DECIMAL(38, 0)", "VARINT": "DECIMAL(38, 0)",
}  # fmt: skip

_SPARK: dict[str, Rule] = {
    "BOOLEAN": Plain(BooleanType()),
    **dict.fromkeys(("BYTE", "TINYINT", "SHORT", "SMALLINT"), Plain(IntegerType(), _SMALL)),
    **dict.fromkeys(("INT", "INTEGER"), Plain(IntegerType())),
    **dict.fromkeys(("BIGINT", "LONG"), Plain(LongType())),
    **dict.fromkeys(("FLOAT", "REAL"), Plain(FloatType())),
    "DOUBLE": Plain(DoubleType()),
    **dict.fromkeys(("DECIMAL", "DEC", "NUMERIC"), Decimals(10, 0)),
    "DATE": Plain(DateType()),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_LTZ"), Plain(TimestamptzType())),
    "TIMESTAMP_NTZ": Plain(TimestampType()),
    "STRING": Plain(StringType()),
    **dict.fromkeys(("VARCHAR", "CHAR", "CHARACTER"), Text(length_needed=True)),
    "BINARY": Plain(BinaryType()),
    "VARIANT": Plain(VariantType()),
    "VOID": Plain(UnknownType()),
    "TIME": Refused("TIMESTAMP_NTZ"),
    "INTERVAL": Refused("BIGINT"),
    "UUID": Refused("STRING"),
    **dict.fromkeys(("GEOMETRY", "GEOGRAPHY"), Refused("BINARY")),
}
_TRINO: dict[str, Rule] = {
    "BOOLEAN": Plain(BooleanType()),
    **dict.fromkeys(("TINYINT", "SMALLINT"), Plain(IntegerType(), _SMALL)),
    **dict.fromkeys(("INTEGER", "INT"), Plain(IntegerType())),
    "BIGINT": Plain(LongType()),
    "REAL": Plain(FloatType()),
    "DOUBLE": Plain(DoubleType()),
    "DECIMAL": Decimals(38, 0),
    "DATE": Plain(DateType()),
    "TIME": Clock(TimeType(), precisions=True, zones=True),
    "TIMESTAMP": Clock(
        TimestampType(), TimestamptzType(), TimestampNanoType(), TimestamptzNanoType(), precisions=True, zones=True
    ),
    **dict.fromkeys(("VARCHAR", "CHAR"), Text()),
    "VARBINARY": Plain(BinaryType()),
    "UUID": Plain(UUIDType()),
    "VARIANT": Plain(VariantType()),
    "JSON": Refused("VARCHAR"),
    "INTERVAL": Refused("BIGINT"),
    "IPADDRESS": Refused("VARCHAR"),
    **dict.fromkeys(("GEOMETRY", "SPHERICALGEOGRAPHY"), Refused("VARBINARY")),
    **dict.fromkeys(("STRING", "TEXT"), Refused("VARCHAR")),
    "FLOAT": Refused("REAL or DOUBLE"),
    "BINARY": Refused("VARBINARY"),
}
_DUCKDB: dict[str, Rule] = {
    **dict.fromkeys(("BOOLEAN", "BOOL", "LOGICAL"), Plain(BooleanType())),
    **dict.fromkeys(("TINYINT", "INT1", "SMALLINT", "INT2", "INT16", "SHORT"), Refused("INTEGER")),
    **dict.fromkeys(("INTEGER", "INT", "INT4", "INT32", "SIGNED"), Plain(IntegerType())),
    **dict.fromkeys(("BIGINT", "INT8", "INT64", "LONG"), Plain(LongType())),
    **{name: Refused(instead) for name, instead in _UNSIGNED.items()},
    **dict.fromkeys(("FLOAT", "FLOAT4", "REAL"), Plain(FloatType())),
    **dict.fromkeys(("DOUBLE", "FLOAT8"), Plain(DoubleType())),
    **dict.fromkeys(("DECIMAL", "NUMERIC", "DEC"), Decimals(18, 3)),
    "DATE": Plain(DateType()),
    "TIME": Clock(TimeType(), zones=True),
    **dict.fromkeys(("TIMETZ", "TIME_NS"), Refused("TIME")),
    "TIMESTAMP": Clock(TimestampType(), TimestamptzType(), TimestampNanoType(), precisions=True, zones=True),
    **dict.fromkeys(("DATETIME", "TIMESTAMP_US"), Plain(TimestampType())),
    "TIMESTAMPTZ": Plain(TimestamptzType()),
    "TIMESTAMP_NS": Plain(TimestampNanoType()),
    "TIMESTAMPTZ_NS": Plain(TimestamptzNanoType()),
    **dict.fromkeys(("TIMESTAMP_S", "TIMESTAMP_MS"), Refused("TIMESTAMP")),
    **dict.fromkeys(("VARCHAR", "CHAR", "BPCHAR", "TEXT", "STRING", "NVARCHAR"), Text()),
    **dict.fromkeys(("BLOB", "BYTEA", "BINARY", "VARBINARY"), Plain(BinaryType())),
    **dict.fromkeys(("UUID", "GUID"), Plain(UUIDType())),
    "VARIANT": Plain(VariantType()),
    "JSON": Refused("VARCHAR"),
    "INTERVAL": Refused("BIGINT"),
    **dict.fromkeys(("BIT", "BITSTRING"), Refused("BLOB")),
    **dict.fromkeys(("ENUM", "UNION"), Refused("VARCHAR or STRUCT")),
    "GEOMETRY": Refused("BLOB"),
}
_ICEBERG: Mapping[str, Rule] = {"UNKNOWN": Plain(UnknownType())}
"""Iceberg types for which no dialect has a name, by their Iceberg names."""

TYPES: Mapping[Dialect, Mapping[str, Rule]] = {"spark": _SPARK, "trino": _TRINO, "duckdb": _DUCKDB}
"""The Iceberg types of each dialect's type names."""


def parse_type(cursor: Cursor) -> IcebergType:
    """Parse the next type. Raises `ParseError` at the name of a type that Iceberg cannot store, at any depth."""
    with cursor.one_level_down():
        parsed = _without_suffix(cursor)
    while cursor.dialect != "spark":
        if cursor.accept("ARRAY"):
            if cursor.at_symbol("["):
                raise cursor.error("Iceberg has no arrays of a fixed length", hint="leave the length out")
        elif cursor.dialect == "duckdb" and cursor.accept_symbol("["):
            if cursor.token.kind == "number":
                raise cursor.error("Iceberg has no arrays of a fixed length", hint="leave the length out")
            cursor.expect_symbol("]")
        else:
            break
        parsed = ListType(cursor.fresh_id(), parsed)
        if nesting(parsed) > MAX_NESTING:
            raise cursor.too_deep()
    return parsed


def _without_suffix(cursor: Cursor) -> IcebergType:
    # DuckDB accepts quoted type names, in any case.
    if cursor.token.kind != "word" and not (cursor.dialect == "duckdb" and cursor.token.kind == "quoted"):
        raise cursor.unexpected("a type")
    named = cursor.take()
    word = named.value.upper()
    match cursor.dialect, word:
        case "spark", "STRUCT":
            return _struct(cursor, "<", ">")
        case (("spark" | "trino"), "ARRAY"):
            return _array(cursor)
        case _, "MAP":
            return _map(cursor)
        case (("trino" | "duckdb"), "ROW"):
            return _struct(cursor, "(", ")")
        case "duckdb", "STRUCT":
            return _struct(cursor, "(", ")")
    rule = TYPES[cursor.dialect].get(word) or _ICEBERG.get(word)
    match rule:
        case None:
            raise cursor.error(f"Unknown type in {cursor.dialect} SQL: {cursor.preview(named)}", named)
        case Refused(instead):
            raise cursor.error(f"{word} is no type of an Iceberg table", named, hint=f"use {instead}")
        case Plain(plain, loses):
            if loses:
                cursor.note(f"{word} becomes {plain}: {loses}", named)
            if word == "DOUBLE" and cursor.dialect != "spark":
                cursor.accept("PRECISION")
            return plain
        case Text(length_needed):
            return _text(cursor, named, length_needed)
        case Decimals():
            return _decimal(cursor, named, rule)
        case Clock():
            return _clock(cursor, named, rule)


def _numbers(cursor: Cursor, most: int) -> list[int]:
    """Parse whole numbers in parentheses, one to `most` of them; none if no parenthesis follows."""
    if not cursor.accept_symbol("("):
        return []
    found: list[int] = []
    while True:
        if not (cursor.token.kind == "number" and re.fullmatch("[0-9]{1,18}", cursor.token.value)):
            raise cursor.unexpected("a whole number")
        found.append(int(cursor.take().value))
        if len(found) == most or not cursor.accept_symbol(","):
            cursor.expect_symbol(")")
            return found


def _text(cursor: Cursor, named: Token, length_needed: bool) -> IcebergType:
    word = named.value.upper()
    if word in ("CHAR", "CHARACTER") and cursor.dialect == "duckdb":
        cursor.accept("VARYING")
    length = _numbers(cursor, 1)
    if not length and length_needed:
        raise cursor.error(f"{word} needs a length", hint="or use STRING")
    if length or word in ("CHAR", "CHARACTER"):
        shown = f"{word}({length[0]})" if length else word
        cursor.note(f"{shown} becomes string: Iceberg keeps no length", named)
    return StringType()


def _decimal(cursor: Cursor, named: Token, rule: Decimals) -> IcebergType:
    given = _numbers(cursor, 2)
    precision, scale = (rule.precision, rule.scale) if not given else (given[0], given[1] if len(given) > 1 else 0)
    try:
        return DecimalType(precision, scale)
    except InvalidMetadataError as wrong:
        raise cursor.error(str(wrong), named) from None


def _clock(cursor: Cursor, named: Token, rule: Clock) -> IcebergType:
    word = named.value.upper()
    digits = _numbers(cursor, 1)[0] if rule.precisions and cursor.at_symbol("(") else None
    zoned = rule.zones and cursor.accept("WITH", "TIME", "ZONE")
    if not zoned and rule.zones:
        cursor.accept("WITHOUT", "TIME", "ZONE")
    nanos = digits is not None and digits > 6
    found = (rule.zoned_nanos if nanos else rule.zoned) if zoned else (rule.plain_nanos if nanos else rule.plain)
    shown = f"{word}{'' if digits is None else f'({digits})'}{' WITH TIME ZONE' if zoned else ''}"
    if found is None or (digits or 0) > 9:
        raise cursor.error(f"{shown} is no type of an Iceberg table", named)
    if digits not in (None, 6, 9):
        cursor.note(f"{shown} becomes {found}: Iceberg keeps {'nano' if nanos else 'micro'}seconds", named)
    return found


def _array(cursor: Cursor) -> IcebergType:
    close = _open(cursor)
    element = parse_type(cursor)
    cursor.expect_symbol(close)
    return ListType(cursor.fresh_id(), element)


def _map(cursor: Cursor) -> IcebergType:
    close = _open(cursor)
    key = parse_type(cursor)
    cursor.expect_symbol(",")
    value = parse_type(cursor)
    cursor.expect_symbol(close)
    return MapType(cursor.fresh_id(), key, cursor.fresh_id(), value)


def _open(cursor: Cursor) -> str:
    """Take the bracket that opens the parameters of an array or map, and return the one that closes them."""
    if cursor.dialect != "duckdb" and cursor.accept_symbol("<"):
        return ">"
    if cursor.dialect == "spark":
        raise cursor.unexpected("'<'")
    cursor.expect_symbol("(")
    return ")"


def _struct(cursor: Cursor, opening: str, closing: str) -> IcebergType:
    cursor.expect_symbol(opening)
    if cursor.at_symbol(closing):
        raise cursor.error("A struct without fields: Parquet files cannot hold one", hint="give it a field")
    fields: list[NestedField] = []
    while True:
        name = cursor.name("a field name")
        if any(f.name == name.value for f in fields):
            raise cursor.error(f"Two fields of one struct are called {name.value}", name)
        fields.append(_spark_field(cursor, name) if opening == "<" else _plain_field(cursor, name))
        if not cursor.accept_symbol(","):
            cursor.expect_symbol(closing)
            return StructType(tuple(fields))


def _spark_field(cursor: Cursor, name: Token) -> NestedField:
    cursor.accept_symbol(":")
    field_type = parse_type(cursor)
    required = cursor.accept("NOT")
    if required:
        cursor.expect("NULL")
    doc = cursor.string("the text of the comment") if cursor.accept("COMMENT") else None
    return NestedField(cursor.fresh_id(), name.value, field_type, required, doc)


def _plain_field(cursor: Cursor, name: Token) -> NestedField:
    # Trino folds unquoted names to lower case.
    spelled = name.value.lower() if cursor.dialect == "trino" and name.kind == "word" else name.value
    return NestedField(cursor.fresh_id(), spelled, parse_type(cursor))
