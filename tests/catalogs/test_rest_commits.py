"""Commits through a real REST catalog: raced, unanswered, answered by half, and while it is killed and started."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog

import projector
from projector import CommitConflictError, CommitUnknownError, ProjectorError, Transaction, UpdateSchema
from projector.errors import SchemaUpdateError
from tests.catalogs.proxy import CUT_ANSWER, DROP_ANSWER, DROP_REQUEST, Proxy, Request
from tests.catalogs.seaweed import SeaweedFS

COLUMNS = pa.schema([("id", pa.int32()), ("name", pa.string())])
CHANGES_EACH = 20


def load(seaweed: SeaweedFS, name: str, proxy: Proxy | None = None) -> projector.Table:
    settings = seaweed.catalog(rest=proxy.url if proxy else None)
    return projector.load_table(name, catalog="lake", catalog_properties=settings)


def is_commit(request: Request, name: str) -> bool:
    return request.method == "POST" and request.file.endswith(f"/tables/{name.split('.')[1]}")


def fail_commits(proxy: Proxy, name: str, *faults: int | str | None) -> None:
    """Let the first commits of a table go wrong, one after the other."""
    left = list(faults)

    def fault(request: Request) -> int | str | None:
        return left.pop(0) if left and is_commit(request, name) else None

    proxy.fault = fault


def commits(proxy: Proxy, name: str) -> int:
    return sum(is_commit(request, name) for request in proxy.seen)


def names_and_ids(lake: Catalog, name: str) -> list[tuple[str, int]]:
    return [(field.name, field.field_id) for field in lake.load_table(name).schema().fields]


def add_columns(seaweed: SeaweedFS, name: str, who: str, count: int) -> None:
    table = load(seaweed, name)  # every commit starts from what this client once saw
    for n in range(count):
        table.commit(UpdateSchema().add_column(f"{who}{n}", "int"))


def test_two_clients_racing_lose_nothing(seaweed: SeaweedFS, lake: Catalog, name: str) -> None:
    lake.create_table(name, COLUMNS)
    with ThreadPoolExecutor(2) as pool:
        racing = [pool.submit(add_columns, seaweed, name, who, CHANGES_EACH) for who in ("a", "b")]
        for racer in racing:
            racer.result()
    found = names_and_ids(lake, name)
    wanted = {"id", "name"} | {f"{who}{n}" for who in ("a", "b") for n in range(CHANGES_EACH)}
    assert {column for column, _ in found} == wanted
    assert sorted(i for _, i in found) == list(range(1, 2 * CHANGES_EACH + 3))
    assert lake.load_table(name).metadata.last_column_id == 2 * CHANGES_EACH + 2


@pytest.mark.parametrize("fault", [DROP_ANSWER, CUT_ANSWER, 500, 502, 503, 504])
def test_an_answer_that_is_lost_is_looked_for(
    seaweed: SeaweedFS, lake: Catalog, name: str, rest_proxy: Proxy, fault: int | str
) -> None:
    lake.create_table(name, COLUMNS)
    fail_commits(rest_proxy, name, fault)
    committed = load(seaweed, name, rest_proxy).commit(UpdateSchema().add_column("note", "string", doc="d"))
    was_done = fault in (DROP_ANSWER, CUT_ANSWER)
    assert commits(rest_proxy, name) == (1 if was_done else 2)
    assert names_and_ids(lake, name) == [("id", 1), ("name", 2), ("note", 3)]
    assert committed.commit.changed
    assert committed.commit.schema.find_field("note").field_id == 3
    assert committed.metadata_file == lake.load_table(name).metadata_location


def test_a_request_that_never_arrived_is_made_again(
    seaweed: SeaweedFS, lake: Catalog, name: str, rest_proxy: Proxy
) -> None:
    lake.create_table(name, COLUMNS)
    fail_commits(rest_proxy, name, DROP_REQUEST, DROP_REQUEST)
    load(seaweed, name, rest_proxy).commit(UpdateSchema().rename_column("name", "title"))
    assert commits(rest_proxy, name) == 3
    assert names_and_ids(lake, name) == [("id", 1), ("title", 2)]


def test_a_lost_answer_is_found_behind_the_changes_of_others(
    seaweed: SeaweedFS, lake: Catalog, name: str, rest_proxy: Proxy
) -> None:
    """The rename went through and its answer was lost; then another writer has changed the schema again."""
    lake.create_table(name, COLUMNS)
    fail_commits(rest_proxy, name, DROP_ANSWER)
    lost = rest_proxy.fault

    def fault(request: Request) -> int | str | None:
        if request.method == "GET" and commits(rest_proxy, name) == 1 and len(names_and_ids(lake, name)) == 2:
            load(seaweed, name).commit(UpdateSchema().add_column("other", "int"))
        return lost(request)

    rest_proxy.fault = fault
    load(seaweed, name, rest_proxy).commit(UpdateSchema().rename_column("name", "title"))
    assert commits(rest_proxy, name) == 1
    assert names_and_ids(lake, name) == [("id", 1), ("title", 2), ("other", 3)]


def test_a_lost_answer_of_a_transaction(seaweed: SeaweedFS, lake: Catalog, name: str, rest_proxy: Proxy) -> None:
    lake.create_table(name, COLUMNS)
    fail_commits(rest_proxy, name, DROP_ANSWER)
    transaction = Transaction()
    transaction.update_schema().add_column("day", "date")
    transaction.update_spec().add_field("day", "month")
    transaction.set_properties(owner="ours")
    load(seaweed, name, rest_proxy).commit(transaction)
    assert commits(rest_proxy, name) == 1
    theirs = lake.load_table(name)
    assert (theirs.properties["owner"], len(theirs.spec().fields), len(theirs.schema().fields)) == ("ours", 1, 3)
    fail_commits(rest_proxy, name, DROP_ANSWER)
    load(seaweed, name, rest_proxy).commit(Transaction().set_properties(owner="theirs"))
    assert commits(rest_proxy, name) == 2
    assert lake.load_table(name).properties["owner"] == "theirs"


def test_two_that_add_one_column_while_answers_are_lost(
    seaweed: SeaweedFS, lake: Catalog, name: str, rest_proxy: Proxy
) -> None:
    lake.create_table(name, COLUMNS)
    rest_proxy.fault = lambda r: DROP_ANSWER if is_commit(r, name) and len(rest_proxy.seen) % 2 else None
    tables = [load(seaweed, name, rest_proxy) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(t.commit, UpdateSchema().add_column("note", "string")) for t in tables]
    failed = [error for done in both if (error := done.exception()) is not None]
    # One that comes when the other is done is told so; one that meets it on the way finds its column there.
    assert len(failed) < 2
    assert all(isinstance(e, SchemaUpdateError) and "name already exists: note" in str(e) for e in failed)
    assert names_and_ids(lake, name) == [("id", 1), ("name", 2), ("note", 3)]


def test_what_no_longer_applies_is_said(seaweed: SeaweedFS, lake: Catalog, name: str, rest_proxy: Proxy) -> None:
    lake.create_table(name, COLUMNS)

    def fault(request: Request) -> int | str | None:
        if is_commit(request, name) and commits(rest_proxy, name) == 1:
            load(seaweed, name).commit(UpdateSchema().delete_column("name"))
        return None

    rest_proxy.fault = fault
    with pytest.raises(CommitConflictError, match=r"another writer has changed the table.*name"):
        load(seaweed, name, rest_proxy).commit(UpdateSchema().rename_column("name", "title"))
    assert names_and_ids(lake, name) == [("id", 1)]


def test_a_catalog_that_never_answers_commits_leaves_the_outcome_unknown(
    seaweed: SeaweedFS, lake: Catalog, name: str, rest_proxy: Proxy
) -> None:
    lake.create_table(name, COLUMNS)
    fail_commits(rest_proxy, name, *[500] * 20)
    with pytest.raises(CommitUnknownError, match=r"without an answer.*3 columns whose highest field id is 3") as caught:
        load(seaweed, name, rest_proxy).commit(UpdateSchema().add_column("note", "string"))
    assert "\n" not in str(caught.value)
    assert commits(rest_proxy, name) == 4


@pytest.mark.parametrize("status", [400, 403, 422])
def test_a_refusal_is_final(seaweed: SeaweedFS, lake: Catalog, name: str, rest_proxy: Proxy, status: int) -> None:
    lake.create_table(name, COLUMNS)
    fail_commits(rest_proxy, name, status)
    with pytest.raises(ProjectorError, match=f"rejected the commit.*HTTP {status}"):
        load(seaweed, name, rest_proxy).commit(UpdateSchema().add_column("note", "string"))
    assert commits(rest_proxy, name) == 1


def test_a_token_that_has_expired_is_renewed(seaweed: SeaweedFS, lake: Catalog, name: str, rest_proxy: Proxy) -> None:
    lake.create_table(name, COLUMNS)
    fail_commits(rest_proxy, name, 401)
    load(seaweed, name, rest_proxy).commit(UpdateSchema().add_column("note", "string"))
    assert names_and_ids(lake, name)[2:] == [("note", 3)]


@pytest.fixture
def own_seaweed(tmp_path: Path) -> Iterator[SeaweedFS]:
    server = SeaweedFS(tmp_path)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def test_the_server_is_killed_and_started_again(own_seaweed: SeaweedFS) -> None:
    catalog = load_catalog("lake", **own_seaweed.catalog())
    catalog.create_table("ns.t", COLUMNS)
    table = load(own_seaweed, "ns.t")
    failed: list[BaseException] = []
    under_way = threading.Event()

    def write() -> None:
        try:
            for n in range(30):
                table.commit(UpdateSchema().add_column(f"c{n}", "int"))
                if n == 5:
                    under_way.set()
        except BaseException as error:
            failed.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    assert under_way.wait(30)
    own_seaweed.kill()
    assert len(failed) == 0
    own_seaweed.start()
    writer.join(60)
    assert not failed
    assert names_and_ids(catalog, "ns.t")[2:] == [(f"c{n}", n + 3) for n in range(30)]
