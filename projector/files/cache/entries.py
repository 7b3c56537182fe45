"""Answers kept on disk, as a pass over many files asks for them: looked up together, and what is new kept together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from projector.files.cache.database import CacheFile

T = TypeVar("T")

_ODD = (ValueError, TypeError, LookupError, AttributeError)


class Pieces:
    """The pieces of a cache for some recipes. Without a cache, and for a recipe that is None, there are none.

    Parameters
    ----------
    cache:
        Where pieces are kept.
    recipes:
        Those that are going to be asked for.
    """

    def __init__(self, cache: CacheFile | None, recipes: Iterable[bytes | None]) -> None:
        self._cache = cache
        self._kept = {} if cache is None else cache.pieces(recipe for recipe in recipes if recipe is not None)
        self._fresh: dict[bytes, bytes] = {}

    def get(self, recipe: bytes | None, parse: Callable[[bytes], T]) -> T | None:
        """What `parse` makes of the piece of a recipe, once; None where there is none, or it is not what it should be.

        `parse` may raise what odd data leads to: `ValueError`, `TypeError`, `LookupError`, `AttributeError`.
        """
        piece = None if recipe is None else self._kept.pop(recipe, None)
        if piece is None:
            return None
        try:
            return parse(piece)
        except _ODD:
            return None

    def add(self, recipe: bytes | None, piece: Callable[[], bytes]) -> None:
        """Have a new piece kept; it is made only where there is a cache and a recipe."""
        if self._cache is not None and recipe is not None:
            self._fresh[recipe] = piece()

    def save(self) -> None:
        """Keep what was added."""
        if self._cache is not None:
            self._cache.keep_pieces(self._fresh)
