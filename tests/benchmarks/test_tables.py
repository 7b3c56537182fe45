"""The tables that are measured are what they are said to be: read with pyiceberg and pyarrow."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyiceberg.conversions import from_bytes
from pyiceberg.table import StaticTable
from pyiceberg.types import IntegerType, LongType, StringType

import projector
from benchmarks.queries import QUERIES
from benchmarks.readers import READERS
from benchmarks.tables.evolved import TABLES, write_evolved
from benchmarks.tables.many_files import LINKS_OF_ONE_FILE, ManyFiles, write_table


def test_sizes(tmp_path: Path) -> None:
    size = ManyFiles(23, 17, rows=7, versions=4, nesting=2, partitions=5, deletes=3, statistics=6, data="tiny")
    metadata = write_table(size, tmp_path)
    theirs = StaticTable.from_metadata(metadata)
    tasks = list(theirs.scan().plan_files())
    assert len(tasks) == 23
    assert len(theirs.schemas()) == 4
    assert len({task.file.partition[0] for task in tasks}) == 5
    assert sum(bool(task.delete_files) for task in tasks) == 3
    assert {len(task.file.lower_bounds) for task in tasks} == {6}
    assert theirs.scan().to_arrow().num_rows == projector.load_table(metadata).scan().count() == 23 * 7 - 3
    assert str(theirs.schema().find_field("c4").field_type).count("struct<") == 2


@pytest.mark.parametrize(("data", "shapes"), [("tiny", 3), ("shared", 3), ("new", 12)])
def test_shapes_are_as_many_as_versions_or_files(tmp_path: Path, data: str, shapes: int) -> None:
    write_table(ManyFiles(12, 8, versions=3, data=data), tmp_path)
    files = sorted((tmp_path / "data").iterdir())
    assert len({str(pq.read_schema(file)) for file in files}) == shapes
    assert len(projector.shapes(files)) == shapes
    links = {file.stat().st_ino for file in files}
    assert len(links) == (3 if data == "shared" else 12)
    assert LINKS_OF_ONE_FILE < 65_000


_PYICEBERG = {"int": IntegerType(), "long": LongType(), "string": StringType()}
DATA = ("tiny", "shared", "new")
EVOLVED = ManyFiles(24, 17, rows=7, versions=4, nesting=2, partitions=5, deletes=3, statistics=15)


def columns_by_id(rows: pa.Table) -> dict[int, pa.ChunkedArray]:
    """What has no children, by its field id."""
    found: dict[int, pa.ChunkedArray] = {}
    for field in rows.schema:
        values = rows.column(field.name)
        if pa.types.is_struct(field.type):
            children = [pc.struct_field(values, child.name) for child in field.type]
            found |= columns_by_id(pa.table(children, schema=pa.schema(list(field.type))))
        else:
            found[int(field.metadata[b"PARQUET:field_id"])] = values
    return found


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("size", [EVOLVED, ManyFiles(6, 9, rows=1), ManyFiles(2, 3, rows=1001, statistics=3)])
def test_manifests_say_of_files_what_is_in_them(tmp_path: Path, size: ManyFiles, data: str) -> None:
    table = StaticTable.from_metadata(write_table(replace(size, data=data), tmp_path))
    snapshot = table.current_snapshot()
    assert snapshot is not None
    seen = 0
    for manifest in snapshot.manifests(table.io):
        for entry in manifest.fetch_manifest_entry(table.io) if manifest.content == 0 else ():
            file, path = entry.data_file, entry.data_file.file_path.removeprefix("file://")
            footer = pq.read_metadata(path)
            columns = columns_by_id(pq.ParquetFile(path).read())
            assert (file.record_count, file.file_size_in_bytes) == (footer.num_rows, Path(path).stat().st_size)
            assert list(file.lower_bounds) == list(columns)[: size.statistics]
            chunks = [footer.row_group(0).column(i) for i in range(footer.num_columns)]
            assert [*file.column_sizes.values()] == [c.total_compressed_size for c in chunks][: size.statistics]
            for field_id, lower in file.lower_bounds.items():
                values = columns[field_id]
                kind = {"int32": "int", "int64": "long", "string": "string"}[str(values.type)]
                bounds = [from_bytes(_PYICEBERG[kind], each) for each in (lower, file.upper_bounds[field_id])]
                assert bounds == [pc.min(values).as_py(), pc.max(values).as_py()]
                counts = file.value_counts[field_id], file.null_value_counts[field_id]
                assert counts == (len(values), values.null_count)
            seen += 1
    assert seen == size.files


@pytest.mark.parametrize("data", DATA)
def test_nothing_is_found_amiss_and_filters_agree(tmp_path: Path, data: str) -> None:
    metadata = write_table(replace(EVOLVED, data=data), tmp_path)
    for level in ("footers", "values"):
        codes = {finding.code for finding in projector.check(metadata, level=level).findings}
        assert codes <= {"P112"}, level  # bounds from before a promotion
    table, theirs = projector.load_table(metadata), StaticTable.from_metadata(metadata)
    c2 = sorted(theirs.scan().to_arrow()["c2"].to_pylist())
    filters = ["c1 = 2", f"c2 >= {c2[9]} and c2 <= {c2[12]}", "c3 = '00000004'", "renamed_7 <= 2", "c6 > 5", "c1 = 7"]
    for where in filters:
        expected, found = (
            each.sort_by("c2").select(["c1", "c2", "c3"]).to_pylist()
            for each in (theirs.scan(where).to_arrow(), table.scan(where).to_arrow())
        )
        assert found == expected, where
        assert len(found) > 0 or where == "c1 = 7"
    if data != "shared":
        assert len(table.scan(f"c2 = {10 * EVOLVED.rows + 3}").plan_files().tasks) == 1
    partition_files = len(table.scan("c1 = 2").plan_files().tasks)
    assert partition_files in (4, 5)


def test_deletes_are_in_the_partition_of_their_file(tmp_path: Path) -> None:
    metadata = write_table(ManyFiles(5, 4, partitions=4, deletes=4, data="tiny"), tmp_path)
    assert projector.load_table(metadata).scan().count() == 5 * 10 - 4
    assert StaticTable.from_metadata(metadata).scan().to_arrow().num_rows == 5 * 10 - 4


def test_bounds_without_data_fit_their_columns(tmp_path: Path) -> None:
    metadata = write_table(replace(EVOLVED, deletes=0, data="none"), tmp_path)
    codes = {finding.code for finding in projector.check(metadata, level="footers").findings}
    assert codes == {"F110", "P112"}


def test_metadata_alone(tmp_path: Path) -> None:
    metadata = write_table(ManyFiles(2500, 4, rows=1000, partitions=5), tmp_path)
    plan = projector.load_table(metadata).scan("c1 = 2").plan_files()
    assert (len(plan.tasks), plan.records_to_read) == (500, 500_000)
    assert not list((tmp_path / "data").iterdir())
    assert json.loads(Path(metadata).read_text())["last-column-id"] == 4


def test_all_readers_come_to_one_answer(tmp_path: Path) -> None:
    small = {name: replace(table, files=table.stages * 2, rows=50) for name, table in TABLES.items()}
    for name in small:
        write_evolved(small[name], tmp_path)
        for query in QUERIES:
            question = query.ask(small[name].read, small[name].files * 50)
            answers = {
                reader.name: reader.run(tmp_path / name, question)
                for reader in READERS
                if reader.name in ("raw-arrow", "projector-arrow", "pyiceberg", "raw-polars", "projector-polars")
            }
            assert len(set(answers.values())) == 1, (name, query.name, answers)
