"""Split the text of a row filter into tokens, with their positions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from projector.errors import ParseError

_TOKENS = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<hex>[xX]'(?:[^'])*')
    | (?P<string>'(?:[^']|'')*')
    | (?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`)
    | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w$]))
    | (?P<word>[^\W\d][\w$]*)
    | (?P<op><=|>=|<>|!=|==|=|<|>)
    | (?P<mark>[().,+-])
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a filter: its kind, its text as written, and its offset."""

    kind: str
    text: str
    start: int

    @property
    def word(self) -> str:
        """The lower-case word, or the mark; empty for a quoted token."""
        return self.text.lower() if self.kind in ("word", "mark", "op") else ""


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a filter, the last of kind `end`. Raises `ParseError` with a position."""
    tokens, at = [], 0
    while at < len(text):
        m = _TOKENS.match(text, at)
        if m is None:
            raise filter_error(_why_no_token(text, at), text, at)
        if m.lastgroup != "space":
            tokens.append(Token(m.lastgroup or "", m.group(), at))
        at = m.end()
    tokens.append(Token("end", "end of filter", at))
    return tokens


def _why_no_token(text: str, at: int) -> str:
    char = text[at]
    if char in "'\"`":
        return f"the quote {char} is never closed"
    if m := re.compile(r"[0-9.]+[\w$]*").match(text, at):
        return f"{m.group()!r} is not a number; a name that starts with a digit has to be quoted"
    if char in "*/%|&^~!":
        return f"operator {char} is not supported in a filter"
    return f"character {char!r} is not understood"


def filter_error(message: str, text: str, at: int) -> ParseError:
    """Return the error for text that is not understood at a position."""
    return ParseError(f"Cannot parse filter at position {at}: {message}", text=text, position=at)
