"""What a filter says of a row some of whose values cannot be read: a row is decided where no such value matters."""

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
    """Return a bound filter in which what is said of other columns than the `known` ones is true, or false.

    A row that does not pass with `answer=True` is excluded whatever the other values are; one that passes with
    `answer=False` is given out whatever they are.
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
