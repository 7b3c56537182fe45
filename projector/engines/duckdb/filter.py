"""Turn a bound filter into SQL.

DuckDB compares values as filters do: null gives null, AND and OR are three-valued, NaN equals NaN and is greater than
every other number, -0.0 equals 0.0, text and bytes are ordered by their bytes.
"""

from __future__ import annotations

from collections.abc import Callable

from projector.engines.duckdb.types import blob, literal, text
from projector.planning.filters.expressions import (
    AlwaysFalse,
    AlwaysNull,
    AlwaysTrue,
    And,
    BoundComparison,
    BoundIn,
    BoundIsNaN,
    BoundIsNull,
    BoundNotIn,
    BoundNotNaN,
    BoundNotNull,
    BoundNotStartsWith,
    BoundStartsWith,
    BoundTerm,
    Expression,
    Not,
    Or,
    split,
)


def filter_sql(bound: Expression, column: Callable[[BoundTerm], str]) -> str:
    """Return a bound filter as a boolean SQL expression that is null for the rows for which the filter is null.

    Parameters
    ----------
    column:
        Returns the SQL of a column of the filter, in its requested type.
    """
    match bound:
        case And() | Or():
            word = " AND " if isinstance(bound, And) else " OR "
            return f"({word.join(filter_sql(part, column) for part in split(bound, type(bound)))})"
        case Not(child):
            return f"(NOT {filter_sql(child, column)})"
        case AlwaysTrue() | AlwaysFalse():
            return "true" if isinstance(bound, AlwaysTrue) else "false"
        case AlwaysNull():
            return "CAST(NULL AS BOOLEAN)"
    assert isinstance(bound.term, BoundTerm), "the filter is bound"
    return f"({_leaf(bound, column(bound.term))})"


def _leaf(leaf: Expression, column: str) -> str:
    match leaf:
        case BoundComparison(op, BoundTerm(field_type=kind), value):
            return f"{column} {op} {literal(value, kind)}"
        case BoundIn(BoundTerm(field_type=kind), values):
            return f"{column} IN ({', '.join(literal(v, kind) for v in values)})"
        case BoundNotIn(BoundTerm(field_type=kind), values):
            return f"{column} NOT IN ({', '.join(literal(v, kind) for v in values)})"
        case BoundIsNull():
            return f"{column} IS NULL"
        case BoundNotNull():
            return f"{column} IS NOT NULL"
        case BoundIsNaN():
            return f"isnan({column})"
        case BoundNotNaN():
            return f"NOT isnan({column})"
        case BoundStartsWith(_, prefix):
            return _starts_with(column, prefix)
        case BoundNotStartsWith(_, prefix):
            return f"NOT ({_starts_with(column, prefix)})"
    raise AssertionError(f"not a bound leaf: {leaf!r}")


def _starts_with(column: str, prefix: str | bytes) -> str:
    if isinstance(prefix, str):
        return f"starts_with({column}, {text(prefix)})"
    above = _next(prefix)
    begins = f"{column} >= {blob(prefix)}"
    return begins if above is None else f"{begins} AND {column} < {blob(above)}"


def _next(prefix: bytes) -> bytes | None:
    """Return the smallest bytes above all bytes that start with a prefix; None if there are none."""
    cut = prefix.rstrip(b"\xff")
    return cut[:-1] + bytes([cut[-1] + 1]) if cut else None
