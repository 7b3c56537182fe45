"""Test once per process whether the private way of `native` returns the right rows on the installed Polars version.

The test reads three small files of different shapes: a rename, two swapped names, a reused name, a changed order,
promotions, defaults, null structs and lists, children renamed, added, dropped and swapped in a struct and in a list of
structs, row positions, and filters on promoted, added and nested columns.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from decimal import Decimal
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from projector.engines.arrow.scan import scan_batches as scan_arrow
from projector.engines.polars.prepare import PolarsFailedError, polars_batches
from projector.planning.filters.bind import bind
from projector.planning.filters.expressions import Comparison, Op, bound_terms
from projector.planning.scan.metadata_columns import METADATA_FIELDS
from projector.planning.scan.probes import probe
from projector.planning.scan.projected_files import PlanCache, project_file
from projector.planning.scan.request import ScanRequest
from projector.planning.scan.tasks import FileTask
from projector.schema.arrow_schema import arrow_schema
from projector.schema.reserved import FILE, POS
from projector.schema.schema import Schema
from projector.schema.types import (
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    NestedField,
    StringType,
    StructType,
)


@cache
def native_works() -> bool:
    """Return whether the native way returns the same rows as the Arrow executor over files written for this test."""
    with tempfile.TemporaryDirectory(prefix="projector-") as folder:
        files = _write(Path(folder))
        for request in _requests():
            cache = PlanCache(request.wide_schema)
            projected = [project_file(FileTask(str(f), str(f)), cache, request.storage) for f in files]
            expected = _rows(request, scan_arrow(projected, request, 1000))
            try:
                found = _rows(request, polars_batches(projected, request, 1000, lambda *_: True))
            except (PolarsFailedError, ValueError, TypeError, AttributeError, ImportError):
                return False
            if found != expected:
                return False
    return True


def _rows(request: ScanRequest, batches: Iterable[pa.RecordBatch]) -> str:
    """Return the rows in the order of their ids as text, in which NaN equals NaN and 0.0 differs from -0.0."""
    table = pa.Table.from_batches(batches, arrow_schema(request.schema))
    return repr(table.sort_by([("id", "ascending")]).to_pylist())


_OLD_PLACE = StructType((NestedField(11, "x", IntegerType()), NestedField(12, "y", IntegerType())))
_NEW_PLACE = StructType(
    (
        NestedField(12, "x", LongType()),
        NestedField(13, "z", StringType(), initial_default="new"),
        NestedField(11, "y", IntegerType()),
    )
)
_NEW_ITEM = StructType((NestedField(21, "q", LongType()), NestedField(22, "p", StringType())))
_OLD = Schema(
    (
        NestedField(1, "id", IntegerType()),
        NestedField(2, "a", StringType()),
        NestedField(3, "b", StringType()),
        NestedField(4, "f", FloatType()),
        NestedField(5, "d", DecimalType(5, 2)),
        NestedField(6, "place", _OLD_PLACE),
        NestedField(7, "old", ListType(20, StructType((NestedField(21, "p", IntegerType()),)))),
        NestedField(8, "e", IntegerType()),
    )
)
_NEW = Schema(
    (
        NestedField(7, "list", ListType(20, _NEW_ITEM)),
        NestedField(3, "a", StringType()),
        NestedField(2, "b", StringType()),
        NestedField(1, "id", LongType()),
        NestedField(4, "f", DoubleType()),
        NestedField(5, "d", DecimalType(9, 2)),
        NestedField(6, "place", _NEW_PLACE),
        NestedField(9, "e", IntegerType(), initial_default=5),
        NestedField(10, "g", DoubleType()),
    )
)


def _write(folder: Path) -> list[Path]:
    names = [f.name for f in _OLD.fields]
    rows = [
        (1, "a1", "b1", 0.1, Decimal("1.25"), {"x": 1, "y": 2}, [{"p": 1}, None], 1),
        (2, None, "b2", float("nan"), None, None, None, 2),
        (3, "a3", None, None, Decimal("-9.99"), {"x": None, "y": None}, [], None),
    ]
    old = arrow_schema(_OLD)
    first = pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], old)
    fewer = first.drop_columns(["place", "old"]).set_column(0, old.field(0), pa.array([11, 12, 13], pa.int32()))
    new = arrow_schema(_NEW)
    last = pa.Table.from_pylist([{**dict.fromkeys(new.names), "id": 21, "g": -0.0, "place": {"x": 2**40}}], new)
    files = []
    for n, table in enumerate((first, fewer, last)):
        path = folder / f"{n}.parquet"
        pq.write_table(table, path, row_group_size=2)
        files.append(path)
    return files


def _requests() -> list[ScanRequest]:
    plain = ScanRequest(_NEW)
    with_metadata = Schema((*_NEW.fields, METADATA_FIELDS[POS], METADATA_FIELDS[FILE]))
    filters = [
        Comparison(Op.GT, ("f",), 0.1),
        Comparison(Op.EQ, ("place", "x"), 2),
        Comparison(Op.EQ, ("e",), 5),
        Comparison(Op.LT, ("d",), Decimal("0.00")),
    ]
    filtered = []
    for row_filter in filters:
        bound = bind(row_filter, _NEW)
        probes = tuple(probe(_NEW, i) for i in bound_terms(bound))
        filtered.append(ScanRequest(with_metadata, row_filter=bound, probes=probes))
    return [plain, *filtered]
