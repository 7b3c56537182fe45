"""What a check keeps on disk: the second one reads only what is new, and says what the first one said."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import fastavro
import pytest

import projector
from benchmarks.tables.many_files import ManyFiles, write_table
from cli.main import run
from projector.check.evidence.find_live_files import find_live_files
from projector.check.evidence.footers import read_footers
from projector.check.evidence.live_files import Files, LiveFiles
from projector.check.report.report import Report
from projector.files.cache import database as cache_file
from projector.files.cache.database import CacheFile
from projector.files.shapes.cache import default_cache
from tests.check.tables import schema
from tests.metadata.build import write_avro
from tests.planning.opens import Opens
from tests.planning.tables import TableBuilder

LONG_AGO = 1_600_000_000_000_000_000
CHANGES = (
    "ALTER TABLE t ADD COLUMN note string",
    "ALTER TABLE t ALTER COLUMN id SET NOT NULL",
    "ALTER TABLE t DROP COLUMN day",
    "ALTER TABLE t ALTER COLUMN day TYPE timestamp_ntz",
)


def settle(folder: Path) -> None:
    """Let all files be from long ago, so that they may be kept."""
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, ns=(LONG_AGO, LONG_AGO))


def busy(folder: Path) -> TableBuilder:
    """A table with all there is: partitions, schemas, specs, all kinds of deletes, formats, files listed twice."""
    builder = TableBuilder(folder, schema("1 id long, 2 day date, 3 part string"), 3, [(3, 1000, "part", "identity")])
    rows = [{"id": n, "day": n * 1000, "part": "a"} for n in range(3)]
    first = builder.append(rows, rows[:1], partition={"part": "a"})
    builder.append([{"id": None, "day": None, "part": "b"}], partition={"part": "c"})  # not as its bounds are
    builder.append(rows, partition={"part": "a"}, bounds=False)
    builder.evolve(schema("1 id long, 2 day date, 3 part string, 4 qty int"))
    far = {"sort_order_id": 1, "upper_bounds": [{"key": 2, "value": (2_000_000_000).to_bytes(4, "little")}]}
    builder.append([{"id": 9, "day": 9, "part": "a", "qty": 1}], partition={"part": "a"}, change=far)
    more = [{"id": 5, "day": 10_000, "part": "z", "qty": None}]
    builder.append(more, more, partition={"part": "z"}, change={"lower_bounds": [{"key": 1, "value": bytes(3)}]})
    builder.delete_positions([(first, 0)], {"part": "a"}, lower_bounds=[{"key": 2147483546, "value": first.encode()}])
    builder.delete_equal([{"id": 1}], schema("1 id long"), partition={"part": "a"})
    builder.delete_vectors({first: [1], f"file:{first}": [2]}, partition={"part": "a"})
    builder.partition_by()
    odd = [builder.data_file(more), builder.data_file(more, change={"key_metadata": b"k"})]
    odd.append(builder.data_file(more, change={"file_format": "ORC"}))
    odd += [builder.data_file(more, change={"file_path": path}) for path in ("ftp://x/y.parquet", "")]
    builder.commit(0, odd)
    twice = builder.data_file(more)  # two manifests list it, and one lists it twice
    builder.commit(0, [twice])
    builder.commit(0, [{**twice, "status": 0}, builder.data_file(more), {**twice, "status": 0}])
    return builder


@pytest.fixture
def table(tmp_path: Path) -> str:
    builder = busy(tmp_path / "t")
    builder.load()
    settle(tmp_path / "t")
    return newest(tmp_path / "t")


def newest(folder: Path) -> str:
    return str(max((folder / "metadata").glob("*.metadata.json"), key=lambda path: int(path.name[1:].split(".")[0])))


def reports(table: str, cache: bool = True, changes: tuple[str, ...] = CHANGES) -> list[Report]:
    audits = [projector.check(table, cache=cache), projector.check(table, cache=cache, compatibility="backward")]
    return audits + [projector.check(table, sql=sql, cache=cache) for sql in changes]


def said(found: list[Report]) -> list[tuple[Any, ...]]:
    return [(r.findings, r.looked_at, r.unreadable, r.shapes, r.not_looked_at, r.suppressed) for r in found]


def cache() -> CacheFile:
    found = default_cache()
    assert found is not None
    return found.file


def test_it_says_the_same_and_opens_neither_data_files_nor_manifests(
    table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = said(reports(table, cache=False))
    assert not cache().path.exists()
    codes = {finding.code for report in plain for finding in report[0]}
    assert codes >= {"F111", "F112", "F113", "N102", "P105", "P110", "P113", "T104", "X106"}
    assert said(reports(table)) == plain
    opens = Opens(monkeypatch)
    assert said(reports(table)) == plain
    assert [p for p in opens.paths if p.endswith((".parquet", ".avro", ".puffin"))] == []


def listed(live: LiveFiles) -> Iterator[tuple[Any, ...]]:
    for file in live.all:
        yield file.path, file.location, file.record_count, file.snapshots, file.kind, file.target, file.manifest
        kind, entry = file.kind, file.entry
        assert (kind.content, kind.file_format) == (entry.data_file.content, entry.data_file.file_format)
        assert (kind.snapshot_id, kind.sort_order_id) == (entry.snapshot_id, entry.data_file.sort_order_id)
        assert kind.partition_ids == tuple(entry.data_file.partition)
        assert kind.equality_ids == entry.data_file.equality_ids
        assert kind.is_encrypted is (entry.data_file.key_metadata is not None)
        assert (file.path, file.record_count) == (entry.data_file.file_path, entry.data_file.record_count)


def test_listings_hold_what_fastavro_reads(table: str) -> None:
    loaded = projector.load_table(table)
    metadata = loaded.metadata
    expected: dict[tuple[str, int | None], int] = {}
    for path in Path(table).parent.glob("m-*.avro"):
        with path.open("rb") as file:
            for record in fastavro.reader(file):
                node = record["data_file"]  # type: ignore[index, call-overload]
                expected[node["file_path"], node["content_offset"]] = node["record_count"]
    how = (metadata, loaded._storage, loaded._resolver, metadata.snapshots)
    plain, first, second = find_live_files(*how), find_live_files(*how, cache()), find_live_files(*how, cache())
    for live in (plain, first, second):
        offsets = {(f.path, f.entry.data_file.content_offset): f.record_count for f in live.all}
        assert offsets == expected
        assert len(live.all) == len(expected)
    assert [*listed(plain)] == [*listed(first)] == [*listed(second)]


def test_paths_and_counts_are_pyicebergs(tmp_path: Path) -> None:
    from pyiceberg.table import StaticTable

    made = write_table(ManyFiles(40, 6, versions=3, partitions=5, data="tiny"), tmp_path / "t")
    settle(tmp_path / "t")
    tasks = StaticTable.from_metadata(made).scan().plan_files()
    expected = {task.file.file_path: task.file.record_count for task in tasks}
    loaded = projector.load_table(made)
    for _ in range(2):
        live = find_live_files(loaded.metadata, loaded._storage, loaded._resolver, loaded.metadata.snapshots, cache())
        assert {file.path: file.record_count for file in live.data} == expected
        assert [*live.data.paths] == [file.path for file in live.data]
        assert live.data.record_count == sum(expected.values())


def test_only_what_is_new_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = busy(tmp_path / "t")
    builder.load()
    settle(tmp_path / "t")
    reports(newest(tmp_path / "t"))
    before = {path.name for path in (tmp_path / "t").rglob("*.*")}
    builder.append([{"id": 1, "day": 1, "part": "a", "qty": 1}])
    builder.load()
    table = newest(tmp_path / "t")
    settle(tmp_path / "t")
    plain = said(reports(table, cache=False))
    opens = Opens(monkeypatch)
    assert said(reports(table)) == plain
    opened = {os.path.basename(path) for path in opens.paths if path.startswith(str(tmp_path / "t"))}
    assert opened & before == set()
    assert len([name for name in opened if name.endswith(".parquet")]) == 1
    assert len([name for name in opened if name.startswith("m-")]) == 1
    assert len([name for name in opened if name.startswith("snap-")]) == 1


def put_another(path: Path, column: str, order: int) -> None:
    """A table of one file, with other contents under the same names."""
    builder = TableBuilder(path, schema(f"1 {column} long"))
    builder.append([{column: 1}], change={"sort_order_id": order})
    builder.load()


@pytest.mark.parametrize("same_size", [True, False])
def test_files_that_were_replaced_under_their_name_are_read_again(
    tmp_path: Path, same_size: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once with the same sizes and other times of change, once the other way round."""
    monkeypatch.setattr("tests.planning.tables.write_avro", partial(write_avro, codec="null"))

    column = "ix" if same_size else "another_column"
    names = ("data/00001.parquet", "metadata/m-10.avro")

    def sizes() -> list[int]:
        return [(tmp_path / "t" / name).stat().st_size for name in names]

    put_another(tmp_path / "t", "id", 1)
    settle(tmp_path / "t")
    table, before = newest(tmp_path / "t"), sizes()
    reports(table, changes=())
    put_another(tmp_path / "t", column, 2)
    settle(tmp_path / "t")
    if same_size:
        assert sizes() == before
        for path in (tmp_path / "t").rglob("*.*"):
            os.utime(path, ns=(LONG_AGO + 1, LONG_AGO + 1))
    else:
        assert all(now != then for now, then in zip(sizes(), before, strict=True))
    found = said(reports(table, changes=()))
    assert found == said(reports(table, cache=False, changes=()))
    loaded = projector.load_table(table)
    how = (loaded.metadata, loaded._storage, loaded._resolver, loaded.metadata.snapshots, cache())
    live = find_live_files(*how)
    assert [file.kind.sort_order_id for file in live.data] == [2]
    (group,) = read_footers(live.data, loaded._storage, default_cache()).groups
    assert group.schema.columns[0].name == column


def test_a_file_that_is_gone_is_missed(table: str) -> None:
    reports(table)
    next(iter(sorted((Path(table).parent.parent / "data").glob("*.parquet")))).unlink()
    found = said(reports(table))
    assert found == said(reports(table, cache=False))
    assert any("No such file" in unreadable.reason for unreadable in found[0][2])
    next(iter(sorted(Path(table).parent.glob("m-*.avro")))).unlink()
    for cached in (True, False):
        with pytest.raises(projector.NotFoundError):
            projector.check(table, cache=cached)


def pieces() -> list[tuple[bytes, bytes]]:
    with sqlite3.connect(cache().path) as database:
        return database.execute("SELECT digest, sealed FROM pieces ORDER BY digest").fetchall()


def replace_pieces(changed: list[tuple[bytes, bytes]]) -> None:
    with sqlite3.connect(cache().path) as database:
        database.executemany("UPDATE pieces SET sealed = ? WHERE digest = ?", [(s, d) for d, s in changed])
    database.close()


@pytest.mark.parametrize("kind", ["cut", "flipped", "swapped", "empty"])
def test_damaged_pieces_are_as_good_as_none(table: str, kind: str) -> None:
    plain = said(reports(table))
    kept = pieces()
    assert len(kept) > 30
    others = [sealed for _, sealed in kept[1:] + kept[:1]]
    damaged = {
        "cut": [(digest, sealed[: len(sealed) // 2]) for digest, sealed in kept],
        "flipped": [(digest, sealed[:-3] + bytes([sealed[-3] ^ 1]) + sealed[-2:]) for digest, sealed in kept],
        "swapped": [(digest, other) for (digest, _), other in zip(kept, others, strict=True)],
        "empty": [(digest, b"") for digest, _ in kept],
    }
    replace_pieces(damaged[kind])
    assert said(reports(table)) == plain
    assert pieces() == kept  # they were made anew


def test_half_of_the_pieces(table: str) -> None:
    plain = said(reports(table))
    kept = pieces()
    for part in (0, 1):
        with sqlite3.connect(cache().path) as database:
            database.executemany("DELETE FROM pieces WHERE digest = ?", [(digest,) for digest, _ in kept[part::2]])
        database.close()
        assert said(reports(table)) == plain
        assert pieces() == kept


def test_what_another_version_kept_is_not_read(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = said(reports(table))
    monkeypatch.setattr(cache_file, "FORMAT", cache_file.FORMAT + 1)
    opens = Opens(monkeypatch)
    assert said(reports(table, changes=())) == plain[:2]
    assert opens.count(".parquet") > 0


def test_tables_are_not_to_be_found_in_the_file(table: str) -> None:
    reports(table)
    stored = b"".join(path.read_bytes() for path in cache().folder.iterdir())
    assert str(Path(table).parent.parent.parent).encode() not in stored
    assert b"m-10.avro" not in stored


def test_no_cache(table: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        opens = Opens(monkeypatch)
        run(["audit", table, "--no-cache", "--format", "json"])
        assert opens.count(".parquet") > 0
        assert not cache().path.exists()
    texts = [capsys.readouterr().out]
    for _ in range(2):
        run(["audit", table, "--format", "json"])
        texts.append(capsys.readouterr().out)
    assert cache().path.exists()
    assert texts[0] == texts[1] * 2 == texts[2] * 2


def test_several_processes_at_once(tmp_path: Path) -> None:
    tables = [write_table(ManyFiles(60, 6, versions=2, data="tiny"), tmp_path / str(n)) for n in range(3)]
    settle(tmp_path)
    changes = ("ALTER TABLE t ADD COLUMN note string",)
    plain = {table: said(reports(table, cache=False, changes=changes)) for table in tables}
    with ProcessPoolExecutor(4) as pool:
        answers = [(table, pool.submit(several, table, changes)) for _ in range(4) for table in tables]
        for table, answer in answers:
            assert answer.result() == repr(plain[table])
    with sqlite3.connect(cache().path) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def several(table: str, changes: tuple[str, ...]) -> str:
    return repr(said(reports(table, changes=changes)))


_FOREVER = """
import sys
import projector
while True:
    for table in sys.argv[1:]:
        projector.check(table)
"""


def test_processes_that_are_killed_while_they_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROJECTOR_CACHE_BYTES", "40000")  # so that something is written, and dropped, all the time
    tables = [write_table(ManyFiles(100, 6, versions=2, data="tiny"), tmp_path / str(n)) for n in range(3)]
    settle(tmp_path)
    plain = {table: said([projector.check(table, cache=False)]) for table in tables}
    for turn in range(3):
        writers = [subprocess.Popen([sys.executable, "-c", _FOREVER, *tables]) for _ in range(2)]
        deadline = time.monotonic() + 20
        while not cache().path.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        for table in tables:  # beside the writers, and after them
            assert said([projector.check(table)]) == plain[table]
        for writer in writers:
            writer.kill()
            writer.wait()
        assert said([projector.check(tables[turn])]) == plain[tables[turn]]
    with sqlite3.connect(cache().path) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def in_place_of_the_folder(folder: Path) -> None:
    folder.write_text("x")


def in_place_of_the_file(folder: Path) -> None:
    (folder / cache().path.name).mkdir(parents=True)


def of_something_else(folder: Path) -> None:
    folder.mkdir()
    (folder / cache().path.name).write_bytes(os.urandom(50_000))


@pytest.mark.parametrize("put", [in_place_of_the_folder, in_place_of_the_file, of_something_else])
def test_what_is_not_ours(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put: Callable[[Path], None]
) -> None:
    monkeypatch.setenv("PROJECTOR_CACHE_DIR", str(tmp_path / "elsewhere"))
    put(tmp_path / "elsewhere")
    plain = said(reports(table, cache=False, changes=()))
    for _ in range(2):
        assert said(reports(table, changes=())) == plain


def test_its_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROJECTOR_CACHE_BYTES", "300000")
    for number in range(8):
        made = write_table(ManyFiles(400, 6, versions=4, data="shared"), tmp_path / f"{number:060}")
        settle(tmp_path)
        for _ in range(2):
            assert projector.check(made).looked_at.footers == 400
        assert cache().path.stat().st_size <= 350_000
    opens = Opens(monkeypatch)
    projector.check(made)  # the last one is still there
    assert opens.count(".parquet") == opens.count(".avro") == 0


def test_pieces_that_are_used_outlive_others(tmp_path: Path) -> None:
    file = CacheFile(tmp_path, 100_000)
    random = [os.urandom(20_000) for _ in range(8)]
    file.store_pieces({b"used": random[0], b"unused": random[1]})
    with sqlite3.connect(file.path) as database:
        database.execute("UPDATE pieces SET used = used - 1000000")
    database.close()
    assert file.pieces([b"used"]) == {b"used": random[0]}
    for number in range(2, 5):
        file.store_pieces({f"{number}".encode(): random[number]})
    assert file.pieces([b"used", b"unused"]) == {b"used": random[0]}


def test_what_changed_a_moment_ago_is_not_kept(tmp_path: Path) -> None:
    builder = busy(tmp_path / "t")
    builder.load()
    settle(tmp_path / "t")
    later = 4_000_000_000_000_000_000
    for path in (tmp_path / "t" / "metadata").glob("*.avro"):
        os.utime(path, ns=(later, later))
    table = newest(tmp_path / "t")
    projector.check(table)
    with sqlite3.connect(cache().path) as database:
        kept = database.execute("SELECT count(*) FROM pieces").fetchone()[0]
    loaded = projector.load_table(table)
    live = find_live_files(loaded.metadata, loaded._storage, loaded._resolver, loaded.metadata.snapshots)
    assert 0 < kept <= 2 * len(live.manifests)  # the shapes of the data files of each manifest, nothing of manifests


def test_a_file_in_several_manifests_counts_once(tmp_path: Path) -> None:
    builder = TableBuilder(tmp_path / "t", schema("1 v long"))
    bad = {"lower_bounds": [{"key": 1, "value": bytes(3)}]}
    shared = builder.data_file([{"v": 1}] * 7, change=bad)
    builder.commit(0, [shared])
    builder.commit(
        0, [builder.data_file([{"v": 1}] * 2), {**shared, "status": 0}, builder.data_file([{"v": 1}], change=bad)]
    )
    builder.load()
    settle(tmp_path / "t")
    for _ in range(2):
        report = projector.check(newest(tmp_path / "t"))
        assert (report.looked_at.data_files, report.looked_at.rows) == (3, 10)
        found = next(finding for finding in report.findings if finding.code == "P110")
        assert (found.evidence.files, found.evidence.of_files, found.evidence.rows) == (2, 3, 8)


def test_files_are_a_sequence(table: str) -> None:
    loaded = projector.load_table(table)
    live = find_live_files(loaded.metadata, loaded._storage, loaded._resolver, loaded.metadata.snapshots)
    as_list = [*live.data]
    assert len(live.data) == len(as_list) > 5
    assert [live.data[n] for n in range(-len(as_list), len(as_list))] == as_list * 2
    assert [*live.data[1:4]] == as_list[1:4]
    for place in (len(as_list), -len(as_list) - 1):
        with pytest.raises(IndexError):
            live.data[place]
    assert not Files()
    by_format = live.all.by(lambda _, kind: kind.file_format)
    assert {name: len(files) for name, files in by_format.items()}.keys() == {"PARQUET", "ORC", "PUFFIN"}
    assert sum(map(len, by_format.values())) == len(live.all)
