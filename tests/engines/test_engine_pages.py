from __future__ import annotations

from pathlib import Path

from docs.generate.engine_pages import TYPES, support_page, types_page
from projector.engines.polars.types import polars_type

DOCS = Path(__file__).parents[2] / "docs"


def test_the_pages_are_those_of_the_code() -> None:
    again = "run: python docs/generate/engine_pages.py docs"
    assert (DOCS / "engine-support.md").read_text() == support_page(), again
    maps = str(polars_type(dict(TYPES)["map of string to int"]))  # Polars before 2 has no maps
    assert (DOCS / "engine-types.md").read_text().replace("Map(String, Int32)", maps) == types_page(), again
