"""Deletes of one store do not reach into another, however alike the keys are."""

from __future__ import annotations

import pytest

from projector.planning.scan.path_index import ByPath


@pytest.mark.parametrize(
    ("named", "asked", "found"),
    [
        ("s3://b/t/1.parquet", "s3://a/t/1.parquet", False),
        ("s3://b/t/1.parquet", "gs://b/t/1.parquet", False),
        ("abfs://c@one/t/1.parquet", "abfs://c@two/t/1.parquet", False),
        ("s3a://a/t/1.parquet", "s3://a/t/1.parquet", True),
        ("hdfs://host:8020/t/1.parquet", "hdfs://ha/t/1.parquet", True),
        ("hdfs://host/t/1.parquet", "/t/1.parquet", True),
        ("file:/t/1.parquet", "/t/1.parquet", True),
        ("/t/1.parquet", "s3://a/t/1.parquet", True),
    ],
)
def test_what_is_meant_for_a_file(named: str, asked: str, found: bool) -> None:
    deletes: ByPath[int] = ByPath()
    deletes.setdefault(named, 1)
    assert deletes.get(asked) == ([1] if found else [])
