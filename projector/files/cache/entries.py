"""Look up many cached pieces at once, and store all new ones at once, as a pass over many files needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from projector.files.cache.database import CacheFile

T = TypeVar("T")

_ODD = (ValueError, TypeError, LookupError, AttributeError)


class Pieces:
    """The cached pieces for some recipes. Without a cache, and for a recipe that is None, there are none.

    Parameters
    ----------
    cache:
        The cache; None for none.
    recipes:
        The recipes that `get` will be called with.
    """

    def __init__(self, cache: CacheFile | None, recipes: Iterable[bytes | None]) -> None:
        self._cache = cache
        self._found = {} if cache is None else cache.pieces(recipe for recipe in recipes if recipe is not None)
        self._fresh: dict[bytes, bytes] = {}

    def get(self, recipe: bytes | None, parse: Callable[[bytes], T]) -> T | None:
        """Return the parsed piece of a recipe, and forget it; None if it is missing or malformed.

        `parse` may raise, for malformed data: `ValueError`, `TypeError`, `LookupError`, `AttributeError`.
        """
        piece = None if recipe is None else self._found.pop(recipe, None)
        if piece is None:
            return None
        try:
            return parse(piece)
        except _ODD:
            return None

    def add(self, recipe: bytes | None, piece: Callable[[], bytes]) -> None:
        """Add a new piece, to be stored by `save`. Do not call `piece` without a cache or a recipe."""
        if self._cache is not None and recipe is not None:
            self._fresh[recipe] = piece()

    def save(self) -> None:
        """Store the added pieces."""
        if self._cache is not None:
            self._cache.store_pieces(self._fresh)
