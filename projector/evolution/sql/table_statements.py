"""Parse statements about partition fields, the write order and table properties, in Spark's syntax."""

from __future__ import annotations

from collections.abc import Callable

from projector.evolution.operations.schema import Operation
from projector.evolution.operations.spec import AddPartitionField, RemovePartitionTerm
from projector.evolution.sql.columns import Path, Written, parse_names
from projector.evolution.sql.cursor import Cursor
from projector.evolution.sql.tokens import Token
from projector.evolution.updates.update_properties import RemoveProperty, SetProperty
from projector.evolution.updates.update_sort_order import SortBy, WriteOrder

_PropertyParser = Callable[[Cursor, str], Operation]

DISTRIBUTION_MODE = "write.distribution-mode"

_TRANSFORMS = {
    "IDENTITY": "identity",
    "VOID": "void",
    **dict.fromkeys(("YEAR", "YEARS"), "year"),
    **dict.fromkeys(("MONTH", "MONTHS"), "month"),
    **dict.fromkeys(("DATE", "DAY", "DAYS"), "day"),
    **dict.fromkeys(("DATE_HOUR", "HOUR", "HOURS"), "hour"),
}
_WITH_WIDTH = {"BUCKET": "bucket", "TRUNCATE": "truncate"}

_NO_PROPERTIES = {
    "sort-order": "use WRITE ORDERED BY",
    "identifier-fields": "use SET IDENTIFIER FIELDS",
    "location": "a table is not moved by its properties",
    "current-snapshot-id": "it would change the table's data",
    "cherry-pick-snapshot-id": "it would change the table's data",
}
"""Keys that Spark interprets as something else."""


# ---------------------------------------------------------------- partition fields


def add_partition_field(cursor: Cursor) -> list[Written]:
    """Parse `ADD PARTITION FIELD transform [AS name]`, from the transform on."""
    return [_add(cursor)]


def drop_partition_field(cursor: Cursor) -> list[Written]:
    """Parse `DROP PARTITION FIELD transform`, from the transform on. A bare name is a column or a partition field."""
    return [_remove(cursor)]


def replace_partition_field(cursor: Cursor) -> list[Written]:
    """Parse `REPLACE PARTITION FIELD transform WITH transform [AS name]`, from the transform on."""
    removed = _remove(cursor)
    cursor.expect("WITH")
    return [removed, _add(cursor)]


def _remove(cursor: Cursor) -> Written:
    start = cursor.token.start
    column, transform = _transform(cursor)
    return Written(RemovePartitionTerm(column, transform, or_name=True), start, cursor.previous_end)


def _add(cursor: Cursor) -> Written:
    start = cursor.token.start
    column, transform = _transform(cursor)
    name = cursor.name("the name of the partition field").value if cursor.accept("AS") else None
    return Written(AddPartitionField(column, transform, name), start, cursor.previous_end)


def _transform(cursor: Cursor) -> tuple[Path, str]:
    """Parse a column, or a transform of one: the column's path and the transform in metadata's spelling."""
    if not (cursor.token.kind == "word" and cursor.ahead(1).kind == "symbol" and cursor.ahead(1).text == "("):
        return parse_names(cursor, "a column or a transform"), "identity"
    named = cursor.take()
    word = named.value.upper()
    if word not in _TRANSFORMS and word not in _WITH_WIDTH:
        raise cursor.error(
            f"Unknown transform: {cursor.preview(named)}",
            named,
            hint=f"use one of: {', '.join([*_WITH_WIDTH, *_TRANSFORMS]).lower()}",
        )
    column, width = _arguments(cursor)
    if word in _TRANSFORMS:
        if width is not None:
            raise cursor.error(f"{word} takes a column and nothing else", named)
        return column, _TRANSFORMS[word]
    if width is None:
        raise cursor.error(f"{word} needs a width", named, hint=f"write {word.lower()}(16, {'.'.join(column)})")
    return column, f"{_WITH_WIDTH[word]}[{width}]"


def _arguments(cursor: Cursor) -> tuple[Path, int | None]:
    """Parse a column, and a width before or after it."""
    cursor.expect_symbol("(")
    width = _width(cursor) if cursor.token.kind == "number" else None
    if width is not None:
        cursor.expect_symbol(",")
    column = parse_names(cursor)
    if width is None and cursor.accept_symbol(","):
        width = _width(cursor)
    cursor.expect_symbol(")")
    return column, width


def _width(cursor: Cursor) -> int:
    digits = cursor.token.value
    if cursor.token.kind != "number" or not digits.isdecimal() or not 0 < int(digits) < 2**31:
        raise cursor.unexpected("a whole number above zero")
    cursor.take()
    return int(digits)


# ---------------------------------------------------------------- write order


def write_order(cursor: Cursor) -> list[Written]:
    """Parse `WRITE [DISTRIBUTED BY PARTITION] [[LOCALLY] ORDERED BY ... | UNORDERED]`, after WRITE, in either order.

    As in Spark, a distribution without an order leaves the table unsorted, and an order also sets the table's
    distribution
    mode: `range`, or with LOCALLY `none` if there was none.
    """
    start = cursor.token.start
    fields: tuple[SortBy, ...] | None = None
    distributed, mode = False, None
    while not cursor.at_end:
        if cursor.accept("DISTRIBUTED", "BY", "PARTITION"):
            if distributed:
                raise cursor.error("More than one distribution is given")
            distributed = True
            continue
        locally = cursor.accept("LOCALLY")
        if not cursor.at("ORDERED", "BY") and (locally or not cursor.at("UNORDERED")):
            raise cursor.unexpected("ORDERED BY" if locally else "ORDERED BY, UNORDERED or DISTRIBUTED BY PARTITION")
        if fields is not None:
            raise cursor.error("More than one order is given")
        if cursor.accept("UNORDERED"):
            fields, mode = (), "none"
        else:
            cursor.expect("ORDERED", "BY")
            fields, mode = _order(cursor), None if locally else "range"
    if fields is None and not distributed:
        raise cursor.unexpected("ORDERED BY, UNORDERED or DISTRIBUTED BY PARTITION")
    mode = "hash" if distributed else mode
    operations: list[Operation] = [WriteOrder(fields or ())]
    if mode is not None:
        operations.append(SetProperty(DISTRIBUTION_MODE, mode))
    return [Written(operation, start, cursor.previous_end) for operation in operations]


def _order(cursor: Cursor) -> tuple[SortBy, ...]:
    bracket = cursor.accept_symbol("(")
    fields = [_sort_by(cursor)]
    while cursor.accept_symbol(","):
        fields.append(_sort_by(cursor))
    if bracket:
        cursor.expect_symbol(")")
    return tuple(fields)


def _sort_by(cursor: Cursor) -> SortBy:
    column, transform = _transform(cursor)
    descending = not cursor.accept("ASC") and cursor.accept("DESC")
    first = not descending
    if cursor.accept("NULLS"):
        first = cursor.accept("FIRST")
        if not first:
            cursor.expect("LAST")
    return SortBy(column, transform, "desc" if descending else "asc", "nulls-first" if first else "nulls-last")


# ---------------------------------------------------------------- table properties


def set_properties(cursor: Cursor) -> list[Written]:
    """Parse `SET TBLPROPERTIES (key = value, ...)`, from the parenthesis on."""
    return _properties(cursor, _set)


def unset_properties(cursor: Cursor) -> list[Written]:
    """Parse `UNSET TBLPROPERTIES [IF EXISTS] (key, ...)`. A missing key is not an error, with or without IF EXISTS."""
    cursor.accept("IF", "EXISTS")
    return _properties(cursor, lambda cursor, key: RemoveProperty(key))


def _properties(cursor: Cursor, operation: _PropertyParser) -> list[Written]:
    cursor.expect_symbol("(")
    written: list[Written] = []
    seen: set[str] = set()
    while True:
        named = cursor.token
        key = _key(cursor)
        if key in seen:
            raise cursor.error(f"Given twice: {key}", named)
        if key in _NO_PROPERTIES:
            raise cursor.error(f"{key} is no property of an Iceberg table", named, hint=_NO_PROPERTIES[key])
        seen.add(key)
        written.append(Written(operation(cursor, key), named.start, cursor.previous_end))
        if not cursor.accept_symbol(","):
            cursor.expect_symbol(")")
            return written


def _set(cursor: Cursor, key: str) -> Operation:
    cursor.accept_symbol("=")
    token = cursor.token
    if token.kind == "string":
        return SetProperty(key, cursor.string("the value"))
    if token.kind == "number" or (token.kind == "word" and token.value.upper() in ("TRUE", "FALSE")):
        cursor.take()
        return SetProperty(key, token.text.lower() if token.kind == "word" else token.text)
    raise cursor.unexpected(f"the value of {key}", hint="a value is a string, a number, true or false")


def _key(cursor: Cursor) -> str:
    if cursor.token.kind == "string":
        return cursor.string("the key of a property")
    parts: tuple[Token, ...] = cursor.path("the key of a property")
    return ".".join(part.value for part in parts)
