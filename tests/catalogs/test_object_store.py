"""Reading from a real object store: how many requests it takes, what happens when they fail, and the right rows."""

from __future__ import annotations

import tarfile
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from pyiceberg.catalog import Catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

import projector
from projector import NotFoundError, ProjectorError, StoreError
from projector.files.storage.storage import Storage
from projector.metadata.loading import read_metadata
from tests.catalogs.proxy import CUT_ANSWER, DROP_REQUEST, STALL, Proxy, Request
from tests.catalogs.seaweed import BUCKET, KEY, SECRET, SeaweedFS
from tests.conformance.cases import Expectation, binding
from tests.conformance.compare import assert_rows
from tests.conformance.engines import ENGINES
from tests.conformance.pack import ARCHIVE
from tests.conformance.rulings import MOVED_BESIDE, RULINGS, WRITTEN_AT

ROWS = pa.table({"id": pa.array(range(1000), pa.int64()), "name": [f"n{i}" for i in range(1000)]})
MANIFESTS = 5


@pytest.fixture(scope="module")
def many(lake: Catalog) -> str:
    """A table of five appends: five manifests, of one file each."""
    table = lake.create_table("ns.many", ROWS.schema)
    for part in range(MANIFESTS):
        table.append(ROWS.slice(part * 200, 200))
    return "ns.many"


def load(seaweed: SeaweedFS, name: str, proxy: Proxy, **properties: str) -> projector.Table:
    settings = seaweed.catalog(s3=proxy.url)
    return projector.load_table(name, catalog="lake", catalog_properties=settings, properties=properties)


def kinds(proxy: Proxy) -> Counter[str]:
    """The requests by what they ask for."""

    def kind(request: Request) -> str:
        name = request.file.rpartition("/")[2]
        for ending, what in ((".parquet", "data"), (".metadata.json", "metadata")):
            if name.endswith(ending):
                return what
        return "list" if name.startswith("snap-") else "manifest"

    return Counter(kind(request) for request in proxy.seen)


def test_a_snapshot_is_planned_by_one_request_for_the_list_and_one_for_each_manifest(
    seaweed: SeaweedFS, many: str, s3_proxy: Proxy
) -> None:
    table = load(seaweed, many, s3_proxy)
    assert kinds(s3_proxy) == {}  # the catalog sends the metadata itself
    assert len(table.scan().plan_files().tasks) == MANIFESTS
    assert kinds(s3_proxy) == {"list": 1, "manifest": MANIFESTS}


def test_a_metadata_file_is_one_request(seaweed: SeaweedFS, lake: Catalog, many: str, s3_proxy: Proxy) -> None:
    file = lake.load_table(many).metadata_location
    read_metadata(file, Storage(seaweed.storage(s3_proxy.url)))
    assert kinds(s3_proxy) == {"metadata": 1}


def test_count_asks_for_footers_alone(seaweed: SeaweedFS, many: str, s3_proxy: Proxy) -> None:
    assert load(seaweed, many, s3_proxy).scan().count() == 1000
    asked = kinds(s3_proxy)["data"]
    files = len(load(seaweed, many, s3_proxy).scan().plan_files().tasks)
    assert asked == files  # one request for each footer
    assert load(seaweed, many, s3_proxy).scan("id < 200").count() == 200  # bounds tell that all of a file's rows pass
    assert kinds(s3_proxy)["data"] < 2 * files


@pytest.mark.parametrize("engine", ["arrow", "rows", "polars", "duckdb"])
def test_a_limit_asks_for_no_more_files_than_it_takes(
    seaweed: SeaweedFS, many: str, s3_proxy: Proxy, engine: str
) -> None:
    scan = load(seaweed, many, s3_proxy).scan(limit=10)
    assert scan.to_arrow(engine=engine).num_rows == 10
    asked = {request.file for request in s3_proxy.seen if request.file.endswith(".parquet")}
    assert len(asked) == 1


def test_a_manifest_that_a_filter_rules_out_is_not_asked_for(
    seaweed: SeaweedFS, lake: Catalog, s3_proxy: Proxy
) -> None:
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "region", StringType()))
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "region"))
    theirs = lake.create_table("ns.parted", schema, partition_spec=spec)
    for region in ("EU", "US", "JP"):
        theirs.append(pa.table({"id": [1], "region": [region]}))
    table = load(seaweed, "ns.parted", s3_proxy)
    assert table.scan("region = 'JP'").count() == 1
    assert kinds(s3_proxy) == {"list": 1, "manifest": 1, "data": 1}  # the footer of the file that is counted


@pytest.mark.parametrize("fault", [500, 503, DROP_REQUEST, CUT_ANSWER])
@pytest.mark.parametrize("engine", ["arrow", "polars", "duckdb"])
def test_requests_that_fail_are_made_again(
    seaweed: SeaweedFS, many: str, s3_proxy: Proxy, engine: str, fault: int | str
) -> None:
    failed: set[str] = set()

    def once(request: Request) -> int | str | None:
        """Each file goes wrong at its first request of each kind."""
        key = f"{request.method} {request.file}"
        return None if key in failed else failed.add(key) or fault

    s3_proxy.fault = once
    found = load(seaweed, many, s3_proxy).scan().to_arrow(engine=engine)
    assert sorted(found["id"].to_pylist()) == list(range(1000))
    assert len(failed) > MANIFESTS


def test_a_read_that_stalls_is_made_again(seaweed: SeaweedFS, many: str, s3_proxy: Proxy) -> None:
    s3_proxy.stalled_seconds = 20
    stalled: set[str] = set()

    def once(request: Request) -> str | None:
        is_first = not any(r.file == request.file for r in s3_proxy.seen[:-1])
        if is_first and len(stalled) < 2 and kinds(s3_proxy)["data"] == 1:
            stalled.add(request.file)
            return STALL
        return None

    s3_proxy.fault = once
    table = load(seaweed, many, s3_proxy, **{"s3.request-timeout": "1"})
    assert table.scan().to_arrow().num_rows == 1000
    assert stalled


@pytest.mark.parametrize("engine", ["arrow", "rows", "polars", "duckdb"])
def test_a_store_that_fails_in_the_middle_of_a_file_is_no_corrupt_file(
    seaweed: SeaweedFS, lake: Catalog, s3_proxy: Proxy, engine: str
) -> None:
    name = f"ns.halfway_{engine}"
    rows = pa.table({"id": range(100_000), "text": [f"{i:040}" for i in range(100_000)]})
    lake.create_table(name, rows.schema).append(rows)
    table = load(seaweed, name, s3_proxy)
    asked: list[Request] = []

    def later(request: Request) -> int | None:
        if not request.file.endswith(".parquet"):
            return None
        asked.append(request)
        # The end of the file is given, its pages are not.
        return 403 if request.method == "GET" and len([r for r in asked if r.method == "GET"]) > 1 else None

    s3_proxy.fault = later
    with pytest.raises(ProjectorError, match=r"store failed.*ACCESS_DENIED") as caught:
        table.scan().to_arrow(engine=engine)
    assert type(caught.value) is StoreError
    assert (caught.value.file or "").endswith(".parquet")


def test_a_store_that_goes_on_failing_is_named(seaweed: SeaweedFS, many: str, s3_proxy: Proxy) -> None:
    s3_proxy.fault = lambda request: 503
    with pytest.raises(ProjectorError, match=r"Cannot read s3://lake/ns/many/metadata/snap-\S+: ") as caught:
        load(seaweed, many, s3_proxy).scan().plan_files().tasks  # noqa: B018
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert len(s3_proxy.seen) < 60


@pytest.fixture(scope="module")
def copied(seaweed: SeaweedFS, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The conformance tables, copied into a bucket. The files say that they are elsewhere: the tables have moved."""
    folder = tmp_path_factory.mktemp("conformance")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    store = fs.S3FileSystem(
        endpoint_override=seaweed.s3,
        access_key=KEY,
        secret_key=SECRET,
        region="us-east-1",
        allow_delayed_open=True,
    )
    files = [file for case in {e.case for e in CHOSEN} for file in (folder / case).rglob("*") if file.is_file()]

    def copy(file: Path) -> None:
        with store.open_output_stream(f"{BUCKET}/{file.relative_to(folder)}") as copied:
            copied.write(file.read_bytes())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(copy, files))
    return folder


CASES = ("time_travel", "positional", "eq_delete", "dv", "pos_delete", "defaults_nested", "mapping", "drop_partition")


def _chosen() -> list[Expectation]:
    plain = [e for e in binding() if e.query is None and e.file is not None and e.label not in RULINGS]
    chosen: list[Expectation] = []
    for word in CASES:
        chosen += [e for e in plain if word in e.case and e not in chosen][:1]
    return chosen + [e for e in plain if e.case in MOVED_BESIDE and e not in chosen]


CHOSEN = _chosen()


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES.keys())
@pytest.mark.parametrize("expectation", CHOSEN, ids=lambda e: e.label)
def test_conformance_tables_in_the_store(
    seaweed: SeaweedFS, copied: Path, expectation: Expectation, engine: Any
) -> None:
    case, beside = expectation.case, MOVED_BESIDE.get(expectation.case)
    root = f"s3://{BUCKET}/{case}"
    path_map = {f"{WRITTEN_AT}/{case}/{beside}": f"{root}/{beside}"} if beside else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", projector.ProjectorWarning)
        table = projector.load_table(f"{root}/table", properties=seaweed.storage(), path_map=path_map)
        asked = {"ref": expectation.ref} if expectation.ref else {"snapshot_id": expectation.snapshot_id}
        found = engine(table.scan(**asked))
    assert expectation.file is not None
    assert_rows(found, pq.read_table(copied / case / expectation.file))


def test_what_is_not_in_the_store(seaweed: SeaweedFS) -> None:
    with pytest.raises(NotFoundError, match="No such table"):
        projector.load_table(f"s3://{BUCKET}/nothing/here", properties=seaweed.storage())
