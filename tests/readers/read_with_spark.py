"""Read with Spark and Iceberg's Java library.

Spark loads a folder: each metadata file gets its own, with a version hint; data and manifests stay where they are.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
from answering import answer_requests

JARS = Path(sys.prefix) / "jars"
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def session() -> Any:
    """Return a local session with the jars that `environments` laid beside it."""
    from pyspark.sql import SparkSession

    jars = os.pathsep.join(map(str, sorted(JARS.glob("*.jar"))))
    builder = SparkSession.builder.master("local[1]").appName("reader")
    for key, value in {
        "spark.driver.extraClassPath": jars,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.memory": "1g",
        "spark.log.level": "OFF",
    }.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def reader(spark: Any, scratch: Path) -> Callable[[dict[str, Any]], pa.Table]:
    """Return the function that answers a request."""

    def read(request: dict[str, Any]) -> pa.Table:
        folder = Path(tempfile.mkdtemp(dir=scratch))
        try:
            (folder / "metadata").mkdir()
            suffix = ".gz.metadata.json" if request["metadata"].endswith(".gz.metadata.json") else ".metadata.json"
            shutil.copyfile(request["metadata"], folder / "metadata" / f"v1{suffix}")
            (folder / "metadata" / "version-hint.text").write_text("1")
            frame = spark.read.format("iceberg").load(str(folder))
            if request.get("where"):
                frame = frame.where(request["where"])
            if request.get("columns"):
                frame = frame.select(*(f"`{name.replace('`', '``')}`" for name in request["columns"]))
            if request.get("count"):
                return pa.table({"count": [frame.count()]})
            return pa.Table.from_batches(frame._collect_as_arrow(), _schema(frame))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return read


def _schema(frame: Any) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(frame.schema)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        answer_requests(reader(session(), Path(scratch)))
