"""Translate SQL conditions to scan filters, if both mean exactly the same.

A literal is translated if DuckDB and Polars compare it with the column's type without rounding either.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from projector.planning.filters.expressions import (
    Comparison,
    Expression,
    In,
    IsNull,
    Not,
    NotNull,
    Op,
    StartsWith,
    all_of,
    any_of,
)
from projector.planning.filters.literals import DateLiteral, TimestampLiteral
from projector.schema.iso_text import parse_date
from projector.schema.schema import Schema
from projector.schema.types import (
    BooleanType,
    DateType,
    DecimalType,
    IcebergType,
    IntegerType,
    LongType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzType,
    UUIDType,
)

if TYPE_CHECKING:
    from sqlglot import exp

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]{1,6})?(\+00:00|Z)?")
_UUID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}")
_PARTS = frozenset({"this", "expression", "expressions", "low", "high", "negate"})
"""The parts of a condition that are understood. A condition with others (ESCAPE, SYMMETRIC, a subquery) is not."""
_NANOS_PER_DAY = 86_400 * 10**9


def condition(node: exp.Expr, alias: str, only_source: bool, schema: Schema) -> Expression | None:
    """Return a condition as an unbound filter; None unless it certainly means the same.

    Parameters
    ----------
    alias:
        The name of the table in the query, in lower case.
    only_source:
        Whether a column without a table's name can only belong to this table.
    """
    return _Conditions(alias, only_source, schema).read(node)


class _Conditions:
    def __init__(self, alias: str, only_source: bool, schema: Schema) -> None:
        self.alias, self.only_source, self.schema = alias, only_source, schema

    def read(self, node: exp.Expr) -> Expression | None:
        negated = bool(node.args.get("negate"))  # one of the forms in which the parser represents NOT LIKE
        if any(said and part not in _PARTS for part, said in node.args.items()):
            return None
        found = self.positive(node)
        return Not(found) if negated and found is not None else found

    def positive(self, node: exp.Expr) -> Expression | None:
        """Return the filter of a condition, without its own negation."""
        from sqlglot import exp

        match node:
            case exp.Paren():
                return self.read(node.this)
            case exp.And() | exp.Or():
                found = [self.read(part) for part in _operands(node)]
                read = [part for part in found if part is not None]
                if len(read) < len(found):
                    return None
                return all_of(read) if isinstance(node, exp.And) else any_of(read)
            case exp.Not():
                return self.negated(node.this)
            case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
                return self.comparison(_OPS[type(node).__name__], node.this, node.expression)
            case exp.Between():
                low = self.comparison(Op.GE, node.this, node.args["low"])
                high = self.comparison(Op.LE, node.this, node.args["high"])
                return None if low is None or high is None else all_of((low, high))
            case exp.In():
                return self.membership(node)
            case exp.Is() if isinstance(node.expression, exp.Null):
                path = self.path(node.this)
                return None if path is None else IsNull(path)
            case exp.Like() if isinstance(node.expression, exp.Literal) and node.expression.is_string:
                return self.prefix(node)
        return None

    def negated(self, node: exp.Expr) -> Expression | None:
        from sqlglot import exp

        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null) and not node.args.get("negate"):
            path = self.path(node.this)
            return None if path is None else NotNull(path)
        found = self.read(node)
        return None if found is None else Not(found)

    def comparison(self, op: Op, left: exp.Expr, right: exp.Expr) -> Expression | None:
        path, other = self.path(left), right
        if path is None:
            path, other, op = self.path(right), left, op.flipped
        if path is None:
            return None
        literal = _literal(other, self.type_of(path))
        return None if literal is None else Comparison(op, path, literal)

    def membership(self, node: exp.In) -> Expression | None:
        path = self.path(node.this)
        if path is None:
            return None
        literals = [_literal(item, self.type_of(path)) for item in node.expressions]
        return In(path, tuple(literals)) if literals and None not in literals else None

    def prefix(self, node: exp.Like) -> Expression | None:
        path, pattern = self.path(node.this), node.expression.name
        if path is None or not isinstance(self.type_of(path), StringType):
            return None
        begin = pattern[:-1]
        return StartsWith(path, begin) if pattern.endswith("%") and not re.search(r"[%_\\]", begin) else None

    def path(self, node: exp.Expr) -> tuple[str, ...] | None:
        """Return the path of a column of this table; None for anything else."""
        from sqlglot import exp

        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, exp.Column) or (isinstance(node, exp.Dot) and isinstance(node.parts[0], exp.Expr)):
            names = [part.name for part in node.parts]
        else:
            return None
        if names[0].lower() == self.alias and len(names) > 1:
            # A column may have its table's name; then it is unclear which of them is meant.
            return None if self.schema.find_id((names[0],), False) is not None else self.known(names[1:])
        return self.known(names) if self.only_source else None

    def known(self, names: list[str]) -> tuple[str, ...] | None:
        found = self.schema.find_id(tuple(names), False)
        return None if found is None else self.schema.paths_by_id[found]

    def type_of(self, path: tuple[str, ...]) -> IcebergType:
        return self.schema.fields_by_id[self.schema.find_id(path, True) or 0].field_type


def _operands(node: exp.And | exp.Or) -> list[exp.Expr]:
    """Return the operands of a chain of ANDs or of ORs, in order. The parser nests long chains deeply."""
    found: list[exp.Expr] = []
    pending: list[exp.Expr] = [node]
    while pending:
        part = pending.pop()
        if type(part) is type(node) and not any(said and name not in _PARTS for name, said in part.args.items()):
            pending += [part.expression, part.this]
        else:
            found.append(part)
    return found


_OPS = {"EQ": Op.EQ, "NEQ": Op.NE, "LT": Op.LT, "LTE": Op.LE, "GT": Op.GT, "GTE": Op.GE}


def _literal(node: exp.Expr, kind: IcebergType) -> Any:
    """Return a literal for a column of a type; None if it is not one, or compares as another type."""
    from sqlglot import exp

    sign = ""
    while isinstance(node, exp.Paren | exp.Neg):
        sign = ("" if sign else "-") if isinstance(node, exp.Neg) else sign
        node = node.this
    if isinstance(node, exp.Boolean):
        return bool(node.this) if isinstance(kind, BooleanType) and not sign else None
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal) and node.this.is_string and not sign:
        return _typed(node.this.name, node.to.sql(dialect="duckdb").upper(), kind)
    if not isinstance(node, exp.Literal):
        return None
    if node.is_string:
        return None if sign else _text(node.name, kind)
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", node.name):
        return None
    number = Decimal(sign + node.name)
    match kind:
        case IntegerType() | LongType():
            return int(number) if "." not in node.name and abs(number) < 2**63 else None
        case DecimalType(precision, scale):
            fits = len(node.name.partition(".")[2]) <= scale and abs(number) < 10 ** (precision - scale)
            return number if fits else None
    return None


def _text(text: str, kind: IcebergType) -> Any:
    match kind:
        case StringType():
            return text
        case DateType():
            return _typed(text, "DATE", kind)
        case TimestampType():
            return _typed(text, "TIMESTAMP", kind)
        case UUIDType():
            return UUID(text) if _UUID.fullmatch(text) else None
    return None


def _typed(text: str, written: str, kind: IcebergType) -> Any:
    found = _TIMESTAMP.fullmatch(text)
    try:
        match written, kind:
            case "DATE", DateType() if _DATE.fullmatch(text):
                return DateLiteral(parse_date(text))
            case "TIMESTAMP", TimestampType() | TimestampNanoType() if found and not found[6]:
                return TimestampLiteral(_nanos(found), False)
            case "TIMESTAMPTZ", TimestamptzType() if found and found[6]:
                return TimestampLiteral(_nanos(found), True)
    except ValueError:
        return None
    return None


def _nanos(found: re.Match[str]) -> int:
    hours, minutes, seconds = int(found[2]), int(found[3]), int(found[4])
    if hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError
    fraction = int((found[5] or ".0")[1:].ljust(9, "0"))
    return parse_date(found[1]) * _NANOS_PER_DAY + ((hours * 60 + minutes) * 60 + seconds) * 10**9 + fraction
