from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from projector.errors import ProjectorError
from projector.files.parquet.bloom_filters import leaves_with_bloom_filters
from projector.files.parquet.footer import Footer, read_footer
from projector.files.storage.storage import Storage

TABLE = pa.table({"a": [1, 2], "s": [{"x": 1, "y": "p"}, {"x": 2, "y": "q"}], "z": ["u", "v"]})


def footer_of(file: Path) -> Footer:
    with Storage().open(str(file)) as source:
        return read_footer(source, str(file))


@pytest.mark.parametrize(
    ("columns", "leaves"), [((), ()), (("a",), (0,)), (("s.y",), (2,)), (("a", "s.x", "z"), (0, 1, 3))]
)
def test_leaves(columns: tuple[str, ...], leaves: tuple[int, ...], tmp_path: Path) -> None:
    options = {column: {"ndv": 10, "fpp": 0.1} for column in columns}
    pq.write_table(TABLE, tmp_path / "f.parquet", bloom_filter_options=options, row_group_size=1)
    assert leaves_with_bloom_filters(footer_of(tmp_path / "f.parquet")) == set(leaves)


def test_no_row_groups(tmp_path: Path) -> None:
    pq.write_table(TABLE.slice(0, 0), tmp_path / "f.parquet")
    assert leaves_with_bloom_filters(footer_of(tmp_path / "f.parquet")) == frozenset()


def test_damage_is_no_crash(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "f.parquet", bloom_filter_options={"a": {"ndv": 10, "fpp": 0.1}})
    footer = footer_of(tmp_path / "f.parquet")
    for at in range(0, len(footer.data), 7):
        data = footer.data[:at] + bytes([footer.data[at] ^ 0xFF]) + footer.data[at + 1 :]
        try:
            leaves_with_bloom_filters(Footer("f", data, footer.fingerprint, footer.schema_at, footer.num_rows))
        except ProjectorError:
            continue
