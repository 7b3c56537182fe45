"""Answers that are kept on disk by their recipes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from projector.files.cache.database import CacheFile
from projector.files.cache.entries import Pieces


@pytest.fixture
def cache(tmp_path: Path) -> CacheFile:
    return CacheFile(tmp_path / "kept", 1 << 20)


def keep(cache: CacheFile, **pieces: bytes) -> None:
    kept = Pieces(cache, [])
    for name, piece in pieces.items():
        kept.add(name.encode(), lambda piece=piece: piece)  # type: ignore[misc]
    kept.save()


def test_what_was_kept_is_found_once(cache: CacheFile) -> None:
    keep(cache, one=b"[1]", two=b"[2]")
    pieces = Pieces(cache, [b"one", None, b"two", b"three"])
    assert pieces.get(b"one", json.loads) == [1]
    assert pieces.get(b"one", json.loads) is None
    assert (pieces.get(b"two", json.loads), pieces.get(b"three", json.loads)) == ([2], None)


@pytest.mark.parametrize(
    ("piece", "parse"),
    [
        (b"no json", json.loads),
        (b"3", lambda piece: dict(json.loads(piece))),
        (b"{}", lambda piece: json.loads(piece)["a"]),
        (b"[]", lambda piece: json.loads(piece)[0]),
        (b"1", lambda piece: json.loads(piece).encode()),
    ],
)
def test_what_is_odd_is_not_there(cache: CacheFile, piece: bytes, parse: Any) -> None:
    keep(cache, odd=piece)
    assert Pieces(cache, [b"odd"]).get(b"odd", parse) is None


def test_without_a_cache_or_a_recipe_nothing_is_made(cache: CacheFile) -> None:
    def never() -> bytes:
        raise AssertionError

    for pieces, recipe in ((Pieces(None, [b"a"]), b"a"), (Pieces(cache, [None]), None)):
        pieces.add(recipe, never)
        pieces.save()
        assert pieces.get(recipe, json.loads) is None
    assert not cache.path.exists()
