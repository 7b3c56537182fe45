"""Shapes kept on disk: what is known is not opened, what has changed is, and nothing depends on the cache."""

from __future__ import annotations

import io
import os
import random
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import projector
from projector.files.shapes.cache import ShapeCache, default_cache
from projector.files.shapes.reader import ShapesRead, read_shapes
from projector.files.storage.storage import Storage
from projector.files.storage.tails import Tail

LONG_AGO = 1_600_000_000_000_000_000


def content(columns: int, rows: int) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({f"c{i}": pa.array(range(rows), pa.int32()) for i in range(columns)}), out)
    return out.getvalue()


def write(path: Path, columns: int, rows: int, changed: int = LONG_AGO) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content(columns, rows))
    os.utime(path, ns=(changed, changed))
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return [write(tmp_path / f"f{n % 2}" / f"{n:03} ü.parquet", 1 + n % 3, n) for n in range(60)]


@pytest.fixture
def cache(tmp_path: Path) -> ShapeCache:
    return ShapeCache(tmp_path / "cache")


def read(files: list[str], cache: ShapeCache | None) -> ShapesRead:
    return read_shapes(files, Storage(), cache=cache)


def test_what_is_known_is_not_opened(files: list[str], cache: ShapeCache, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = read(files, None)
    first = read(files, cache)
    monkeypatch.setattr("projector.files.shapes.reader.local_shapes", None)
    second = read(files, cache)
    assert (plain.opened, first.opened, second.opened) == (60, 60, 0)
    assert plain.schemas == first.schemas == second.schemas
    assert plain.row_counts == first.row_counts == second.row_counts == list(range(60))
    assert len({id(schema) for schema in second.schemas}) == 3


def test_only_what_is_new_or_has_changed_is_opened(files: list[str], cache: ShapeCache, tmp_path: Path) -> None:
    read(files, cache)
    write(Path(files[5]), 9, 1)  # another size, the same time
    os.utime(files[6], ns=(LONG_AGO, LONG_AGO + 1_000_000))  # the same size, another time
    new = write(tmp_path / "f0" / "new.parquet", 4, 4)
    found = read([new, *files], cache)
    assert found.opened == 3
    assert len(found.schemas[6].columns) == 9  # type: ignore[union-attr]
    assert found.row_counts[:7] == [4, 0, 1, 2, 3, 4, 1]
    assert read([new, *files], cache).opened == 0


def test_what_changed_a_moment_ago_is_not_kept(cache: ShapeCache, tmp_path: Path) -> None:
    import time

    fresh = write(tmp_path / "fresh.parquet", 1, 1, changed=time.time_ns() + 1_000_000_000)
    assert [read([fresh], cache).opened for _ in range(2)] == [1, 1]


def test_what_cannot_be_read_is_not_kept(cache: ShapeCache, tmp_path: Path) -> None:
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"PAR1 this is not one")
    os.utime(bad, ns=(LONG_AGO, LONG_AGO))
    for _ in range(2):
        found = read([str(bad), str(tmp_path / "absent.parquet")], cache)
        assert found.opened == 2
        assert [type(schema).__name__ for schema in found.schemas] == ["CorruptFileError", "NotFoundError"]


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 500, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_cache_is_as_good_as_none(files: list[str], cache: ShapeCache, damage: bytes) -> None:
    read(files, cache)
    for ending in ("-wal", "-shm"):
        Path(f"{cache.file.path}{ending}").unlink(missing_ok=True)
    cache.file.path.write_bytes(damage)
    assert read(files, cache).row_counts == list(range(60))
    read(files, cache)
    assert read(files, cache).opened == 0  # it was made anew


def test_damage_in_fingerprints_is_noticed(files: list[str], cache: ShapeCache) -> None:
    read(files, cache)
    with sqlite3.connect(cache.file.path) as database:
        database.execute("UPDATE shapes SET fingerprint = substr(fingerprint, 1, 20) WHERE id = 1")
    database.close()
    found = read(files, cache)
    assert found.opened == 20
    assert found.row_counts == list(range(60))


def test_a_folder_that_cannot_be_written(files: list[str], tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    found = read(files, ShapeCache(in_the_way / "cache"))
    assert (found.opened, found.row_counts) == (60, list(range(60)))


def test_its_size_is_bounded(cache: ShapeCache, tmp_path: Path) -> None:
    small = ShapeCache(cache.folder, limit=200_000)
    for folder in range(12):
        names = [write(tmp_path / str(folder) / f"{n:0100}.parquet", 1, n) for n in range(120)]
        read(names, small)
        assert read(names, small).opened == 0
        assert small.file.path.stat().st_size <= 250_000
    assert read([str(tmp_path / "0" / f"{n:0100}.parquet") for n in range(120)], small).opened == 120


def test_no_names_of_folders_and_no_secrets(cache: ShapeCache, tmp_path: Path) -> None:
    file = write(tmp_path / "very-private-place" / "a.parquet", 1, 1)
    storage = Storage({"s3.secret-access-key": "hush-hush"})
    read_shapes([file], storage, cache=cache)
    stored = b"".join(path.read_bytes() for path in cache.folder.iterdir())
    assert b"very-private-place" not in stored
    assert b"hush-hush" not in stored


class Signed(Storage):
    """A storage whose paths hold a signature."""

    def read_tail(self, path: str, length: int) -> Tail:
        data = content(1, 1)
        return Tail(data[-length:], len(data), None)

    def marks(self, paths: object) -> dict[str, tuple[int, int]]:
        return dict.fromkeys(paths, (1, LONG_AGO))  # type: ignore[attr-defined]


def test_paths_with_signatures_are_not_kept(cache: ShapeCache) -> None:
    path = "s3://bucket/file.parquet?sig=abc"
    for _ in range(2):
        assert read_shapes([path], Signed(), cache=cache).opened == 1


def use(folder: str, files: list[str]) -> list[int]:
    return read_shapes(files, Storage(), cache=ShapeCache(Path(folder))).row_counts


def test_several_threads_and_processes_at_once(files: list[str], cache: ShapeCache) -> None:
    with ProcessPoolExecutor(3) as pool:
        answers = [pool.submit(use, str(cache.folder), files[n % 7 :]) for n in range(12)]
        threads = [threading.Thread(target=use, args=(str(cache.folder), files)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [answer.result() for answer in answers] == [list(range(n % 7, 60)) for n in range(12)]
    assert read(files, cache).opened == 0


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PROJECTOR_CACHE_DIR", str(tmp_path / "own"))
    assert default_cache() == ShapeCache(tmp_path / "own")
    monkeypatch.setenv("PROJECTOR_CACHE_BYTES", "1000")
    assert default_cache() == ShapeCache(tmp_path / "own", 1000)
    monkeypatch.setenv("PROJECTOR_CACHE_BYTES", "0")
    assert default_cache() is None
    monkeypatch.delenv("PROJECTOR_CACHE_BYTES")
    monkeypatch.delenv("PROJECTOR_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr("sys.platform", "linux")
    assert default_cache() == ShapeCache(tmp_path / "xdg" / "projector")


def test_a_second_check_opens_no_data_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.tables.many_files import ManyFiles, write_table

    metadata = write_table(ManyFiles(30, 6, versions=3, data="tiny"), tmp_path / "table")
    for path in (tmp_path / "table" / "data").iterdir():
        os.utime(path, ns=(LONG_AGO, LONG_AGO))
    update = projector.UpdateSchema()
    update.add_column("note", "string")
    first = projector.check(metadata, update)
    assert first.looked_at.footers == 30
    opened: list[str] = []
    original = os.open
    monkeypatch.setattr(os, "open", lambda path, *a, **k: opened.append(os.fspath(path)) or original(path, *a, **k))
    second = projector.check(metadata, update)
    assert [path for path in opened if path.endswith(".parquet")] == []
    assert second.looked_at == first.looked_at
    assert second.findings == first.findings
    projector.check(metadata, update, cache=False)
    assert len([path for path in opened if path.endswith(".parquet")]) == 30


def forge(cache: ShapeCache, statement: str) -> None:
    with sqlite3.connect(cache.file.path) as database:
        database.execute(statement)
    database.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE files SET row_count = 7",
        "UPDATE files SET shape = 1 + shape % 3",
        "UPDATE files SET row_count = 'many'",
        "UPDATE files SET proof = 5",
        "UPDATE files SET name = CAST(name AS BLOB)",
        "UPDATE shapes SET fingerprint = (SELECT fingerprint FROM shapes WHERE id = 2) || x'00' WHERE id = 1",
        "UPDATE shapes SET fingerprint = 1000000000000 + id",
        "UPDATE files SET folder = 3 - folder",
    ],
)
def test_what_was_altered_is_not_used(files: list[str], cache: ShapeCache, statement: str) -> None:
    plain = read(files, None)
    read(files, cache)
    forge(cache, statement)
    found = read(files, cache)
    assert (found.schemas, found.row_counts) == (plain.schemas, plain.row_counts)
    assert found.opened > 0


def test_entries_made_with_another_key_are_not_used(files: list[str], cache: ShapeCache) -> None:
    read(files, cache)
    cache.file.key_path.write_bytes(bytes(32))
    assert read(files, cache).opened == 60
    cache.file.key_path.write_bytes(b"cut")
    assert [read(files, cache).opened for _ in range(2)] == [60, 0]


def writable_folder(cache: ShapeCache) -> None:
    cache.folder.chmod(0o770)


def writable_file(cache: ShapeCache) -> None:
    cache.file.path.chmod(0o602)


def linked_folder(cache: ShapeCache) -> None:
    cache.folder.symlink_to(cache.folder.rename(cache.folder.with_name("real")))


def linked_file(cache: ShapeCache) -> None:
    cache.file.path.symlink_to(cache.file.path.rename(cache.folder.with_name("real")))


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners and modes here")
@pytest.mark.parametrize("open_up", [writable_folder, writable_file, linked_folder, linked_file])
def test_a_cache_that_others_may_change_is_refused(
    files: list[str], cache: ShapeCache, monkeypatch: pytest.MonkeyPatch, open_up: Callable[[ShapeCache], None]
) -> None:
    monkeypatch.setenv("PROJECTOR_CACHE_DIR", str(cache.folder))
    read(files, cache)
    assert default_cache() == cache
    open_up(cache)
    with pytest.warns(projector.ProjectorWarning, match="is not used, because .*chmod 700"):
        assert default_cache() is None
    assert [read(files, cache).opened for _ in range(2)] == [60, 60]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners and modes here")
def test_a_cache_of_another_user_is_refused(cache: ShapeCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROJECTOR_CACHE_DIR", str(cache.folder))
    cache.folder.mkdir()
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.warns(projector.ProjectorWarning, match="belongs to another user"):
        assert default_cache() is None


def test_nobody_else_may_read_or_write_it_whatever_the_umask(files: list[str], cache: ShapeCache) -> None:
    before = os.umask(0)
    try:
        read(files, cache)
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o077 for path in (cache.folder, *cache.folder.iterdir())} == {0}
    assert read(files, cache).opened == 0


@pytest.mark.parametrize("seed", range(60))
def test_damage_anywhere_never_aborts_and_is_mended(files: list[str], cache: ShapeCache, seed: int) -> None:
    chance = random.Random(seed)
    read(files, cache)
    damaged = bytearray(cache.file.path.read_bytes())
    match seed % 3:
        case 0:
            for _ in range(chance.choice((1, 10, 300))):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        case 1:
            at = chance.randrange(len(damaged))
            damaged[at : at + 600] = chance.randbytes(600)
        case 2:
            del damaged[chance.randrange(len(damaged)) :]
    cache.file.path.write_bytes(damaged)
    for _ in range(3):
        assert read(files, cache).row_counts == list(range(60))
    assert read(files, cache).opened == 0
