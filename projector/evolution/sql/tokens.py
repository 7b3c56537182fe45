"""Split SQL text into tokens, in the dialects whose ALTER TABLE is supported.

This is our own tokenizer because positions and quoting matter here: every token knows its span, an unclosed comment or
string is an error at its start, and nothing (doubled quotes, number suffixes, template braces) is rewritten.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from projector.errors import ParseError, UnsupportedError

Dialect = Literal["spark", "trino", "duckdb"]
DIALECTS: tuple[Dialect, ...] = ("spark", "trino", "duckdb")
Kind = Literal["word", "quoted", "string", "number", "hex", "symbol", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of SQL.

    Attributes
    ----------
    kind:
        `word` (keyword or plain identifier), `quoted` (identifier), `string`, `number`, `hex`, `symbol`, or `end`.
    text:
        As it is written.
    value:
        The name, the string's characters, or the digits of a hexadecimal string.
    start, end:
        Offsets in the text, in characters from 0; `end` is the first character after it.
    """

    kind: Kind
    text: str
    value: str
    start: int
    end: int


_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_STANDARD_STRING = r"'(?:[^']|'')*'"
_BACKSLASH_STRING = r"'(?:[^'\\]|\\.|'')*'"
_DOUBLE_QUOTED = r'"(?:[^"]|"")+"'

# Order matters: the first match is taken. `escaped` strings have backslash escapes, `raw` ones have none.
_PATTERNS: dict[Dialect, str] = {
    "spark": rf"""
        (?P<hex>[xX](?:'[^']*'|"[^"]*"))
      | (?P<raw>[rR](?:'[^']*'|"[^"]*"))
      | (?P<escaped>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
      | (?P<quoted>`(?:[^`]|``)+`)
      | (?P<number>(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+){_EXPONENT}(?:[bB][dD]|[lLsSyYdDfF])?(?!\w))
      | (?P<word>\w+)
    """,
    "trino": rf"""
        (?P<hex>[xX]'[^']*')
      | (?P<string>{_STANDARD_STRING})
      | (?P<quoted>{_DOUBLE_QUOTED})
      | (?P<number>(?:[0-9][0-9_]*\.[0-9]*|\.[0-9]+|[0-9][0-9_]*){_EXPONENT}(?!\w))
      | (?P<word>[^\W\d]\w*)
    """,
    "duckdb": rf"""
        (?P<hex>[xX]'[^']*')
      | (?P<escaped>[eE]{_BACKSLASH_STRING})
      | (?P<string>{_STANDARD_STRING})
      | (?P<dollar>\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
      | (?P<quoted>{_DOUBLE_QUOTED})
      | (?P<number>(?:[0-9][0-9_]*\.[0-9]*|\.[0-9]+|[0-9][0-9_]*){_EXPONENT}(?!\w))
      | (?P<word>[^\W\d][\w$]*)
    """,
}
_LEXERS: dict[Dialect, re.Pattern[str]] = {
    dialect: re.compile(rf"{pattern} | (?P<symbol>::|.)", re.VERBOSE | re.DOTALL)
    for dialect, pattern in _PATTERNS.items()
}
_BLANK = re.compile(r"[\s\ufeff]+|--[^\r\n]*")
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_NESTED_COMMENTS: frozenset[Dialect] = frozenset({"spark", "duckdb"})

_ESCAPES: dict[str, re.Pattern[str]] = {
    quote: re.compile(
        rf"{quote}{quote}|\\(?:u([0-9a-fA-F]{{4}})|U([0-9a-fA-F]{{8}})|x([0-9a-fA-F]{{1,2}})|([0-3][0-7]{{2}})|(.))",
        re.DOTALL,
    )
    for quote in "'\""
}
_CONTROL = {"b": "\b", "n": "\n", "r": "\r", "t": "\t", "f": "\f", "0": "\0", "Z": "\x1a"}


def check_dialect(dialect: str) -> Dialect:
    """Return the dialect of a name, ignoring case. Raises `UnsupportedError` for an unknown one."""
    for known in DIALECTS:
        if dialect.lower() == known:
            return known
    raise UnsupportedError(f"Unknown SQL dialect: {dialect}", hint=f"use one of: {', '.join(DIALECTS)}")


def tokenize(text: str, dialect: Dialect) -> list[Token]:
    """Return the tokens of a text, without comments and white space; the last one is of kind `end`.

    Raises `ParseError` at the start of a comment, string or quoted name that is not closed.
    """
    found: list[Token] = []
    offset = 0
    while offset < len(text):
        if blank := _BLANK.match(text, offset):
            offset = blank.end()
        elif text.startswith("/*", offset):
            offset = _after_comment(text, offset, dialect in _NESTED_COMMENTS)
        else:
            token = _token(text, offset, dialect)
            found.append(token)
            offset = token.end
    after = found[-1].end if found else len(text)
    return [*found, Token("end", "", "", after, after)]


def _after_comment(text: str, start: int, nested: bool) -> int:
    depth, offset = 0, start
    while edge := _COMMENT_EDGE.search(text, offset):
        offset = edge.end()
        depth = depth - 1 if edge[0] == "*/" else depth + 1 if nested else 1
        if depth == 0:
            return offset
    raise ParseError("Unclosed comment", text=text, position=start)


def _token(text: str, offset: int, dialect: Dialect) -> Token:
    found = _LEXERS[dialect].match(text, offset)
    assert found is not None, "the pattern ends in a dot that matches everything"
    written = found[0]

    def made(kind: Kind, value: str) -> Token:
        return Token(kind, written, value, offset, offset + len(written))

    match found.lastgroup:
        case "hex":
            return made("hex", "".join(written[2:-1].split()))
        case "raw":
            return made("string", written[2:-1])
        case "escaped":
            quote = written[-1]
            inner = written[written.index(quote) + 1 : -1]
            return made("string", _unescape(inner, quote, dialect))
        case "string":
            return made("string", written[1:-1].replace("''", "'"))
        case "dollar":
            edge = len(found["tag"]) + 2
            return made("string", written[edge:-edge])
        case "quoted":
            quote = written[0]
            return made("quoted", written[1:-1].replace(quote * 2, quote))
        case "number":
            return made("number", written.replace("_", ""))
        case "word":
            return made("word", written)
    if written in "'\"`" and not (written == "`" and dialect != "spark"):
        what = "string" if written == "'" or (written == '"' and dialect == "spark") else "quoted name"
        empty = text.startswith(written, offset + 1)
        raise ParseError(f"{'Empty' if empty else 'Unclosed'} {what}", text=text, position=offset)
    return made("symbol", written)


def _unescape(inner: str, quote: str, dialect: Dialect) -> str:
    """Return the characters of a string with backslash escapes; a doubled quote is one quote."""

    def character(found: re.Match[str]) -> str:
        if found[0] == quote * 2:
            return quote
        unicode4, unicode8, two, octal, other = found.groups()
        if unicode4 or unicode8:
            code = int(unicode4 or unicode8, 16)
            return chr(code) if code <= 0x10FFFF else found[0]
        if two:
            return chr(int(two, 16)) if dialect == "duckdb" else found[0][1:]
        if octal:
            return chr(int(octal, 8))
        if dialect == "spark" and other in "%_":
            return found[0]
        return _CONTROL.get(other, other)

    return _ESCAPES[quote].sub(character, inner)
