"""Decide filters for rows with unreadable values: a row is decided if no such value matters."""

from __future__ import annotations

from collections.abc import Collection

from projector.planning.filters.expressions import (
    FALSE,
    TRUE,
    AlwaysFalse,
    AlwaysNull,
    AlwaysTrue,
    And,
    BoundTerm,
    Expression,
    Not,
    Or,
)


def assuming(bound: Expression, known: Collection[int], answer: bool) -> Expression:
    """Return a bound filter in which every leaf on a column outside `known` is replaced by true, or by false.

    A row that does not pass with `answer=True` is excluded whatever the other values are; a row that passes with
    `answer=False` is returned whatever they are.
    """
    match bound:
        case And(left, right):
            return And(assuming(left, known, answer), assuming(right, known, answer))
        case Or(left, right):
            return Or(assuming(left, known, answer), assuming(right, known, answer))
        case Not(child):
            return Not(assuming(child, known, not answer))
        case AlwaysTrue() | AlwaysFalse() | AlwaysNull():
            return bound
    assert isinstance(bound.term, BoundTerm), "the filter is bound"
    if bound.term.field_id in known:
        return bound
    return TRUE if answer else FALSE
