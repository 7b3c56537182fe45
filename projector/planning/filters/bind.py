"""Bind a filter to a schema: resolve names to field ids, convert literals to the requested types, rewrite Not away.

Binding changes the outcome of no comparison. A literal that is not a value of the column's type is replaced by its
neighbour in the type (`x > 1.5` under int is `x >= 2`), or the comparison becomes constant for every value. It is then
spelled with `AlwaysNull`, because null must stay null: `x < 2147483648` under int is `x IS NOT NULL OR NULL`, true for
every value and null for null.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from projector.errors import NotFoundError, ParseError, UnsupportedError
from projector.planning.filters.expressions import (
    FALSE,
    NULL,
    TRUE,
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
    Comparison,
    Expression,
    In,
    IsNaN,
    IsNull,
    Not,
    NotIn,
    NotNaN,
    NotNull,
    NotStartsWith,
    Op,
    Or,
    StartsWith,
    Term,
    UnboundLeaf,
    all_of,
    any_of,
    either,
    split,
)
from projector.planning.filters.literals import Literal, LiteralMismatchError, describe, normalize
from projector.planning.filters.located import Located, NaN, locate
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
    DoubleType,
    FixedType,
    FloatType,
    ListType,
    MapType,
    StringType,
    StructType,
    UnknownType,
)


def bind(expression: Expression, schema: Schema, case_sensitive: bool = True) -> Expression:
    """Bind a filter to the requested schema: the result has bound leaves, no Not, and folded constants.

    Parameters
    ----------
    expression:
        The filter, unbound or already bound.
    schema:
        The schema in which rows are requested; its types decide how literals compare.
    case_sensitive:
        Whether names must match in case.

    Raises `NotFoundError` for a column that the schema lacks, `UnsupportedError` for one that cannot be filtered on (in
    a
    list or a map, or nested, except for null checks), and `ParseError` for a literal that cannot be compared with the
    column's type.
    """
    try:
        return _Binder(schema, case_sensitive).bind(expression)
    except RecursionError:
        raise ParseError("Cannot bind filter: it is nested too deeply") from None


class _Binder:
    def __init__(self, schema: Schema, case_sensitive: bool) -> None:
        self.schema = schema
        self.case_sensitive = case_sensitive
        self.terms: dict[Term, BoundTerm] = {}

    def bind(self, expression: Expression) -> Expression:
        match expression:
            case AlwaysTrue() | AlwaysFalse() | AlwaysNull():
                return expression
            case And():
                return all_of(self.bind(part) for part in split(expression, And))
            case Or():
                return any_of(self.bind(part) for part in split(expression, Or))
            case Not(child):
                return negate(self.bind(child))
            case Comparison() | In() | NotIn() | IsNull() | NotNull() | IsNaN() | NotNaN():
                return self.leaf(expression)
            case StartsWith() | NotStartsWith():
                return self.leaf(expression)
            case bound:
                return bound

    def leaf(self, leaf: UnboundLeaf) -> Expression:
        term = self.term(leaf.term)
        match leaf:
            case IsNull():
                return BoundIsNull(term)
            case NotNull():
                return BoundNotNull(term)
        if isinstance(term.field_type, (StructType, ListType, MapType)):
            kind = {StructType: "struct", ListType: "list", MapType: "map"}[type(term.field_type)]
            raise UnsupportedError(
                f"Cannot filter on a {kind} but with IS NULL and IS NOT NULL",
                path=str(term),
                field_id=term.field_id,
                hint="name one of its fields" if kind == "struct" else None,
            )
        if isinstance(term.field_type, UnknownType):
            return NULL
        try:
            return _value_leaf(leaf, term)
        except LiteralMismatchError as e:
            raise ParseError(f"Cannot bind filter: {e}", path=str(term), field_id=term.field_id) from None

    def term(self, name: Term) -> BoundTerm:
        name = name if isinstance(name, str) else tuple(name)
        if name not in self.terms:
            self.terms[name] = self.resolve(name)
        return self.terms[name]

    def resolve(self, name: Term) -> BoundTerm:
        schema = self.schema
        field_id = schema.find_id(name, self.case_sensitive)
        if field_id is None:
            shown = name if isinstance(name, str) else ".".join(name)
            raise NotFoundError(
                f"Cannot find field {shown!r} in schema {schema.schema_id}", hint=self.schema.suggestion(shown)
            )
        path = schema.paths_by_id[field_id]
        parents = []
        parent = schema.parents_by_id.get(field_id)
        while parent is not None:
            parents.append(schema.fields_by_id[parent])
            parent = schema.parents_by_id.get(parent)
        for above in parents:
            if not isinstance(above.field_type, StructType):
                raise UnsupportedError(
                    f"Cannot filter on a field inside a {'list' if isinstance(above.field_type, ListType) else 'map'}",
                    path=".".join(path),
                    field_id=field_id,
                )
        return BoundTerm(
            field_id,
            schema.fields_by_id[field_id].field_type,
            path,
            tuple(p.field_id for p in reversed(parents)),
            any(p.optional for p in parents),
        )


def negate(expression: Expression) -> Expression:
    """Return a bound filter that is true where this one is false, false where it is true, and null where it is null."""
    match expression:
        case AlwaysTrue():
            return FALSE
        case AlwaysFalse():
            return TRUE
        case AlwaysNull():
            return NULL
        case And():
            return any_of(negate(part) for part in split(expression, And))
        case Or():
            return all_of(negate(part) for part in split(expression, Or))
        case Not(child):
            return child
        case BoundComparison(op, term, literal):
            return BoundComparison(op.negated, term, literal)
        case BoundIn(term, literals):
            return BoundNotIn(term, literals)
        case BoundNotIn(term, literals):
            return BoundIn(term, literals)
        case BoundIsNull(term):
            return BoundNotNull(term)
        case BoundNotNull(term):
            return BoundIsNull(term)
        case BoundIsNaN(term):
            return BoundNotNaN(term)
        case BoundNotNaN(term):
            return BoundIsNaN(term)
        case BoundStartsWith(term, prefix):
            return BoundNotStartsWith(term, prefix)
        case BoundNotStartsWith(term, prefix):
            return BoundStartsWith(term, prefix)
    raise AssertionError(f"not a bound filter: {expression!r}")


# ----------------------------------------------------------------------------------------------------------- leaves


def _value_leaf(leaf: UnboundLeaf, term: BoundTerm) -> Expression:
    match leaf:
        case Comparison(op, _, literal):
            return _comparison(_op(op), term, normalize(literal))
        case In(_, literals):
            return _membership(term, [normalize(x) for x in literals])
        case NotIn(_, literals):
            return negate(_membership(term, [normalize(x) for x in literals]))
        case IsNaN():
            return BoundIsNaN(term) if _is_floating(term) else _never(term)
        case NotNaN():
            return BoundNotNaN(term) if _is_floating(term) else _always(term)
        case StartsWith(_, prefix):
            return _prefix(term, normalize(prefix))
        case NotStartsWith(_, prefix):
            return negate(_prefix(term, normalize(prefix)))
    raise AssertionError(f"not a leaf with a value: {leaf!r}")


def _op(op: Op | str) -> Op:
    try:
        return Op(op)
    except ValueError:
        raise LiteralMismatchError(f"{op!r} is not a comparison; use one of {' '.join(Op)}") from None


def _is_floating(term: BoundTerm) -> bool:
    return isinstance(term.field_type, (FloatType, DoubleType))


def _always(term: BoundTerm) -> Expression:
    """Return a filter that is true for every value and null for null."""
    return Or(BoundNotNull(term), NULL)


def _never(term: BoundTerm) -> Expression:
    """Return a filter that is false for every value and null for null."""
    return And(BoundIsNull(term), NULL)


def _comparison(op: Op, term: BoundTerm, literal: Literal) -> Expression:
    if literal is None:
        return NULL
    match locate(literal, term.field_type):
        case Located() as place if place.is_exact:
            return BoundComparison(op, term, place.floor)
        case Located(floor, ceiling):
            return _between_values(op, term, floor, ceiling)
    # NaN equals NaN and is greater than everything else
    match op:
        case Op.EQ | Op.GE:
            return BoundIsNaN(term)
        case Op.NE | Op.LT:
            return BoundNotNaN(term)
        case Op.LE:
            return _always(term)
        case Op.GT:
            return _never(term)


def _between_values(op: Op, term: BoundTerm, floor: Any, ceiling: Any) -> Expression:
    """Return a comparison with a literal that lies between two neighbouring values of the type, or out of range."""
    match op:
        case Op.EQ:
            return _never(term)
        case Op.NE:
            return _always(term)
        case Op.LT | Op.LE:
            if floor is None:
                return _never(term)
            return _always(term) if ceiling is None else BoundComparison(Op.LE, term, floor)
        case Op.GT | Op.GE:
            if ceiling is None:
                return _never(term)
            return _always(term) if floor is None else BoundComparison(Op.GE, term, ceiling)


def _membership(term: BoundTerm, literals: Iterable[Literal]) -> Expression:
    values, with_nan, with_null = set(), False, False
    for literal in literals:
        if literal is None:
            with_null = True
            continue
        place = locate(literal, term.field_type)
        if place is NaN:
            with_nan = True
        elif isinstance(place, Located) and place.is_exact:
            values.add(place.floor)
    found: Expression
    match sorted(values):
        case []:
            found = BoundIsNaN(term) if with_nan else _never(term)
            return either(found, NULL) if with_null else found
        case [value]:
            found = BoundComparison(Op.EQ, term, value)
        case several:
            found = BoundIn(term, tuple(several))
    if with_nan:
        found = Or(found, BoundIsNaN(term))
    return Or(found, NULL) if with_null else found


def _prefix(term: BoundTerm, prefix: Literal) -> Expression:
    match term.field_type, prefix:
        case _, None:
            return NULL
        case (StringType(), str()) | (BinaryType() | FixedType(), bytes()):
            return BoundStartsWith(term, prefix) if prefix else _always(term)
    raise LiteralMismatchError(f"LIKE {describe(prefix)} does not go with a column of type {term.field_type}")
