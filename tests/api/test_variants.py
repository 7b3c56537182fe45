"""Tables with columns of type variant: the other columns are read, by every engine, as long as nobody asks for it."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import projector
from projector import UnsupportedError
from projector.api.query import query
from tests.check.tables import foreign_bytes, table


def with_variant(folder: Path) -> projector.Table:
    def field(name: str, kind: pa.DataType, field_id: int | None = None) -> pa.Field:
        return pa.field(name, kind, metadata=None if field_id is None else {"PARQUET:field_id": str(field_id)})

    variant = pa.struct([field("metadata", pa.binary()), field("value", pa.binary())])
    columns = [pa.array([1, 2], pa.int32()), pa.array([{"metadata": b"\1", "value": b"\0"}] * 2, variant)]
    out = io.BytesIO()
    pq.write_table(pa.table(columns, schema=pa.schema([field("id", pa.int32(), 1), field("v", variant, 2)])), out)
    return table("1 id int, 2 v variant", foreign_bytes(out.getvalue(), rows=2), version=3)(folder)


def test_every_engine_reads_the_others(tmp_path: Path) -> None:
    made = with_variant(tmp_path)
    scan = made.scan(selected_fields=("id",))
    for engine in ("arrow", "rows", "polars", "duckdb"):
        assert scan.to_arrow(engine=engine).to_pydict() == {"id": [1, 2]}
    for engine in ("polars", "duckdb"):
        with pytest.warns(projector.ProjectorWarning, match="left out: v") if engine == "polars" else _quiet():
            assert query("SELECT id FROM t", {"t": made}, engine=engine).read_all().to_pydict() == {"id": [1, 2]}


def _quiet() -> object:
    from contextlib import nullcontext

    return nullcontext()


def test_frames_and_views_leave_it_out(tmp_path: Path) -> None:
    made = with_variant(tmp_path)
    with pytest.warns(projector.ProjectorWarning, match="left out: v"):
        assert made.scan().to_lazy().select("id").collect().to_dict(as_series=False) == {"id": [1, 2]}
    with pytest.warns(projector.ProjectorWarning, match="left out: v"):
        assert made.scan().to_duckdb("t").sql("SELECT * FROM t").fetchall() == [(1,), (2,)]


@pytest.mark.parametrize("selected", [("v",), ("*",)])
def test_it_is_refused_by_name_if_it_is_read(selected: tuple[str, ...], tmp_path: Path) -> None:
    made = with_variant(tmp_path)
    with pytest.raises(UnsupportedError, match="variant"):
        made.scan(selected_fields=selected).to_arrow()
    if selected == ("v",):
        with pytest.raises(UnsupportedError, match="variant"):
            made.scan(selected_fields=selected).to_lazy()


def test_no_ids_are_asked_for_inside_it(tmp_path: Path) -> None:
    assert "F102" not in {f.code for f in projector.check(with_variant(tmp_path)).findings}
