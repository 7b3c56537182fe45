"""DuckDB's own reader of S3, where its extension is installed, and Arrow where it is not."""

from __future__ import annotations

import duckdb
import pyarrow as pa
from pyiceberg.catalog import Catalog

import projector
from projector.engines.duckdb.secrets import paths_on
from projector.files.storage.credentials import ExpiringProperties
from tests.catalogs.proxy import Proxy
from tests.catalogs.seaweed import SECRET, SeaweedFS

ROWS = pa.table({"id": pa.array(range(100), pa.int64())})


def has_httpfs() -> bool:
    query = "SELECT installed OR loaded FROM duckdb_extensions() WHERE extension_name = 'httpfs'"
    return duckdb.connect().execute(query).fetchone() == (True,)


def test_a_view_of_a_table_on_s3(seaweed: SeaweedFS, lake: Catalog, name: str, s3_proxy: Proxy) -> None:
    lake.create_table(name, ROWS.schema).append(ROWS)
    settings = seaweed.catalog(s3=s3_proxy.url)
    connection = projector.load_table(name, catalog="lake", catalog_properties=settings).scan().to_duckdb("t")
    assert connection.sql("SELECT count(*), sum(id) FROM t WHERE id >= 50").fetchall() == [(50, 3725)]
    agents = {r.headers.get("user-agent", "") for r in s3_proxy.seen if r.file.endswith(".parquet")}
    assert any("duckdb" in agent for agent in agents) is has_httpfs()
    secrets = connection.sql("SELECT * FROM duckdb_secrets()").fetchall()
    assert len(secrets) == (1 if has_httpfs() else 0)
    assert SECRET not in str(secrets)


def test_only_files_that_it_reads_for_sure_get_a_path(seaweed: SeaweedFS) -> None:
    connection = duckdb.connect()
    path = paths_on(connection, seaweed.storage())
    there = "s3://lake/ns/t/data/a.parquet"
    assert path(there) == (there if has_httpfs() else None)
    assert path("s3://lake/ns/t/data/a*.parquet") is None
    assert path("s3://lake/ns/t/data/a%20b.parquet") is None
    assert path("gs://lake/a.parquet") is None
    assert path("/local/a.parquet") == "/local/a.parquet"
    assert paths_on(connection, {})(there) is None
    assert paths_on(connection, seaweed.storage(), local_only=True)(there) is None
    renewed = ExpiringProperties(seaweed.storage(), seaweed.storage)
    assert paths_on(connection, renewed)(there) is None
