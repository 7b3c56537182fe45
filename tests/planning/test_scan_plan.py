"""From a snapshot to file tasks: what is opened, what is skipped, and what a plan says of it."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow.parquet as pq
import pytest

import projector
from projector.errors import CorruptFileError, InvalidMetadataError, ParseError, UnsupportedError
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    UUIDType,
)
from tests.planning.opens import Opens
from tests.planning.tables import TableBuilder

ID = NestedField(1, "id", IntegerType())
ONE = Schema((ID,))
BY_TENS = [(1, 1000, "part", "truncate[10]")]


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> Opens:
    return Opens(monkeypatch)


def numbers(count: int, start: int = 0) -> list[dict[str, Any]]:
    return [{"id": n} for n in range(start, start + count)]


@pytest.fixture
def by_tens(tmp_path: Path) -> TableBuilder:
    """Ten manifests with one file of ten rows each."""
    table = TableBuilder(tmp_path, ONE, 2, BY_TENS)
    for start in range(0, 100, 10):
        table.append(numbers(10, start), partition={"part": start})
    return table


def test_manifests_are_skipped_before_they_are_opened(by_tens: TableBuilder, opens: Opens) -> None:
    loaded = by_tens.load()
    opens.paths.clear()
    plan = loaded.scan("id >= 42 and id < 47").plan_files()
    assert opens.paths == []  # nothing is opened until something is asked for
    assert [task.record_count for task in plan] == [10]
    assert opens.count(".avro") == 2  # the manifest list, and one manifest
    assert opens.count(".parquet") == 0
    assert len(plan.manifests) == 1
    assert len(plan.skipped_manifests) == 9
    assert {skipped.reason for skipped in plan.skipped_manifests} == {"its partitions hold no row of the filter"}
    assert (plan.records_to_read, plan.records_expected) == (10, 5)


def test_a_filter_that_is_never_true_opens_no_manifest(by_tens: TableBuilder, opens: Opens) -> None:
    loaded = by_tens.load()
    opens.paths.clear()
    scan = loaded.scan("id = NULL")
    assert scan.count() == 0
    assert opens.count(".avro") == 1
    assert {skipped.reason for skipped in scan.plan_files().skipped_manifests} == {"no row passes the filter"}


def test_files_are_planned_as_they_are_asked_for(by_tens: TableBuilder, opens: Opens) -> None:
    loaded = by_tens.load()
    opens.paths.clear()
    plan = loaded.scan().plan_files()
    first = next(iter(plan))
    assert first.record_count == 10
    assert opens.count(".avro") == 2
    assert len(plan.tasks) == 10
    opened = len(opens.paths)
    assert [task.file for task in plan] == [task.file for task in plan.tasks]
    assert len(opens.paths) == opened  # planned once


def test_what_is_skipped_is_counted(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2)
    table.append(*(numbers(10, start) for start in range(0, 100, 10)))
    plan = table.load().scan("id = 42").plan_files()
    (total,) = plan.skipped
    assert (total.reason, total.files, total.records) == ("its column bounds hold no row of the filter", 9, 90)


def test_memory_follows_the_files_that_are_kept(tmp_path: Path) -> None:
    """Ten times as many skipped files take no more memory."""
    peaks = []
    for files in (300, 3000):
        table = TableBuilder(tmp_path / str(files), ONE, 2)
        record = table.data_file(numbers(1))["data_file"]
        table.commit(0, [{"status": 1, "data_file": {**record, "file_path": f"/f/{i}.parquet"}} for i in range(files)])
        scan = table.load().scan("id = 7")
        assert scan.plan_files().tasks == ()  # imports and caches
        tracemalloc.start()
        plan = scan.plan_files()
        assert plan.tasks == ()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert plan.skipped[0].files == files
    assert peaks[1] < 2 * peaks[0]


def test_a_plan_that_broke_off_is_not_taken_for_a_whole_one(by_tens: TableBuilder) -> None:
    manifest = Path(by_tens.manifests[5]["manifest_path"])
    manifest.write_bytes(manifest.read_bytes()[:-40])
    plan = by_tens.load().scan().plan_files()
    for _ in range(2):
        with pytest.raises(CorruptFileError, match=manifest.name):
            _ = plan.tasks
        with pytest.raises(CorruptFileError, match=manifest.name):
            list(plan)


def test_files_of_other_formats_are_refused_before_a_row_is_read(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2)
    table.append(numbers(2))
    table.append(numbers(2), change={"file_format": "ORC"})
    with pytest.raises(UnsupportedError, match="Data files in ORC are not read"):
        next(table.load().scan().to_arrow_batch_reader())


def test_a_manifest_of_an_unknown_spec_is_refused(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2)
    table.append(numbers(2))
    table.manifests.clear()
    table.commit(0, [table.data_file(numbers(1))], partition_spec_id=7)
    with pytest.raises(InvalidMetadataError, match="partition spec 7, which the table does not have"):
        _ = table.load().scan().plan_files().tasks


# -------------------------------------------------------------------------------------------------- specs that evolve


def kept(table: TableBuilder, row_filter: str, **change: Any) -> tuple[int, int]:
    """Files that are planned for a filter, and rows found in them; the same by all engines."""
    scan = table.load(**change).scan(row_filter)
    rows = scan.to_arrow().to_pylist()
    assert rows == scan.to_arrow("rows").to_pylist()
    assert scan.count() == len(rows)
    return len(scan.plan_files().tasks), len(rows)


def test_files_older_than_a_partition_field_are_filtered_row_by_row(tmp_path: Path) -> None:
    schema = Schema((ID, NestedField(2, "p", StringType())))
    table = TableBuilder(tmp_path, schema, 2)
    table.append([{"id": 1, "p": "a"}, {"id": 2, "p": "b"}])
    table.partition_by((2, 1000, "p", "identity"))
    table.append([{"id": 3, "p": "a"}], partition={"p": "a"})
    table.append([{"id": 4, "p": "b"}], partition={"p": "b"})
    assert kept(table, "p = 'a'") == (2, 2)
    assert kept(table, "p = 'c'") == (0, 0)


def test_hour_then_day_on_one_column_whatever_type_the_manifest_gives_days(tmp_path: Path) -> None:
    hour = 3_600_000_000
    schema = Schema((NestedField(1, "t", TimestampType()),))
    table = TableBuilder(tmp_path, schema, 2, [(1, 1000, "t_hour", "hour")])
    table.append([{"t": 30 * hour}], partition={"t_hour": 30}, bounds=False)
    table.partition_by((1, 1001, "t_day", "day"))
    table.append([{"t": 49 * hour}], partition={"t_day": 2}, bounds=False)  # stored as a date
    header = table.partition_types
    table.partition_types = lambda spec_id: [IntegerType()] if spec_id == 1 else header(spec_id)  # type: ignore[method-assign]
    table.append([{"t": 73 * hour}], partition={"t_day": 3}, bounds=False)  # stored as an int
    assert kept(table, "t < timestamp '1970-01-02 12:00:00'") == (1, 1)
    assert kept(table, "t >= timestamp '1970-01-03 00:00:00' and t < timestamp '1970-01-04 00:00:00'") == (1, 1)
    assert kept(table, "t > timestamp '1970-01-04 00:00:00'") == (1, 1)


def test_a_source_column_that_was_dropped_says_nothing(tmp_path: Path) -> None:
    schema = Schema((ID, NestedField(2, "p", StringType())))
    table = TableBuilder(tmp_path, schema, 2, [(2, 1000, "p", "identity"), (2, 1001, "p_bucket", "bucket[4]")])
    table.append([{"id": 1, "p": "a"}], partition={"p": "a", "p_bucket": 0})
    table.partition_by()
    table.evolve(ONE)
    table.append([{"id": 2}])
    assert kept(table, "id = 1") == (1, 1)
    assert kept(table, "id > 0") == (2, 2)
    table.evolve(Schema((ID, NestedField(3, "p", StringType()))))  # the name comes back, with another id
    table.append([{"id": 3, "p": "a"}])
    assert kept(table, "p = 'a'")[1] == 1
    assert kept(table, "p is null")[1] == 2
    fields = table.load().scan(selected_fields=("id", "_partition")).to_arrow().to_pylist()
    assert [row["_partition"]["p"] for row in fields] == ["a", None, None]


def test_void_is_no_value(tmp_path: Path) -> None:
    schema = Schema((ID, NestedField(2, "p", StringType())))
    table = TableBuilder(tmp_path, schema, 2, [(2, 1000, "p", "identity")])
    table.append([{"id": 1, "p": "a"}], partition={"p": "a"})
    table.partition_by((2, 1000, "p", "void"))
    table.append([{"id": 2, "p": "b"}, {"id": 3, "p": None}], partition={"p": None})
    assert kept(table, "p = 'b'") == (1, 1)
    assert kept(table, "p is null") == (1, 1)
    rows = table.load().scan(selected_fields=("p", "_partition")).to_arrow().to_pylist()
    assert [(r["p"], r["_partition"]["p"]) for r in rows] == [("a", "a"), ("b", None), (None, None)]


@pytest.mark.parametrize(
    ("kind", "values", "row_filter"),
    [
        (DateType(), [20000, -1], "p = date '1969-12-31'"),
        (TimestampType(), [10**15, -1], "p = timestamp '1969-12-31 23:59:59.999999'"),
        (DecimalType(9, 2), None, "p = 1.10"),
        (LongType(), [2**40, -5], "p = -5"),
        (DoubleType(), [1.5, -0.0], "p = 0"),
        (DoubleType(), [1.5, 0.0], "p in (0, 1)"),
        (StringType(), ["x", "a"], "p = 'a'"),
        (UUIDType(), [UUID(int=1), UUID(int=2**127)], f"p = '{UUID(int=2**127)}'"),
        (FixedType(2), [b"ab", b"\xff\x00"], "p = X'ff00'"),
        (BinaryType(), [b"ab", b""], "p = X''"),
    ],
)
def test_identity_values_that_files_lack(tmp_path: Path, kind: Any, values: Any, row_filter: str) -> None:
    from decimal import Decimal

    from projector.engines.plain_rows import to_plain_rows
    from tests.engines.reading import written

    values = values or [Decimal("9.99"), Decimal("1.10")]
    schema = Schema((ID, NestedField(2, "p", kind)))
    table = TableBuilder(tmp_path, schema, 2, [(2, 1000, "p", "identity")])
    for n, value in enumerate([*values, None]):
        table.append([{"id": n}], partition={"p": value}, content=written([{"id": n}], ONE), bounds=False)
    scan = table.load().scan()
    assert [row["p"] for row in to_plain_rows(scan.to_arrow(), schema)] == [*values, None]
    assert kept(table, row_filter) == (1, 1)
    assert kept(table, "p is null") == (1, 1)
    assert kept(table, f"not ({row_filter})") == (1, 1)


def test_a_date_in_a_partition_that_was_promoted(tmp_path: Path) -> None:
    schema = Schema((ID, NestedField(2, "p", DateType())))
    table = TableBuilder(tmp_path, schema, 3, [(2, 1000, "p", "identity")])
    from tests.engines.reading import written

    table.append([{"id": 1}], partition={"p": 1}, content=written([{"id": 1}], ONE), bounds=False)
    table.evolve(Schema((ID, NestedField(2, "p", TimestampType()))))
    day = 86_400_000_000
    table.append([{"id": 2, "p": 2 * day}], partition={"p": 2 * day})
    assert kept(table, "p = timestamp '1970-01-02 00:00:00'") == (1, 1)
    assert kept(table, "p > timestamp '1970-01-02 00:00:00'") == (1, 1)
    rows = table.load().scan(selected_fields=("_partition",)).to_arrow().column(0)
    assert [value["p"].value for value in rows] == [day, 2 * day]


# ------------------------------------------------------------------------------------------------------------- bounds


def test_bounds_that_cannot_be_are_not_used(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2)
    record = table.data_file(numbers(3, 5))
    file = record["data_file"]
    file["lower_bounds"], file["upper_bounds"] = file["upper_bounds"], file["lower_bounds"]
    table.commit(0, [record])
    assert kept(table, "id = 6") == (1, 1)
    assert kept(table, "id > 100") == (1, 0)


def test_counts_that_are_missing_are_not_zero(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2)
    table.append([{"id": 1}, {"id": None}], change={"null_value_counts": None, "value_counts": None})
    table.append([{"id": 2}, {"id": None}], change={"null_value_counts": [], "value_counts": []})
    assert kept(table, "id is null") == (2, 2)
    assert kept(table, "id is not null") == (2, 2)


def test_a_summary_without_bounds_and_without_nulls_is_not_believed(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2, BY_TENS)
    nothing = {"contains_null": False, "contains_nan": None, "lower_bound": None, "upper_bound": None}
    table.commit(0, [table.data_file(numbers(3), {"part": 0})], partitions=[nothing])
    assert kept(table, "id = 2") == (1, 1)


def test_a_summary_that_was_cut_and_not_rounded_up(tmp_path: Path) -> None:
    schema = Schema((NestedField(1, "s", StringType()),))
    table = TableBuilder(tmp_path, schema, 2, [(1, 1000, "s", "identity")])
    long = "x" * 20
    cut = {"contains_null": False, "contains_nan": None, "lower_bound": b"x" * 16, "upper_bound": b"x" * 16}
    table.commit(0, [table.data_file([{"s": long}], {"s": long})], partitions=[cut])
    assert kept(table, f"s = '{long}'") == (1, 1)
    assert kept(table, "s = 'y'") == (0, 0)


def test_metrics_go_by_id_and_never_by_name(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, Schema((ID, NestedField(2, "v", IntegerType()))), 2)
    table.append([{"id": 1, "v": 5}])
    table.evolve(Schema((ID, NestedField(3, "v", IntegerType()))))
    table.append([{"id": 2, "v": 7}])
    assert kept(table, "v = 5")[1] == 0
    assert kept(table, "v = 7")[1] == 1
    assert kept(table, "v is null")[1] == 1


def test_absent_columns_answer_like_stored_nulls(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2)
    table.append([{"id": 1}])
    table.evolve(Schema((ID, NestedField(2, "c", IntegerType()))))
    table.append([{"id": 2, "c": None}, {"id": 3, "c": 7}])
    for row_filter, found in {
        "c != 5": [3],
        "c not in (5, 6)": [3],
        "not (c = 5)": [3],
        "c is null": [1, 2],
        "c = 7 or c is null": [1, 2, 3],
        "c >= 7": [3],
    }.items():
        assert table.load().scan(row_filter).to_arrow().column("id").to_pylist() == found, row_filter


def test_defaults_in_filters_below_null_structs(tmp_path: Path) -> None:
    x = NestedField(3, "x", IntegerType())
    table = TableBuilder(tmp_path, Schema((ID, NestedField(2, "s", StructType((x,))))), 3)
    table.append([{"id": 1, "s": {"x": 3}}, {"id": 2, "s": None}])
    y = NestedField(4, "y", IntegerType(), initial_default=0)
    table.evolve(Schema((ID, NestedField(2, "s", StructType((x, y))))))
    for row_filter, found in {"s.y = 0": [1], "s.y is null": [2], "s.y != 0": [], "s.y > 0 or s.x = 3": [1]}.items():
        for engine in ("arrow", "rows"):
            scan = table.load().scan(row_filter, selected_fields=("id",))
            assert scan.to_arrow(engine).column("id").to_pylist() == found, (row_filter, engine)


def test_a_decimal_of_38_digits(tmp_path: Path) -> None:
    from decimal import Decimal

    schema = Schema((NestedField(1, "d", DecimalType(38, 38)),))
    table = TableBuilder(tmp_path, schema, 2)
    table.append([{"d": Decimal("0.7").scaleb(0).quantize(Decimal("1e-38"), context=_context())}])
    assert kept(table, "d >= 0.5") == (1, 1)
    assert kept(table, "d < 0.5") == (0, 0)


def _context() -> Any:
    from decimal import Context

    return Context(prec=60)


def test_a_date_that_was_promoted_to_a_timestamp(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, Schema((NestedField(1, "d", DateType()),)), 3)
    table.append([{"d": 20454}])  # 2026-01-01, its bounds four bytes long
    table.evolve(Schema((NestedField(1, "d", TimestampType()),)))
    assert kept(table, "d = timestamp '2026-01-01 00:00:00'") == (1, 1)
    assert kept(table, "d < timestamp '2026-01-01 00:00:00.000001'") == (1, 1)
    assert kept(table, "d > timestamp '2026-01-01 00:00:00'") == (0, 0)


@pytest.mark.parametrize("row_filter", ["f > 0.1", "f >= 0.1", "f != 0.1", "f != 1.1"])
def test_a_float_that_was_promoted_to_double(tmp_path: Path, row_filter: str) -> None:
    from projector.schema.types import FloatType

    table = TableBuilder(tmp_path, Schema((NestedField(1, "f", FloatType()),)), 2)
    table.append([{"f": 0.10000000149011612}])  # 0.1 as a float
    table.evolve(Schema((NestedField(1, "f", DoubleType()),)))
    assert kept(table, row_filter) == (1, 1)
    assert kept(table, f"not ({row_filter})") == (0, 0)
    assert kept(table, "f = 0.1") == (0, 0)


@pytest.mark.parametrize(("literal", "found"), [(2**31, "<"), (-(2**31) - 1, ">"), (2**31, "!="), (2**40, "<=")])
def test_literals_beyond_the_type_that_files_were_written_in(tmp_path: Path, literal: int, found: str) -> None:
    table = TableBuilder(tmp_path, ONE, 2)
    table.append(numbers(3))
    table.evolve(Schema((NestedField(1, "id", LongType()),)))
    assert kept(table, f"id {found} {literal}") == (1, 3)
    assert kept(table, f"not (id {found} {literal})") == (0, 0)
    assert kept(table, f"id in (1, {literal})") == (1, 1)
    assert kept(table, f"id not in (1, {literal})") == (1, 2)


@pytest.mark.parametrize("selected", [("*",), ("id",), ("c",)])
def test_a_default_is_a_value_like_any_other_in_filters(tmp_path: Path, selected: tuple[str, ...]) -> None:
    table = TableBuilder(tmp_path, ONE, 3)
    table.append([{"id": 1}])
    table.evolve(Schema((ID, NestedField(2, "c", StringType(), initial_default="US"))))
    table.append([{"id": 2, "c": "DE"}, {"id": 3, "c": None}, {"id": 4, "c": "US"}])
    for row_filter, found in {
        "c = 'US'": [1, 4],
        "c != 'US'": [2],
        "c is null": [3],
        "c is not null": [1, 2, 4],
        "c in ('US', 'FR')": [1, 4],
        "c not in ('DE', 'FR')": [1, 4],
        "c like 'U%'": [1, 4],
        "c > 'DE'": [1, 4],
    }.items():
        for engine in ("arrow", "rows"):
            scan = table.load().scan(row_filter, selected_fields=(*selected, "_row_id"))
            assert [i + 1 for i in scan.to_arrow(engine).column("_row_id").to_pylist()] == found, (row_filter, engine)


def test_a_renamed_column_that_is_filtered_on_and_not_selected(tmp_path: Path) -> None:
    v = NestedField(2, "v", IntegerType())
    table = TableBuilder(tmp_path, Schema((ID, v)), 2)
    table.append([{"id": n, "v": n * 10} for n in range(4)])
    table.evolve(Schema((ID, NestedField(2, "w", IntegerType()), NestedField(3, "v", IntegerType()))))
    for row_filter, found in {"w = 20": [2], "v = 20": [], "v is null and w > 10": [2, 3]}.items():
        assert table.load().scan(row_filter, ("id",)).to_arrow().column("id").to_pylist() == found


def test_truncated_partitions_of_negative_and_smallest_numbers(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2, BY_TENS)
    for value, partition in {-1: -10, -10: -10, -11: -20, 5: 0, -(2**31): -(2**31) - 2}.items():
        # the spec's result for the smallest int lies below all ints; writers wrap round
        wrapped = (partition + 2**31) % 2**32 - 2**31
        table.append([{"id": value}], partition={"part": wrapped}, bounds=False)
    for value in (-1, -10, -11, 5, -(2**31)):
        assert table.load().scan(f"id = {value}").to_arrow().column("id").to_pylist() == [value]
    assert len(table.load().scan("id = -11").plan_files().tasks) <= 2


def test_only_columns_are_compared(by_tens: TableBuilder) -> None:
    for row_filter in ("id % 8 = 2", "abs(id) = 2", "id + 1 = 2"):
        with pytest.raises(ParseError):
            by_tens.load().scan(row_filter)


# ------------------------------------------------------------------------------------------------------------- counts


def test_counts_read_footers_of_whole_files_and_no_rows(
    tmp_path: Path, opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = TableBuilder(tmp_path, ONE, 3, BY_TENS)
    files = [table.append(numbers(10, start), partition={"part": start}) for start in (0, 10, 20)]
    table.delete_vectors({files[0]: [1, 2, 3]}, partition={"part": 0})
    loaded = table.load()
    with monkeypatch.context() as patched:
        patched.setattr(pq, "ParquetFile", None)
        assert loaded.scan().count() == 27
        assert loaded.scan(limit=5).count() == 5
        assert loaded.scan("id >= 10").count() == 20
        assert loaded.scan("id < 10").count() == 7
        assert loaded.scan("id is not null").count() == 27
        assert loaded.scan("id > 500").count() == 0
        assert loaded.scan(selected_fields=("_deleted",)).count() == 30
        assert opens.count(".puffin") == 0
    opens.paths.clear()
    assert loaded.scan("id > 15").count() == 14
    assert opens.count(".parquet") == 2  # rows of the one that the filter cuts through, the footer of the other


@pytest.mark.parametrize("claimed", [0, 1, 9])
def test_a_count_is_that_of_the_rows_whatever_the_manifest_says(claimed: int, tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2)
    table.commit(0, [table.data_file(numbers(3), bounds=False, change={"record_count": claimed})])
    loaded = table.load()
    assert loaded.scan().count() == loaded.scan().to_arrow().num_rows == 3
    assert loaded.scan("id >= 0").to_arrow().num_rows == loaded.scan("id >= 0").count() == 3
    assert loaded.scan("id = 1").to_arrow().num_rows == 1


def test_counts_with_deletes_that_have_to_be_read(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2)
    file = table.append(numbers(10))
    table.delete_positions([(file, 1), (file, 1), (file, 2)])  # one of them twice
    table.append(numbers(10))
    table.delete_equal([{"id": 9}, {"id": 77}], ONE)
    assert table.load().scan().count() == 16


def test_a_plan_says_in_a_line_what_is_read(tmp_path: Path) -> None:
    builder = TableBuilder(tmp_path, ONE)
    first = builder.data_file([{"id": i} for i in range(1200)])
    builder.commit(0, [first, builder.data_file([{"id": 9}])])
    sizes = sum(task.file_size or 0 for task in builder.load().scan().plan_files())
    assert repr(builder.load().scan().plan_files()) == f"ScanPlan(2 files, 1,201 rows, {sizes:,} bytes, 0 delete files)"
    only = builder.load().scan("id = 1000").plan_files()
    assert repr(only).startswith("ScanPlan(1 file, 1,200 rows, ")
    path = str(next(iter(only)).location)
    assert repr(projector.read_files([path], schema=ONE).plan_files()) == "ScanPlan(1 file, 1,200 rows, 0 delete files)"
    Path(path).unlink()
    assert repr(projector.read_files([path], schema=ONE).plan_files()).startswith("ScanPlan(fails: No such file")
