"""Credentials that a catalog gives out with a table: used, renewed, and given to nobody.

The catalog is SeaweedFS's; a proxy in front of it adds credentials to its answers, which can be made to expire.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog

import projector
from projector import ProjectorError, UnsupportedError
from projector.catalogs.storage_properties import vended_properties
from projector.files.storage.credentials import ExpiringProperties, expires_at
from tests.catalogs.proxy import Proxy, Request
from tests.catalogs.seaweed import KEY, SECRET, SeaweedFS

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64())})
STALE = {"s3.access-key-id": KEY, "s3.secret-access-key": "no longer valid"}
FRESH = {"s3.access-key-id": KEY, "s3.secret-access-key": SECRET}


@pytest.fixture
def vending(seaweed: SeaweedFS, lake: Catalog, name: str, rest_proxy: Proxy) -> Callable[..., projector.Table]:
    """A table with three rows, loaded through a catalog that gives out these credentials, one after the other."""
    lake.create_table(name, ROWS.schema).append(ROWS)

    def load(*given: dict[str, str], key: str = "config") -> projector.Table:
        left = list(given)
        place = {"s3.endpoint": seaweed.s3, "s3.region": "us-east-1"}

        def rewrite(request: Request, content: bytes) -> bytes:
            if request.method != "GET" or "/tables/" not in request.file:
                return content
            answer = json.loads(content)
            settings = left.pop(0) if len(left) > 1 else left[0]
            if key == "config":
                answer["config"] = {**place, **settings}
            else:
                answer["config"] = {**place, **STALE}
                answer[key] = [
                    {"prefix": "s3", "config": STALE},
                    {"prefix": answer["metadata"]["location"], "config": settings},
                    {"prefix": "s3://another/place", "config": STALE},
                ]
            return json.dumps(answer).encode()

        rest_proxy.rewrite = rewrite
        catalog = {k: v for k, v in seaweed.catalog(rest=rest_proxy.url).items() if not k.startswith("s3.")}
        return projector.load_table(name, catalog="lake", catalog_properties=catalog)

    return load


def loads(proxy: Proxy) -> int:
    return sum(request.method == "GET" and "/tables/" in request.file for request in proxy.seen)


@pytest.mark.parametrize("key", ["config", "storage-credentials"])
@pytest.mark.parametrize("engine", ["rows", "arrow", "polars", "duckdb"])
def test_they_are_used(vending: Any, rest_proxy: Proxy, engine: str, key: str) -> None:
    scan = vending(FRESH, key=key).scan()
    assert scan.to_arrow(engine=engine)["id"].to_pylist() == [1, 2, 3]
    assert loads(rest_proxy) == 1


@pytest.mark.parametrize("engine", ["arrow", "polars", "duckdb"])
def test_they_are_renewed_before_they_expire(vending: Any, rest_proxy: Proxy, engine: str) -> None:
    soon = {**STALE, "s3.session-token-expires-at-ms": str(int(time.time() * 1000) + 10)}
    later = {**FRESH, "s3.session-token-expires-at-ms": str(int(time.time() * 1000) + 3_600_000)}
    scan = vending(soon, later).scan()
    time.sleep(0.02)
    assert scan.to_arrow(engine=engine)["id"].to_pylist() == [1, 2, 3]
    assert scan.count() == 3
    assert loads(rest_proxy) == 2


def test_they_are_renewed_where_the_store_refuses_them(vending: Any, rest_proxy: Proxy) -> None:
    scan = vending(STALE, FRESH).scan()
    assert scan.to_arrow()["id"].to_pylist() == [1, 2, 3]
    assert loads(rest_proxy) == 2


def test_those_that_stay_refused_are_an_error_that_does_not_show_them(vending: Any) -> None:
    with pytest.raises(ProjectorError, match=r"Cannot read s3://lake/ns/") as caught:
        vending(STALE).scan().to_arrow()
    assert STALE["s3.secret-access-key"] not in str(caught.value)


def test_what_a_user_gives_goes_before_them(
    seaweed: SeaweedFS, lake: Catalog, name: str, vending: Any, rest_proxy: Proxy
) -> None:
    vending(STALE)
    catalog = {k: v for k, v in seaweed.catalog(rest=rest_proxy.url).items() if not k.startswith("s3.")}
    table = projector.load_table(name, catalog="lake", catalog_properties=catalog, properties=FRESH)
    assert table.scan().to_polars().height == 3


def test_a_table_cannot_send_credentials_elsewhere(seaweed: SeaweedFS, lake: Catalog, name: str) -> None:
    """pyiceberg takes a table's own properties for settings of the store."""
    theirs = lake.create_table(name, ROWS.schema)
    theirs.append(ROWS)
    with theirs.transaction() as transaction:
        transaction.set_properties({"s3.endpoint": "http://127.0.0.1:1", "s3.proxy-uri": "http://127.0.0.1:1"})
    by_name = projector.load_table(name, catalog="lake", catalog_properties=seaweed.catalog())
    assert by_name.scan().to_arrow().num_rows == 3
    handed_over = projector.load_table(lake.load_table(name))
    assert handed_over.scan().to_arrow().num_rows == 3


def test_remote_signing_is_refused_by_name() -> None:
    answer = {"config": {"s3.remote-signing-enabled": "true", "s3.endpoint": "http://x"}}
    with pytest.raises(UnsupportedError, match="signs requests to s3://b/t itself"):
        vended_properties(answer, "s3://b/t")


def test_the_longest_prefix_counts() -> None:
    listed = [
        {"prefix": "s3://b/t/data", "config": {"s3.session-token": "no"}},
        {"prefix": "s3://b/", "config": {"s3.session-token": "short"}},
        {"prefix": "s3a://b/t", "config": {"s3.session-token": "long", "other": "left"}},
    ]
    found = vended_properties({"config": {"s3.region": "r"}, "storage-credentials": listed}, "s3://b/t")
    assert found == {"s3.region": "r", "s3.session-token": "long"}


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("s3.session-token-expires-at-ms", True),
        ("gcs.oauth2.token-expires-at", True),
        ("adls.sas-token-expires-at-ms.account", True),
        ("expiration-time", True),
        ("s3.connect-timeout", False),
    ],
)
def test_names_of_expiry(name: str, counts: bool) -> None:
    assert expires_at({name: "90000"}) == (90.0 if counts else None)


def test_properties_are_renewed_by_the_clock() -> None:
    now = 1000.0
    given = iter(range(1, 100))

    def renewed() -> dict[str, str]:
        return {"s3.session-token": f"t{next(given)}", "s3.session-token-expires-at-ms": str(int(now + 3600) * 1000)}

    properties = ExpiringProperties(
        {"s3.session-token": "t0", "s3.session-token-expires-at-ms": str(2000 * 1000)}, renewed, lambda: now
    )
    assert properties["s3.session-token"] == "t0"
    now = 1799.0
    assert properties["s3.session-token"] == "t0"
    now = 1801.0  # a fifth of the 1000 seconds is left
    assert properties["s3.session-token"] == "t1"
    now = 1801.0 + 3299
    assert properties["s3.session-token"] == "t1"
    now = 1801.0 + 3301  # five minutes are left
    assert properties["s3.session-token"] == "t2"
    assert "t2" not in repr(properties)
