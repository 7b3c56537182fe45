"""Shapes of files in an object store: one request a file, many at once, failures tried again and then named."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

import projector
from benchmarks.tables.many_files import ManyFiles, write_table
from projector import NotFoundError, ProjectorError, shapes
from projector.files.shapes.cache import ShapeCache
from projector.files.shapes.reader import read_shapes
from projector.files.storage.storage import Storage
from tests.catalogs.proxy import CUT_ANSWER, DROP_REQUEST, Request, running_proxy
from tests.catalogs.seaweed import BUCKET, KEY, SECRET, SeaweedFS
from tests.files.slow_proxy import slow_proxy

FILES = 240


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeaweedFS]:
    server = SeaweedFS(tmp_path_factory.mktemp("store"))
    try:
        server.start()
        yield server
    finally:
        server.stop()


def content(columns: int, rows: int) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({f"c{i}": pa.array(range(rows), pa.int32()) for i in range(columns)}), out)
    return out.getvalue()


@pytest.fixture(scope="module")
def files(store: SeaweedFS) -> list[str]:
    """Files of three shapes; the last column count has footers longer than the first read."""
    s3 = fs.S3FileSystem(access_key=KEY, secret_key=SECRET, endpoint_override=store.s3, region="us-east-1")
    by_columns = {columns: content(columns, columns) for columns in (2, 3, 5)}

    def write(number: int) -> str:
        key = f"{BUCKET}/shapes/part {number:03} é%20.parquet"
        with s3.open_output_stream(key) as out:
            out.write(by_columns[(2, 3, 5)[number % 3]])
        return f"s3://{key}"

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(write, range(FILES)))


def test_one_request_a_file_and_many_at_once(store: SeaweedFS, files: list[str]) -> None:
    with slow_proxy(store.s3, 0.03) as proxy:
        groups = shapes(files, storage=Storage(store.storage(proxy.url)))
    assert [(len(g.schema.columns), len(g.files), set(g.row_counts)) for g in groups] == [
        (columns, FILES // 3, {columns}) for columns in (2, 3, 5)
    ]
    assert groups[1].files == tuple(files[1::3])
    assert len(proxy.requests) == FILES
    assert {request.split()[0] for request in proxy.requests} == {"GET"}
    assert 16 <= proxy.most_waiting <= 32


def test_requests_that_fail_are_made_again(store: SeaweedFS, files: list[str]) -> None:
    seen: set[str] = set()
    faults = [503, DROP_REQUEST, CUT_ANSWER, 429]

    def fault(request: Request) -> int | str | None:
        if request.file in seen or len(seen) >= 12:
            return None
        seen.add(request.file)
        return faults[len(seen) % len(faults)]

    with running_proxy(store.s3) as proxy:
        proxy.fault = fault
        groups = shapes(files[:60], storage=Storage(store.storage(proxy.url)), max_workers=4)
    assert sum(len(group.files) for group in groups) == 60
    assert len(seen) == 12


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_read(store: SeaweedFS, files: list[str]) -> None:
    broken = files[7]
    with running_proxy(store.s3) as proxy:
        proxy.fault = lambda request: 503 if "part%20007" in request.path else None
        found = read_shapes(files[:20], Storage(store.storage(proxy.url)), max_workers=4)
    errors = [schema for schema in found.schemas if isinstance(schema, ProjectorError)]
    assert len(errors) == 1
    assert found.schemas[7] is errors[0]
    assert broken in str(errors[0])


def test_what_is_missing_and_what_is_no_parquet(store: SeaweedFS) -> None:
    s3 = fs.S3FileSystem(access_key=KEY, secret_key=SECRET, endpoint_override=store.s3, region="us-east-1")
    for name, data in (("empty", b""), ("text", b"hello, this is no Parquet file"), ("short", b"PAR1")):
        with s3.open_output_stream(f"{BUCKET}/odd/{name}.parquet") as out:
            out.write(data)
    names = [f"s3://{BUCKET}/odd/{name}.parquet" for name in ("empty", "text", "short", "absent")]
    found = read_shapes(names, Storage(store.storage()))
    texts = [str(schema) for schema in found.schemas]
    assert "empty" in texts[0]
    assert "not a Parquet file" in texts[1]
    assert "too short" in texts[2]
    assert isinstance(found.schemas[3], NotFoundError)


def test_long_footers_take_two_requests_until_their_length_is_known(store: SeaweedFS) -> None:
    s3 = fs.S3FileSystem(access_key=KEY, secret_key=SECRET, endpoint_override=store.s3, region="us-east-1")
    wide = content(1500, 1)
    assert int.from_bytes(wide[-8:-4], "little") > 100_000
    names = []
    for number in range(5):
        with s3.open_output_stream(f"{BUCKET}/wide/{number}.parquet") as out:
            out.write(wide)
        names.append(f"s3://{BUCKET}/wide/{number}.parquet")
    with slow_proxy(store.s3, 0) as proxy:
        (group,) = shapes(names, storage=Storage(store.storage(proxy.url)), max_workers=1)
    assert group.row_counts == (1,) * 5
    assert len(proxy.requests) == 6


def test_without_credentials_at_hand_pyarrow_is_asked(
    store: SeaweedFS, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projector.files.storage.remote_tails.s3_requests", lambda properties: None)
    groups = shapes(files[:12], storage=Storage(store.storage()))
    assert [group.files for group in groups] == [tuple(files[start:12:3]) for start in range(3)]


def test_files_that_are_known_are_listed_not_opened(store: SeaweedFS, files: list[str], tmp_path: Path) -> None:
    cache = ShapeCache(tmp_path)
    time.sleep(2.1)  # stores tell times in seconds: a file is known when it is older than that
    first = read_shapes(files, Storage(store.storage()), cache=cache)
    with slow_proxy(store.s3, 0) as proxy:
        second = read_shapes(files, Storage(store.storage(proxy.url)), cache=ShapeCache(cache.folder))
    assert first.opened == FILES
    # another endpoint is another store: nothing is known of it
    assert second.opened == FILES
    third = read_shapes(files, Storage(store.storage()), cache=cache)
    assert third.opened == 0
    assert third.row_counts == first.row_counts
    assert [s == t for s, t in zip(first.schemas, third.schemas, strict=True)] == [True] * FILES


def test_a_second_check_reads_neither_data_files_nor_manifests(store: SeaweedFS, tmp_path: Path) -> None:
    s3 = fs.S3FileSystem(access_key=KEY, secret_key=SECRET, endpoint_override=store.s3, region="us-east-1")
    here = tmp_path / "table"
    metadata = Path(write_table(ManyFiles(30, 6, versions=3, data="tiny"), here))
    for path in here.rglob("*.*"):
        with s3.open_output_stream(f"{BUCKET}/{path.relative_to(tmp_path)}") as out:
            out.write(path.read_bytes())
    time.sleep(2.1)  # as above

    with slow_proxy(store.s3, 0) as proxy:

        def checked(cache: bool) -> tuple[object, set[str]]:
            del proxy.requests[:]
            table = projector.load_table(
                f"s3://{BUCKET}/{metadata.relative_to(tmp_path)}",
                properties=store.storage(proxy.url),
                path_map={str(here): f"s3://{BUCKET}/table"},
            )
            report = projector.check(table, sql="ALTER TABLE t ADD COLUMN note string", cache=cache)
            opened = {r.split()[1].rpartition("/")[2] for r in proxy.requests if r.startswith("GET") and "?" not in r}
            return (report.findings, report.looked_at, report.shapes), opened

        plain, first, second = checked(False), checked(True), checked(True)
    assert plain[0] == first[0] == second[0]
    assert len([name for name in plain[1] if name.endswith(".parquet")]) == 30
    assert first[1] == plain[1]
    assert second[1] == {metadata.name}
