"""Parse a `row_filter` (text, or an expression of this package or of pyiceberg) to an unbound filter.

    filter     := or ;  or := and (OR and)* ;  and := not (AND not)* ;  not := NOT not | predicate
    predicate  := '(' filter ')' | TRUE | FALSE | NULL | column | operand (= == != <> < <= > >=) operand
                | column [NOT] IN (literal, ...) | column [NOT] BETWEEN literal AND literal
                | column [NOT] LIKE 'prefix%' | column IS [NOT] (NULL | NAN | TRUE | FALSE)
                | starts_with(column, literal)
    column     := name ('.' name)* ;  name := letters | "quoted" | `quoted`
    literal    := [-+] number | 'text' | X'hex' | TRUE | FALSE | NULL | (DATE | TIME | TIMESTAMP | ... | UUID) 'text'

The grammar is small and closed, so it has its own tokenizer: errors need exact positions, and no other SQL can slip in.
pyiceberg's row-filter syntax is a subset.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from projector.errors import ParseError
from projector.planning.filters.expressions import (
    FALSE,
    NULL,
    RESERVED_WORDS,
    TRUE,
    And,
    Comparison,
    Expression,
    In,
    IsNaN,
    IsNull,
    Not,
    NotIn,
    NotNaN,
    NotNull,
    Op,
    StartsWith,
    Term,
    all_of,
    any_of,
)
from projector.planning.filters.literals import (
    Literal,
    LiteralMismatchError,
    describe,
    parse_date_literal,
    parse_time_literal,
    parse_timestamp_literal,
)
from projector.planning.filters.tokens import Token, filter_error, tokenize

_MAX_DEPTH = 200

_OPS = {"==": Op.EQ, "<>": Op.NE} | {str(op): op for op in Op}
_ZONED = frozenset(("timestamptz", "timestamp_ltz", "timestamptz_ns"))
_TYPED = frozenset(("date", "time", "timestamp", "timestamp_ntz", "timestamp_ns", "uuid", "decimal")) | _ZONED


@dataclass(frozen=True, slots=True)
class _Value:
    """A literal, as an operand."""

    literal: Literal
    start: int


@dataclass(frozen=True, slots=True)
class _Column:
    """A column, as an operand."""

    term: Term
    start: int


def to_expression(row_filter: Any) -> Expression:
    """Return the unbound filter of a `row_filter`: None (every row), text, an expression, or a pyiceberg expression.

    Raises `ParseError`.
    """
    if row_filter is None:
        return TRUE
    if isinstance(row_filter, str):
        return parse_filter(row_filter)
    if isinstance(row_filter, Expression):
        return row_filter
    from projector.planning.filters.from_pyiceberg import from_pyiceberg

    try:
        return from_pyiceberg(row_filter)
    except RecursionError:
        raise ParseError("Cannot read filter: it is nested too deeply") from None


def parse_filter(text: str) -> Expression:
    """Parse a filter's text to an unbound filter. Raises `ParseError` with the position of what is not understood."""
    parser = _Parser(text)
    if parser.peek.kind == "end":
        raise parser.error("the filter is empty; leave row_filter out, or write TRUE", parser.peek)
    result = parser.disjunction(0)
    if parser.peek.kind != "end":
        raise parser.error(f"unexpected {parser.peek.text!r}", parser.peek)
    return result


class _Parser:
    """A recursive descent parser over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.next = 0

    @property
    def peek(self) -> Token:
        return self.tokens[self.next]

    def error(self, message: str, at: Token | _Value | _Column) -> ParseError:
        return filter_error(message, self.text, at.start)

    def take(self) -> Token:
        token = self.tokens[self.next]
        self.next += token.kind != "end"
        return token

    def accept(self, *words: str) -> bool:
        """Take these words or marks if they come next."""
        ahead = self.tokens[self.next : self.next + len(words)]
        if [t.word for t in ahead] != list(words):
            return False
        self.next += len(words)
        return True

    def expect(self, word: str, after: str) -> None:
        if not self.accept(word):
            raise self.error(f"expected {word.upper()} after {after}, found {self.peek.text!r}", self.peek)

    # ------------------------------------------------------------------------------------------------------ logic

    def disjunction(self, depth: int) -> Expression:
        if depth > _MAX_DEPTH:
            raise self.error(f"more than {_MAX_DEPTH} levels of parentheses", self.peek)
        parts = [self.conjunction(depth)]
        while self.accept("or"):
            parts.append(self.conjunction(depth))
        return any_of(parts)

    def conjunction(self, depth: int) -> Expression:
        parts = [self.negation(depth)]
        while self.accept("and"):
            parts.append(self.negation(depth))
        return all_of(parts)

    def negation(self, depth: int) -> Expression:
        negated = False
        while self.accept("not"):
            negated = not negated
        inner = self.predicate(depth)
        return Not(inner) if negated else inner

    # -------------------------------------------------------------------------------------------------- predicates

    def predicate(self, depth: int) -> Expression:
        if self.peek.word == "(" and not self._closes_around_operand():
            self.take()
            inner = self.disjunction(depth + 1)
            self.expect(")", "an opening parenthesis")
            return inner
        if self.peek.word in ("starts_with", "startswith") and self.tokens[self.next + 1].word == "(":
            return self.starts_with()
        left = self.operand()
        if self.peek.kind == "op":
            return self.comparison(left, _OPS[self.take().text])
        if isinstance(left, _Value):
            return self.constant(left)
        return self.column_predicate(left)

    def _closes_around_operand(self) -> bool:
        """Return whether the parenthesis ahead encloses a single operand, as in `(a) = 5`."""
        at = self.next + 1
        while self.tokens[at].kind in ("word", "quoted", "number", "string", "hex") or self.tokens[at].word in "-+.":
            if self.tokens[at].kind == "end" or self.tokens[at].word in RESERVED_WORDS - {"true", "false", "null"}:
                return False
            at += 1
        after = self.tokens[at + 1] if self.tokens[at].word == ")" else None
        return after is not None and (after.kind == "op" or after.word in ("is", "in", "like", "between"))

    def constant(self, value: _Value) -> Expression:
        if value.literal is None:
            return NULL
        if isinstance(value.literal, bool):
            return TRUE if value.literal else FALSE
        raise self.error(f"{describe(value.literal)} alone is not true or false; compare it with a column", value)

    def comparison(self, left: _Value | _Column, op: Op) -> Expression:
        right = self.operand()
        if self.peek.kind == "op":
            raise self.error("comparisons cannot be chained; join two with AND", self.peek)
        match left, right:
            case _Column(), _Value():
                return Comparison(op, left.term, right.literal)
            case _Value(), _Column():
                return Comparison(op.flipped, right.term, left.literal)
            case _Column(), _Column():
                raise self.error("comparing a column with a column is not supported in a filter", right)
        assert isinstance(left, _Value), "an operand is a column or a literal"
        assert isinstance(right, _Value), "an operand is a column or a literal"
        return self.folded(left, op, right)

    def folded(self, left: _Value, op: Op, right: _Value) -> Expression:
        """Evaluate a comparison of two literals, such as the `1 = 1` of generated filters."""
        a, b = left.literal, right.literal
        if a is None or b is None:
            return NULL
        if type(a) is not type(b) or not isinstance(a, (bool, Decimal, str)):
            raise self.error("a comparison needs a column on one side", left)
        outcomes = {Op.EQ: a == b, Op.NE: a != b, Op.LT: a < b, Op.LE: a <= b, Op.GT: a > b, Op.GE: a >= b}
        return TRUE if outcomes[op] else FALSE

    def column_predicate(self, column: _Column) -> Expression:
        term = column.term
        if self.accept("is"):
            return self.is_what(term)
        negated = self.accept("not")
        verb = self.peek
        match verb.word:
            case "in":
                self.take()
                literals = self.literal_list()
                return NotIn(term, literals) if negated else In(term, literals)
            case "between":
                self.take()
                low = self.literal("BETWEEN")
                self.expect("and", "the first literal of BETWEEN")
                high = self.literal("AND")
                within = And(Comparison(Op.GE, term, low), Comparison(Op.LE, term, high))
                return Not(within) if negated else within
            case "like":
                self.take()
                like = self.like(term)
                return Not(like) if negated else like
            case "ilike" | "rlike" | "regexp" | "similar" | "glob":
                raise self.error(f"{verb.text.upper()} is not supported in a filter; use LIKE 'prefix%'", verb)
        if negated:
            raise self.error(f"expected IN, BETWEEN or LIKE after NOT, found {verb.text!r}", verb)
        if verb.word in ("+", "-"):
            raise self.error(f"operator {verb.text} is not supported in a filter", verb)
        if verb.word == "(":
            raise self.error(f"function {_shown(term)} is not supported in a filter", column)
        if verb.kind == "end" or verb.word in ("and", "or", ")"):
            return Comparison(Op.EQ, term, True)
        raise self.error(f"unexpected {verb.text!r} after column {_shown(term)}", verb)

    def is_what(self, term: Term) -> Expression:
        negated = self.accept("not")
        what = self.take()
        found: Expression
        match what.word:
            case "null":
                return NotNull(term) if negated else IsNull(term)
            case "nan":
                return NotNaN(term) if negated else IsNaN(term)
            case "true" | "false":
                found = And(NotNull(term), Comparison(Op.EQ, term, what.word == "true"))
                return Not(found) if negated else found
        raise self.error(f"expected NULL, NAN, TRUE or FALSE after IS, found {what.text!r}", what)

    def like(self, term: Term) -> Expression:
        token = self.take()
        if token.word == "null":
            return NULL
        if token.kind != "string":
            raise self.error(f"expected a text in quotes after LIKE, found {token.text!r}", token)
        if self.peek.word == "escape":
            raise self.error(r"ESCAPE is not supported in a filter; \ escapes % and _", self.peek)
        text, is_prefix, at = "", False, 1
        while at < len(token.text) - 1:
            char = token.text[at]
            if char == "\\" and token.text[at + 1] in "\\%_":
                at += 1
                text += token.text[at]
            elif char == "%" and token.text[at:-1].strip("%") == "":
                is_prefix = True
                break
            elif char in "%_":
                raise filter_error(
                    f"LIKE is supported for prefixes only ('abc%'), not with {char} here; \\{char} stands for itself",
                    self.text,
                    token.start + at,
                )
            else:
                at += char == "'"  # a doubled quote
                text += char
            at += 1
        return StartsWith(term, text) if is_prefix else Comparison(Op.EQ, term, text)

    def starts_with(self) -> Expression:
        function = self.take()
        self.take()
        column = self.operand()
        if not isinstance(column, _Column):
            raise self.error(f"expected a column in {function.text}", column)
        self.expect(",", "the column")
        prefix = self.literal(function.text)
        self.expect(")", "the prefix")
        return NULL if prefix is None else StartsWith(column.term, prefix)

    # ---------------------------------------------------------------------------------------------------- operands

    def literal_list(self) -> tuple[Literal, ...]:
        self.expect("(", "IN")
        if self.peek.word == "select":
            raise self.error("a subquery is not supported in a filter", self.peek)
        literals = [self.literal("(")]
        while self.accept(","):
            literals.append(self.literal(","))
        self.expect(")", "the literals of IN")
        return tuple(literals)

    def literal(self, after: str) -> Literal:
        operand = self.operand()
        if isinstance(operand, _Column):
            raise self.error(f"expected a literal after {after}, found column {_shown(operand.term)}", operand)
        return operand.literal

    def operand(self) -> _Value | _Column:
        token = self.take()
        match token.kind, token.word:
            case "mark", "(":
                inner = self.operand()
                self.expect(")", "an opening parenthesis")
                return inner
            case "mark", "-" | "+":
                return self.signed(token)
            case "number", _:
                return _Value(self.number(token, ""), token.start)
            case "string", _:
                return _Value(_unquoted(token.text), token.start)
            case "hex", _:
                return _Value(self.hex(token), token.start)
            case "word", "true" | "false":
                return _Value(token.word == "true", token.start)
            case "word", "null":
                return _Value(None, token.start)
            case "word", word if word in _TYPED and self.typed_text() is not None:
                return _Value(self.typed(word), token.start)
            case "word", word if word not in RESERVED_WORDS:
                return self.column(token)
            case "quoted", _:
                return self.column(token)
        raise self.error(f"expected a column or a literal, found {token.text!r}", token)

    def signed(self, sign: Token) -> _Value:
        token = self.take()
        if token.kind != "number":
            raise self.error(f"operator {sign.text} is not supported in a filter but before a number", sign)
        return _Value(self.number(token, sign.text), sign.start)

    def number(self, token: Token, sign: str) -> Decimal:
        try:
            return Decimal(sign + token.text)
        except InvalidOperation:
            raise self.error(f"{token.text!r} is out of every type's range", token) from None

    def hex(self, token: Token) -> bytes:
        try:
            if re.search(r"\s", token.text):
                raise ValueError
            return bytes.fromhex(token.text[2:-1])
        except ValueError:
            raise self.error(f"{token.text} is not hexadecimal", token) from None

    def typed_text(self) -> Token | None:
        """Parse the text of a typed literal, if one comes next; a column may be called `date`."""
        at = self.next
        if [t.word for t in self.tokens[at : at + 4]] in (
            ["with", "time", "zone", ""],
            ["without", "time", "zone", ""],
            ["with", "local", "time", "zone"],
        ):
            at += 4 if self.tokens[at + 1].word == "local" else 3
        return self.tokens[at] if self.tokens[at].kind == "string" else None

    def typed(self, word: str) -> Literal:
        zoned = word in _ZONED or self.peek.word == "with"
        token = self.typed_text()
        assert token is not None, "asked before"
        while self.take() is not token:
            pass
        text = _unquoted(token.text)
        try:
            match word:
                case "date":
                    return parse_date_literal(text)
                case "time":
                    return parse_time_literal(text)
                case "uuid":
                    return UUID(text)
                case "decimal":
                    return Decimal(text.strip())
            found = parse_timestamp_literal(text)
        except LiteralMismatchError as e:
            raise self.error(str(e), token) from None
        except (ValueError, InvalidOperation):
            raise self.error(f"{token.text} is not a {word}", token) from None
        # without an offset in the text, a point in time is in UTC
        return type(found)(found.nanos, True) if zoned else found

    def column(self, first: Token) -> _Column:
        names, quoted = [_name(first)], first.kind == "quoted"
        while self.accept("."):
            token = self.take()
            if token.kind not in ("word", "quoted"):
                raise self.error(f"expected a name after '.', found {token.text!r}", token)
            names.append(_name(token))
            quoted = quoted or token.kind == "quoted"
        return _Column(tuple(names) if quoted else ".".join(names), first.start)


def _name(token: Token) -> str:
    return token.text if token.kind == "word" else _unquoted(token.text)


def _unquoted(text: str) -> str:
    quote = text[0]
    return text[1:-1].replace(quote + quote, quote)


def _shown(term: Term) -> str:
    return term if isinstance(term, str) else ".".join(term)
