"""Parse the SQL literals of `DEFAULT` to Python values, which a schema update converts to the column's type.

Only literals are accepted: the schema stores a default as a value, so `CURRENT_DATE` or `1 + 2` cannot be one.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

from projector.errors import ParseError, ProjectorError
from projector.evolution.operations.schema import SqlText
from projector.evolution.sql.cursor import Cursor
from projector.evolution.sql.tokens import Token
from projector.evolution.sql.types import parse_type
from projector.schema.single_values import from_plain, to_plain
from projector.schema.types import (
    BinaryType,
    DateType,
    DecimalType,
    IcebergType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

_LONGEST_NUMBER = 400  # a double in full has up to 309 digits before its point
_SUFFIX = re.compile(r"(BD|[LSYDF])$", re.IGNORECASE)
_TIMESTAMP = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_BLOB_ESCAPE = re.compile(rb"\\x([0-9a-fA-F]{2})")
_ZONED = (TimestamptzType, TimestamptzNanoType)
_TIMESTAMPS = (TimestampType, TimestamptzType, TimestampNanoType, TimestamptzNanoType)
_ONLY_LITERALS = "a default must be a literal: a number, a string, TRUE, FALSE, NULL, X'..', DATE '..', TIMESTAMP '..'"


def parse_default(cursor: Cursor, column_type: IcebergType | None) -> Any:
    """Parse the literal after DEFAULT to a Python value.

    Parameters
    ----------
    column_type:
        The type of the column, if the statement names it: text is then read as SQL reads it for that type.

    Raises
    ------
    ParseError
        At the first token that does not belong to a literal, or at a literal that its own type cannot hold.
    """
    first = cursor.token
    value = _literal(cursor)
    if cursor.at_symbol("+", "-", "*", "/", "%", "|", "(", "[", "<", ">", "=", "::") or cursor.token.kind == "number":
        raise cursor.error(f"Not a literal: {cursor.preview(cursor.token)} follows one", hint=_ONLY_LITERALS)
    if column_type is None:
        return value
    return _for_column(cursor, first, value, column_type)


def _literal(cursor: Cursor) -> Any:
    token = cursor.token
    if cursor.dialect == "duckdb" and cursor.accept_symbol("("):
        value = _literal(cursor)
        cursor.expect_symbol(")")
    elif cursor.at_symbol("+", "-"):
        sign = cursor.take()
        if cursor.token.kind != "number":
            raise cursor.error(f"Not a literal: {cursor.preview(cursor.token)}", hint=_ONLY_LITERALS)
        number = _number(cursor, cursor.take())
        value = -number if sign.text == "-" else number
    elif token.kind == "number":
        value = _number(cursor, cursor.take())
    elif token.kind == "hex":
        value = _hexadecimal(cursor, cursor.take())
    elif token.kind == "string":
        value = SqlText(cursor.string("a literal"))
    elif cursor.accept("NULL"):
        value = None
    elif cursor.accept("TRUE"):
        value = True
    elif cursor.accept("FALSE"):
        value = False
    elif cursor.at("CAST"):
        value = _cast(cursor)
    else:
        value = _typed_text(cursor)
    while cursor.dialect == "duckdb" and cursor.accept_symbol("::"):
        value = _converted(cursor, token, value, _exact_type(cursor))
    return value


def _exact_type(cursor: Cursor) -> IcebergType:
    """Parse the type of a cast. Raises if Iceberg stores less of it than SQL, because the cast would change values."""
    token, noted = cursor.token, len(cursor.notes)
    found = parse_type(cursor)
    if len(cursor.notes) > noted:
        lost, _ = cursor.notes[noted]
        del cursor.notes[noted:]
        raise cursor.error(f"Not a literal: a cast to {cursor.preview(token)} may change the value: {lost}", token)
    return found


def _number(cursor: Cursor, token: Token) -> int | float | Decimal:
    """Return an int; a Decimal if there is a point or an exponent; a float if the suffix asks for one."""
    text, suffix = token.value, ""
    if len(text) > _LONGEST_NUMBER or re.search(r"[eE][+-]?[0-9]{5}", text):
        raise cursor.error("Number out of range: no type holds so many digits", token)
    if cursor.dialect == "spark" and (found := _SUFFIX.search(text)):
        text, suffix = text[: found.start()], found[1].upper()
    if suffix in ("D", "F"):
        return float(text)
    if suffix == "BD":
        return Decimal(text)
    if text.isdecimal():
        bits = {"Y": 8, "S": 16, "L": 64}.get(suffix)
        if bits and int(text) > 1 << (bits - 1):
            raise cursor.error(f"Number out of range: {cursor.preview(token)}", token)
        return int(text)
    if suffix:
        raise cursor.error(f"Not a number: {cursor.preview(token)}", token)
    return Decimal(text)


def _hexadecimal(cursor: Cursor, token: Token) -> bytes:
    digits = token.value if len(token.value) % 2 == 0 or cursor.dialect != "spark" else "0" + token.value
    if len(digits) % 2 or not re.fullmatch(r"[0-9a-fA-F]*", digits):
        raise cursor.error(f"Not an even number of hexadecimal digits: {cursor.preview(token)}", token)
    return bytes.fromhex(digits)


def _cast(cursor: Cursor) -> Any:
    first = cursor.token
    cursor.expect("CAST")
    cursor.expect_symbol("(")
    value = _literal(cursor)
    cursor.expect("AS")
    to_type = _exact_type(cursor)
    cursor.expect_symbol(")")
    return _converted(cursor, first, value, to_type)


def _typed_text(cursor: Cursor) -> Any:
    """Parse a literal that begins with its type, such as DATE '2024-01-31'."""
    first = cursor.token
    not_one = cursor.error(f"Not a literal: {cursor.preview(first)}", hint=_ONLY_LITERALS)
    if first.kind != "word":
        raise not_one
    try:
        text_type = _exact_type(cursor)
    except ParseError as error:
        # A type that Iceberg lacks (INTERVAL '1' DAY) and a function, which is not a type, look the same here.
        raise not_one from error
    if cursor.token.kind != "string":
        raise not_one
    text = cursor.token
    value = SqlText(cursor.string("a literal"))
    short = len(value) <= _LONGEST_NUMBER
    if short and isinstance(text_type, DecimalType) and re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)", value):
        return Decimal(value)  # its scale is that of its digits, not that of DECIMAL without parameters
    return _converted(cursor, text, value, text_type)


def _converted(cursor: Cursor, token: Token, value: Any, to_type: IcebergType) -> Any:
    """Return a literal as a value of a SQL type, for CAST and typed literals. Raises unless the conversion is exact."""
    if value is None:
        return None
    if isinstance(value, SqlText):
        value = _read_text(cursor, token, str(value), to_type)
    if isinstance(to_type, _TIMESTAMPS) and isinstance(value, (datetime, str)):
        return value
    if isinstance(to_type, StringType) and isinstance(value, str):
        return SqlText(value)
    try:
        plain = to_plain(value, to_type)
        return from_plain(plain, to_type)
    except (ProjectorError, ValueError) as error:
        reason = error.message if isinstance(error, ProjectorError) else str(error)
        raise cursor.error(f"Not a {to_type}: {cursor.preview(token)}: {reason}", token) from error


def _read_text(cursor: Cursor, token: Token, text: str, to_type: IcebergType) -> Any:
    """Return text as SQL reads it for a type. Raises at the literal for text that is not of the type."""
    stripped = text.strip()
    try:
        match to_type:
            case StringType():
                return SqlText(text)
            case DateType():
                return date.fromisoformat(_whole(r"\d{4}-\d\d-\d\d", stripped))
            case TimeType():
                return time.fromisoformat(_whole(r"\d\d:\d\d(:\d\d(\.\d{1,6})?)?", stripped))
            case UUIDType():
                return UUID(_whole(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", stripped))
            case BinaryType():
                return _blob(cursor, text)
            case _ if isinstance(to_type, _TIMESTAMPS):
                return _timestamp(stripped, needs_zone=isinstance(to_type, _ZONED) and cursor.dialect != "spark")
    except ValueError as error:
        raise cursor.error(f"Not a {to_type}: {cursor.preview(token)}: {error}", token) from None
    if len(stripped) <= _LONGEST_NUMBER and re.fullmatch(
        r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?", stripped
    ):
        return int(stripped) if re.fullmatch(r"[+-]?[0-9]+", stripped) else Decimal(stripped)
    if stripped.lower() in ("true", "false"):
        return stripped.lower() == "true"
    return SqlText(text)


def _whole(pattern: str, text: str) -> str:
    if not re.fullmatch(pattern, text, re.ASCII):
        raise ValueError("not in ISO form")
    return text


def _blob(cursor: Cursor, text: str) -> bytes:
    if cursor.dialect != "duckdb":
        raise ValueError("text is no binary literal; write X'..'")
    if not text.isascii():
        raise ValueError("only ASCII characters and \\xAB escapes are allowed")
    encoded = text.encode("ascii")
    if b"\\" in _BLOB_ESCAPE.sub(b"", encoded):
        raise ValueError("a backslash begins \\x and two hexadecimal digits")
    return _BLOB_ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), encoded)


def _timestamp(text: str, *, needs_zone: bool) -> datetime | str:
    """Return a datetime, aware if an offset is written; ISO text if there are more than six fractional digits."""
    found = _TIMESTAMP.fullmatch(text)
    if not found:
        raise ValueError("write YYYY-MM-DD hh:mm:ss, with an offset such as +00:00 where it needs one")
    day, minute, second, fraction, zone = found.groups()
    if needs_zone and zone is None:
        raise ValueError("without an offset it depends on the session's time zone")
    value = datetime.fromisoformat(f"{day}T{minute or '00:00'}:{second or '00'}.{(fraction or '')[:6]:0<6}")
    offset = _offset(zone)
    if len((fraction or "").rstrip("0")) > 6:
        shown = "" if offset is None else f"{zone[0] if zone and zone[0] in '+-' else '+'}{_hours(offset)}"
        return f"{value:%Y-%m-%dT%H:%M:%S}.{fraction:0<9}{shown}"
    return value if offset is None else value.replace(tzinfo=timezone(offset))


def _offset(zone: str | None) -> timedelta | None:
    if zone is None:
        return None
    if zone in ("Z", "UTC"):
        return timedelta(0)
    minutes = int(zone[1:3]) * 60 + int(zone[-2:] if len(zone) > 3 else 0)
    return timedelta(minutes=-minutes if zone[0] == "-" else minutes)


def _hours(offset: timedelta) -> str:
    minutes = abs(int(offset.total_seconds())) // 60
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _for_column(cursor: Cursor, token: Token, value: Any, column_type: IcebergType) -> Any:
    """Return a literal for a column of a known type. The schema update reports a value that does not fit."""
    binary_text = isinstance(column_type, BinaryType) and cursor.dialect == "duckdb"
    if isinstance(value, SqlText) and (binary_text or isinstance(column_type, _TIMESTAMPS)):
        value = _read_text(cursor, token, str(value), column_type)
    if isinstance(column_type, _ZONED) and isinstance(value, datetime) and value.tzinfo is None:
        raise cursor.error(
            "A timestamp without an offset depends on the session's time zone", token, hint="write one, such as +00:00"
        )
    return value
