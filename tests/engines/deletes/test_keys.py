"""Sets of keys against Python's own sets, and what is kept of what was read."""

from __future__ import annotations

import math
import struct
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projector.engines.deletes import keys as key_set
from projector.engines.deletes.keys import KeySet
from projector.files.cache.lru import LruCache

COLUMNS = {
    pa.int64(): st.integers(-2, 2),
    pa.float64(): st.sampled_from([0.0, -0.0, 1.5, math.nan, -math.nan, math.inf]),
    pa.string(): st.sampled_from(["", "a", "b"]),
    pa.bool_(): st.booleans(),
    pa.binary(2): st.sampled_from([b"ab", b"ba"]),
    pa.null(): st.none(),
}


def comparable(value: Any) -> Any:
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else struct.pack(">d", value)
    return value


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from((0, 4096)))
def test_a_row_is_held_where_its_values_are_a_key(data: st.DataObject, few: int) -> None:
    kinds = data.draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=3))
    row = st.tuples(*(st.none() | COLUMNS[kind] for kind in kinds))
    keys, rows = data.draw(st.lists(row, max_size=6)), data.draw(st.lists(row, max_size=8))

    def arrays(values: list[tuple[Any, ...]]) -> list[pa.Array]:
        return [pa.array([value[i] for value in values], kind) for i, kind in enumerate(kinds)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(key_set, "_FEW", few)
        found = KeySet(arrays(keys)).holds(arrays(rows)).to_pylist()
    wanted = {tuple(map(comparable, key)) for key in keys}
    assert found == [tuple(map(comparable, row)) in wanted for row in rows]


@pytest.mark.parametrize("few", [0, 4096])
def test_codes_that_would_overflow_are_numbered_anew(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(key_set, "_FEW", few)
    monkeypatch.setattr(key_set, "_CODES", 100)
    columns = [pa.array([(n * k) % 17 for n in range(60)], pa.int64()) for k in (1, 3, 5, 7)]
    keys = KeySet([column.slice(0, 30) for column in columns])
    wanted = set(zip(*(column.slice(0, 30).to_pylist() for column in columns), strict=True))
    rows = list(zip(*(column.to_pylist() for column in columns), strict=True))
    assert keys.holds(columns).to_pylist() == [row in wanted for row in rows]


def test_what_is_kept_has_a_total_size() -> None:
    kept: LruCache[str, int] = LruCache(10)
    for n, name in enumerate("abc"):
        kept.put(name, n, 4)
    assert [kept.get(name) for name in "abc"] == [None, 1, 2]
    assert kept.get("b") == 1
    kept.put("d", 3, 4)  # c was not asked for longest
    assert [kept.get(name) for name in "bcd"] == [1, None, 3]
    assert kept.put("large", 9, 100) == 9
    assert [kept.get(name) for name in ("b", "d", "large")] == [None, None, 9]
