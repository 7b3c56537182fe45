"""What Spark 3.5 refuses is refused in its dialect."""

from __future__ import annotations

import pytest

from projector.errors import ParseError
from projector.evolution.sql.script import parse_alter


@pytest.mark.parametrize("text", ["RENAME COLUMN v TO v", "RENAME COLUMN s.v TO `v`"])
def test_refuses_a_rename_to_the_same_name(text: str) -> None:
    with pytest.raises(ParseError, match="Cannot rename v to its own name"):
        parse_alter(f"ALTER TABLE t {text}")
    assert parse_alter(f"ALTER TABLE t {text.replace('`', '')}", "duckdb").operations
