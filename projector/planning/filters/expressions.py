"""Filters as values: unbound, as the user wrote them, and bound to one schema.

Logic is three-valued, as in SQL: a comparison with null is neither true nor false but *null*, `NOT null` is null, and a
row passes a filter only if it is true. `AlwaysNull` is the constant null.

And, Or, Not and the constants serve both forms; the leaves differ. An unbound leaf names its column and holds a literal
as written. A bound leaf has the field's id, its requested type, and plain values of that type (see
`projector.schema.types`), so that nothing below `bind` converts a literal.

Floating point is ordered as in Spark, DuckDB, Polars and Java's reader: NaN equals NaN and is greater than every other
value; -0.0 equals 0.0. In a bound filter no literal is NaN or -0.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from projector.planning.filters.literals import Literal, describe, spell
from projector.schema.types import IcebergType


class Op(StrEnum):
    """The operator of a comparison."""

    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="

    @property
    def negated(self) -> Op:
        """The operator that is true where this one is false."""
        return _NEGATED[self]

    @property
    def flipped(self) -> Op:
        """The operator for exchanged sides."""
        return _FLIPPED[self]


_NEGATED = {Op.EQ: Op.NE, Op.NE: Op.EQ, Op.LT: Op.GE, Op.GE: Op.LT, Op.GT: Op.LE, Op.LE: Op.GT}
_FLIPPED = {Op.EQ: Op.EQ, Op.NE: Op.NE, Op.LT: Op.GT, Op.GT: Op.LT, Op.LE: Op.GE, Op.GE: Op.LE}


@dataclass(frozen=True, slots=True)
class AlwaysTrue:
    """True for every row."""

    def __str__(self) -> str:
        return "TRUE"


@dataclass(frozen=True, slots=True)
class AlwaysFalse:
    """False for every row."""

    def __str__(self) -> str:
        return "FALSE"


@dataclass(frozen=True, slots=True)
class AlwaysNull:
    """Null for every row, such as `x = NULL`."""

    def __str__(self) -> str:
        return "NULL"


@dataclass(frozen=True, slots=True)
class And:
    """True if both sides are, false if one of them is false, else null."""

    left: Expression
    right: Expression

    def __str__(self) -> str:
        return f"({self.left} AND {self.right})"


@dataclass(frozen=True, slots=True)
class Or:
    """True if one of the sides is, false if both are false, else null."""

    left: Expression
    right: Expression

    def __str__(self) -> str:
        return f"({self.left} OR {self.right})"


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a filter; null stays null."""

    child: Expression

    def __str__(self) -> str:
        return f"(NOT {self.child})"


Term = str | tuple[str, ...]
"""A column: a dotted name (a column with dots in its name takes precedence), or a path of names."""


# --------------------------------------------------------------------------------------------------- unbound leaves


@dataclass(frozen=True, slots=True)
class Comparison:
    """`term op literal`."""

    op: Op
    term: Term
    literal: Literal


@dataclass(frozen=True, slots=True)
class In:
    """`term IN (literals)`."""

    term: Term
    literals: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class NotIn:
    """`term NOT IN (literals)`."""

    term: Term
    literals: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class IsNull:
    """`term IS NULL`: never null itself."""

    term: Term


@dataclass(frozen=True, slots=True)
class NotNull:
    """`term IS NOT NULL`: never null itself."""

    term: Term


@dataclass(frozen=True, slots=True)
class IsNaN:
    """`term IS NAN`: null for null, as in the engines."""

    term: Term


@dataclass(frozen=True, slots=True)
class NotNaN:
    """`term IS NOT NAN`: null for null."""

    term: Term


@dataclass(frozen=True, slots=True)
class StartsWith:
    """`term LIKE 'prefix%'`, for strings and binaries."""

    term: Term
    prefix: Literal


@dataclass(frozen=True, slots=True)
class NotStartsWith:
    """`term NOT LIKE 'prefix%'`."""

    term: Term
    prefix: Literal


# ----------------------------------------------------------------------------------------------------- bound leaves


@dataclass(frozen=True, slots=True)
class BoundTerm:
    """A column of the requested schema.

    Parameters
    ----------
    field_id:
        The field's id.
    field_type:
        Its requested type, in which all comparisons happen and which all literals have.
    path:
        The names from the top of the schema, as the schema spells them.
    parent_ids:
        Ids of the structs that it lies in, outermost first.
    null_parents:
        Whether one of those structs is optional, so that the column can be null without nulls of its own.
    """

    field_id: int
    field_type: IcebergType
    path: tuple[str, ...]
    parent_ids: tuple[int, ...] = ()
    null_parents: bool = False

    def __str__(self) -> str:
        return ".".join(_quoted(name) for name in self.path)


def _quoted(name: str) -> str:
    plain = name.replace("_", "a").isalnum() and not name[:1].isdigit() and name.lower() not in RESERVED_WORDS
    return name if plain else '"' + name.replace('"', '""') + '"'


RESERVED_WORDS = frozenset(
    ("and", "or", "not", "in", "is", "null", "nan", "like", "ilike", "between", "true", "false", "escape")
)
"""Words that a filter does not read as column names, unless they are quoted."""


@dataclass(frozen=True, slots=True)
class BoundComparison:
    """`term op literal`; null for null."""

    op: Op
    term: BoundTerm
    literal: Any

    def __str__(self) -> str:
        return f"{self.term} {self.op} {spell(self.literal, self.term.field_type)}"


@dataclass(frozen=True, slots=True)
class BoundIn:
    """The term is one of two or more literals, ascending and distinct; null for null."""

    term: BoundTerm
    literals: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{self.term} IN ({', '.join(spell(x, self.term.field_type) for x in self.literals)})"


@dataclass(frozen=True, slots=True)
class BoundNotIn:
    """The term is none of two or more literals, ascending and distinct; null for null."""

    term: BoundTerm
    literals: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{self.term} NOT IN ({', '.join(spell(x, self.term.field_type) for x in self.literals)})"


@dataclass(frozen=True, slots=True)
class BoundIsNull:
    """The term is null, or lies in a null struct."""

    term: BoundTerm

    def __str__(self) -> str:
        return f"{self.term} IS NULL"


@dataclass(frozen=True, slots=True)
class BoundNotNull:
    """The term is not null."""

    term: BoundTerm

    def __str__(self) -> str:
        return f"{self.term} IS NOT NULL"


@dataclass(frozen=True, slots=True)
class BoundIsNaN:
    """The term, a float or double, is NaN; null for null."""

    term: BoundTerm

    def __str__(self) -> str:
        return f"{self.term} IS NAN"


@dataclass(frozen=True, slots=True)
class BoundNotNaN:
    """The term, a float or double, is a number; null for null."""

    term: BoundTerm

    def __str__(self) -> str:
        return f"{self.term} IS NOT NAN"


@dataclass(frozen=True, slots=True)
class BoundStartsWith:
    """The term starts with a string or with bytes; null for null."""

    term: BoundTerm
    prefix: str | bytes

    def __str__(self) -> str:
        if isinstance(self.prefix, bytes):
            return f"starts_with({self.term}, X'{self.prefix.hex()}')"
        return f"{self.term} LIKE {describe(escape_like(self.prefix) + '%')}"


@dataclass(frozen=True, slots=True)
class BoundNotStartsWith:
    """The term does not start with a string or with bytes; null for null."""

    term: BoundTerm
    prefix: str | bytes

    def __str__(self) -> str:
        if isinstance(self.prefix, bytes):
            return f"(NOT starts_with({self.term}, X'{self.prefix.hex()}'))"
        return f"{self.term} NOT LIKE {describe(escape_like(self.prefix) + '%')}"


def escape_like(text: str) -> str:
    """Return the LIKE pattern that matches exactly this text."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


Constant = AlwaysTrue | AlwaysFalse | AlwaysNull
UnboundLeaf = Comparison | In | NotIn | IsNull | NotNull | IsNaN | NotNaN | StartsWith | NotStartsWith
BoundLeaf = (
    BoundComparison
    | BoundIn
    | BoundNotIn
    | BoundIsNull
    | BoundNotNull
    | BoundIsNaN
    | BoundNotNaN
    | BoundStartsWith
    | BoundNotStartsWith
)
Expression = Constant | And | Or | Not | UnboundLeaf | BoundLeaf
"""A filter. `bind` turns one with unbound leaves into one with bound leaves and without Not."""

TRUE, FALSE, NULL = AlwaysTrue(), AlwaysFalse(), AlwaysNull()


def all_of(parts: Iterable[Expression]) -> Expression:
    """Return the conjunction of filters with constants folded; true for no filters."""
    return _balanced(list(parts), both) or TRUE


def any_of(parts: Iterable[Expression]) -> Expression:
    """Return the disjunction of filters with constants folded; false for no filters."""
    return _balanced(list(parts), either) or FALSE


def _balanced(parts: list[Expression], join: Callable[[Expression, Expression], Expression]) -> Expression | None:
    """Return the parts joined pairwise, so that a chain of thousands is a tree of few levels."""
    while len(parts) > 1:
        odd = parts[-1:] if len(parts) % 2 else []
        parts = [join(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)] + odd
    return parts[0] if parts else None


def split(expression: Expression, kind: type[And] | type[Or]) -> list[Expression]:
    """Return the parts of a chain of ANDs or ORs in order, however it is nested; another expression is one part."""
    parts, pending = [], [expression]
    while pending:
        part = pending.pop()
        if isinstance(part, kind):
            pending += (part.right, part.left)
        else:
            parts.append(part)
    return parts


def both(left: Expression, right: Expression) -> Expression:
    """Return `left AND right` with constants folded."""
    if isinstance(left, AlwaysFalse) or isinstance(right, AlwaysFalse):
        return FALSE
    if isinstance(left, AlwaysTrue):
        return right
    if isinstance(right, AlwaysTrue):
        return left
    return And(left, right)


def either(left: Expression, right: Expression) -> Expression:
    """Return `left OR right` with constants folded."""
    if isinstance(left, AlwaysTrue) or isinstance(right, AlwaysTrue):
        return TRUE
    if isinstance(left, AlwaysFalse):
        return right
    if isinstance(right, AlwaysFalse):
        return left
    return Or(left, right)


def leaves(expression: Expression) -> Iterator[UnboundLeaf | BoundLeaf]:
    """Yield every leaf of a filter that names a column, from left to right."""
    pending = [expression]
    while pending:
        match pending.pop():
            case And(left, right) | Or(left, right):
                pending += (right, left)
            case Not(child):
                pending.append(child)
            case AlwaysTrue() | AlwaysFalse() | AlwaysNull():
                pass
            case leaf:
                yield leaf


def bound_terms(expression: Expression) -> dict[int, BoundTerm]:
    """Return the columns that a bound filter reads, in the order of their first use."""
    found: dict[int, BoundTerm] = {}
    for leaf in leaves(expression):
        if isinstance(leaf.term, BoundTerm):
            found.setdefault(leaf.term.field_id, leaf.term)
    return found
