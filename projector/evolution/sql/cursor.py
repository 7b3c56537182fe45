"""Walk a list of tokens, with the small steps that every part of the grammar is made of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from projector.errors import ParseError
from projector.evolution.sql.tokens import Dialect, Token, tokenize
from projector.schema.types import MAX_NESTING
from projector.text import shorten


class Cursor:
    """Reads the tokens of a text one after the other.

    Attributes
    ----------
    notes:
        What was understood but loses something: one sentence each, with its offset.
    """

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self.dialect: Dialect = dialect
        self.tokens = tokenize(text, dialect)
        self.index = 0
        self.notes: list[tuple[str, int]] = []
        self._last_id = 0
        self._level = 0

    # ---------------------------------------------------------------- looking

    @property
    def token(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.index]

    @property
    def previous_end(self) -> int:
        """The offset right after the last taken token."""
        return self.tokens[self.index - 1].end if self.index else 0

    def ahead(self, count: int) -> Token:
        """Return the token after `count` others."""
        return self.tokens[min(self.index + count, len(self.tokens) - 1)]

    def at(self, *words: str) -> bool:
        """Return whether these keywords come next, in any case; a quoted name is never a keyword."""
        return all(self.ahead(i).kind == "word" and self.ahead(i).text.upper() == word for i, word in enumerate(words))

    def at_symbol(self, *symbols: str) -> bool:
        """Return whether one of these symbols comes next."""
        return self.token.kind == "symbol" and self.token.text in symbols

    @property
    def at_end(self) -> bool:
        """Return whether a statement ends here."""
        return self.token.kind == "end" or self.at_symbol(";")

    # ---------------------------------------------------------------- taking

    def take(self) -> Token:
        """Take the next token; the end is never passed."""
        token = self.token
        self.index = min(self.index + 1, len(self.tokens) - 1)
        return token

    def accept(self, *words: str) -> bool:
        """Take these keywords if they come next."""
        if not self.at(*words):
            return False
        self.index += len(words)
        return True

    def accept_symbol(self, symbol: str) -> bool:
        """Take a symbol if it comes next."""
        if not self.at_symbol(symbol):
            return False
        self.index += 1
        return True

    def expect(self, *words: str) -> None:
        """Take these keywords. Raises at the first that is missing."""
        for word in words:
            if not self.accept(word):
                raise self.unexpected(word)

    def expect_symbol(self, symbol: str) -> None:
        """Take a symbol. Raises if it is missing."""
        if not self.accept_symbol(symbol):
            raise self.unexpected(f"'{symbol}'")

    def name(self, what: str = "a column name") -> Token:
        """Take an identifier, quoted or not."""
        if self.token.kind not in ("word", "quoted"):
            raise self.unexpected(what)
        return self.take()

    def path(self, what: str = "a column name") -> tuple[Token, ...]:
        """Take identifiers separated by dots."""
        parts = [self.name(what)]
        while self.accept_symbol("."):
            parts.append(self.name("a name after the dot"))
        return tuple(parts)

    def string(self, what: str) -> str:
        """Take one string."""
        if self.token.kind != "string":
            raise self.unexpected(what)
        taken = self.take()
        if self.dialect == "spark" and self.token.kind == "string":
            if self.token.start == taken.end and self.token.text[0] == taken.text[-1]:
                quote = taken.text[-1]
                raise self.error(
                    f"Two strings, one after the other: {quote}{quote} is no quote inside a string in Spark 3.5",
                    hint=f"write \\{quote}",
                )
            raise self.error("Two strings, one after the other", hint="write one string")
        return taken.value

    def fresh_id(self) -> int:
        """Return a placeholder id for a field inside a type."""
        self._last_id += 1
        return self._last_id

    @contextmanager
    def one_level_down(self) -> Iterator[None]:
        """Guard the parsing of a type, which may contain others: raise for one that is nested too deeply."""
        if self._level > MAX_NESTING:
            raise self.too_deep()
        self._level += 1
        yield
        self._level -= 1

    # ---------------------------------------------------------------- telling

    def note(self, sentence: str, token: Token) -> None:
        """Note a loss that is not an error."""
        self.notes.append((sentence, token.start))

    def error(self, message: str, token: Token | None = None, hint: str | None = None) -> ParseError:
        """Return an error at a token, by default the next one."""
        return ParseError(message, text=self.text, position=(token or self.token).start, hint=hint)

    def unexpected(self, expected: str, hint: str | None = None) -> ParseError:
        """Return an error for a next token that the grammar does not expect."""
        if hint is None and self.at_symbol("-") and self.index and self.tokens[self.index - 1].kind == "word":
            hint = "quote a name that has a '-' in it"
        return self.error(f"Expected {expected}, found {self.preview(self.token)}", hint=hint)

    def too_deep(self) -> ParseError:
        """Return an error for a type with more levels than a column may have."""
        return self.error(f"Types nested more than {MAX_NESTING} levels deep are not supported")

    @staticmethod
    def preview(token: Token) -> str:
        """Return a token as a message shows it."""
        if token.kind == "end" or (token.kind == "symbol" and token.text == ";"):
            return "the end of the statement"
        return shorten(" ".join(token.text.split()), 40)
