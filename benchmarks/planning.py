"""Plan a scan of 20,000 files with statistics of 20 columns, with and without a filter, beside pyiceberg.

Run it from the checkout as `python -m benchmarks.planning [--files N] [--columns N] [--runs N]`. No data file is there:
planning opens none. Prints one JSON document; times are seconds, the median of interleaved runs, each of which loads
the table's metadata anew.
"""

from __future__ import annotations

import argparse
import io
import json
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
from pyiceberg.table import StaticTable

import projector
from sample_data.table_writer import MANIFEST_FILE, Json, avro, manifest_entry, optional

FILES_IN_A_MANIFEST = 1000
ROWS_IN_A_FILE = 1_000_000

SUMMARY = {
    "type": "record",
    "name": "r508",
    "fields": [
        avro("contains_null", 509, "boolean"),
        avro("contains_nan", 518, optional("boolean")),
        avro("lower_bound", 510, optional("bytes")),
        avro("upper_bound", 511, optional("bytes")),
    ],
}
WITH_SUMMARIES = {
    **MANIFEST_FILE,
    "fields": [
        *MANIFEST_FILE["fields"],
        avro("partitions", 507, optional({"type": "array", "items": SUMMARY, "element-id": 508})),
    ],
}


def eight(number: int) -> bytes:
    return number.to_bytes(8, "little", signed=True)


def write_avro(path: Path, schema: Any, records: list[Json], header: dict[str, str]) -> int:
    out = io.BytesIO()
    fastavro.writer(out, schema, records, codec="deflate", metadata=header)
    path.write_bytes(out.getvalue())
    return len(out.getvalue())


def entry(file: int, columns: int) -> Json:
    """A file of the day `file // 1000`; column 2 is sorted over the table, the others are not."""
    ids = range(1, columns + 1)
    first = {1: file // FILES_IN_A_MANIFEST, 2: file * 10}
    low = [{"key": i, "value": eight(first.get(i, file * i % 997))} for i in ids]
    high = [{"key": i, "value": eight(first.get(i, file * i % 997 + 1000) + (9 if i == 2 else 0))} for i in ids]
    data_file = {
        "content": 0,
        "file_path": f"file:///warehouse/t/data/part-{file:06}-0123456789abcdef.parquet",
        "file_format": "PARQUET",
        "partition": {"c1": file // FILES_IN_A_MANIFEST},
        "record_count": ROWS_IN_A_FILE,
        "file_size_in_bytes": 100_000_000,
        "value_counts": [{"key": i, "value": ROWS_IN_A_FILE} for i in ids],
        "null_value_counts": [{"key": i, "value": 0} for i in ids],
        "lower_bounds": low,
        "upper_bounds": high,
        "first_row_id": None,
    }
    return {"status": 1, "snapshot_id": 1, "data_file": data_file}


def write_table(folder: Path, files: int, columns: int) -> str:
    """A table partitioned by c1, one manifest for each of its values; returns its metadata file."""
    schema = {
        "type": "struct",
        "schema-id": 0,
        "fields": [{"id": i, "name": f"c{i}", "required": False, "type": "long"} for i in range(1, columns + 1)],
    }
    spec = [{"source-id": 1, "field-id": 1000, "name": "c1", "transform": "identity"}]
    avro_schema = manifest_entry([avro("c1", 1000, optional("long"))])
    header = {
        "schema": json.dumps(schema), "schema-id": "0", "partition-spec": json.dumps(spec), "partition-spec-id": "0",
        "format-version": "2", "content": "data",
    }  # fmt: skip
    manifests = []
    for start in range(0, files, FILES_IN_A_MANIFEST):
        path = folder / f"m{start:06}.avro"
        entries = [entry(file, columns) for file in range(start, min(files, start + FILES_IN_A_MANIFEST))]
        bound = eight(start // FILES_IN_A_MANIFEST)
        manifests.append(
            {
                "manifest_path": str(path),
                "manifest_length": write_avro(path, avro_schema, entries, header),
                "partition_spec_id": 0,
                "content": 0,
                "sequence_number": 1,
                "min_sequence_number": 1,
                "added_snapshot_id": 1,
                "added_files_count": len(entries),
                "existing_files_count": 0,
                "deleted_files_count": 0,
                "added_rows_count": len(entries) * ROWS_IN_A_FILE,
                "existing_rows_count": 0,
                "deleted_rows_count": 0,
                "first_row_id": None,
                "partitions": [
                    {"contains_null": False, "contains_nan": None, "lower_bound": bound, "upper_bound": bound}
                ],
            }
        )
    write_avro(folder / "snap.avro", WITH_SUMMARIES, manifests, {"format-version": "2"})
    snapshot = {
        "snapshot-id": 1, "sequence-number": 1, "timestamp-ms": 1000, "manifest-list": str(folder / "snap.avro"),
        "summary": {"operation": "append"}, "schema-id": 0,
    }  # fmt: skip
    metadata = {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": str(folder),
        "last-sequence-number": 1,
        "last-updated-ms": 1000,
        "last-column-id": columns,
        "current-schema-id": 0,
        "schemas": [schema],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": spec}],
        "last-partition-id": 1000,
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": {},
        "current-snapshot-id": 1,
        "refs": {"main": {"snapshot-id": 1, "type": "branch"}},
        "snapshots": [snapshot],
    }
    path = folder / "v1.metadata.json"
    path.write_text(json.dumps(metadata))
    return str(path)


def ours(metadata_file: str, row_filter: str | None) -> int:
    return sum(1 for _ in projector.load_table(metadata_file).scan(row_filter).plan_files())


def pyicebergs(metadata_file: str, row_filter: str | None) -> int:
    table = StaticTable.from_metadata(metadata_file)
    return sum(1 for _ in (table.scan(row_filter) if row_filter else table.scan()).plan_files())


def seconds(plan: Callable[[str, str | None], int], metadata_file: str, row_filter: str | None) -> tuple[float, int]:
    start = time.perf_counter()
    files = plan(metadata_file, row_filter)
    return time.perf_counter() - start, files


def peak_memory(metadata_file: str, row_filter: str | None) -> int:
    tracemalloc.start()
    plan = projector.load_table(metadata_file).scan(row_filter).plan_files()
    for _ in plan:
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--files", type=int, default=20_000)
    options.add_argument("--columns", type=int, default=20)
    options.add_argument("--runs", type=int, default=3)
    given = options.parse_args()
    filters = {
        "none": None,
        "one file by its bounds": f"c2 = {given.files * 5}",
        "one manifest by its partition": f"c1 = {given.files // FILES_IN_A_MANIFEST // 2}",
        "no file": "c2 < 0",
    }
    with tempfile.TemporaryDirectory() as folder:
        metadata_file = write_table(Path(folder), given.files, given.columns)
        found = []
        for name, row_filter in filters.items():
            runs: dict[str, list[float]] = {"projector": [], "pyiceberg": []}
            files = -1
            for _ in range(given.runs):
                took, files = seconds(ours, metadata_file, row_filter)
                runs["projector"].append(took)
                took, theirs = seconds(pyicebergs, metadata_file, row_filter)
                runs["pyiceberg"].append(took)
                assert files == theirs, (name, files, theirs)
            times = {who: round(statistics.median(each), 4) for who, each in runs.items()}
            memory = peak_memory(metadata_file, row_filter)
            found.append({"filter": name, "files_kept": files, **times, "projector_peak_bytes": memory})
    print(
        json.dumps({"scenario": "planning", "files": given.files, "columns": given.columns, "results": found}, indent=1)
    )


if __name__ == "__main__":
    main()
