"""`projector read`."""

from __future__ import annotations

import csv
import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.main import run

SAMPLES = Path(__file__).parent.parent.parent / "sample_data"
ORDERS = str(SAMPLES / "orders")
APRIL = str(SAMPLES / "orders" / "data" / "ordered_at_day=2024-04-02" / "00000-3.parquet")


def output(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert run(["read", *args]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_text_shows_every_row_on_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, ORDERS).splitlines()
    assert lines[0].split() == ["order_id", "buyer_id", "ordered_at", "channel", "price", "items", "shop", "rating"]
    assert len(lines) == 2 + 13
    assert sum(line.split()[0] == "1009" for line in lines) == 1


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(output(capsys, ORDERS, "--format", "json", "--select", "order_id", "--select", "price"))
    assert document["schema_version"] == 1
    assert document["columns"] == [
        {"name": "order_id", "field_id": 1, "type": "int64"},
        {"name": "price", "field_id": 4, "type": "decimal128(10, 2)"},
    ]
    rows = {row["order_id"]: row["price"] for row in document["rows"]}
    assert len(rows) == 13
    assert (rows[1001], rows[1008], rows[1009]) == ("12.99", None, "1250000.00")


def test_csv_keeps_nulls_and_nested_values(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, ORDERS, "--format", "csv", "-s", "order_id", "-s", "items", "-s", "channel")
    rows = {row["order_id"]: row for row in csv.DictReader(io.StringIO(text))}
    assert len(rows) == 13
    assert rows["1010"]["channel"] == ""
    assert json.loads(rows["1002"]["items"])[0] == {"isbn": "9780140186475", "copies": 2, "gift": False}


def test_parquet_keeps_types_and_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, ORDERS, "-o", str(tmp_path / "out.parquet")) == ""
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.num_rows == 13
    assert table.schema.field("buyer_id").metadata[b"PARQUET:field_id"] == b"2"
    assert table.schema.field("price").type == pa.decimal128(10, 2)
    assert sum(filter(None, table.column("price").to_pylist())) == Decimal("1250268.29")
    assert list(tmp_path.iterdir()) == [tmp_path / "out.parquet"]


def test_the_name_of_the_file_says_the_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output(capsys, ORDERS, "-o", str(tmp_path / "out.json"))
    output(capsys, ORDERS, "-o", str(tmp_path / "out.csv"), "-n", "1")
    assert len(json.loads((tmp_path / "out.json").read_text())["rows"]) == 13
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 2


def test_nothing_is_left_of_an_output_that_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "struct", "fields": [{"id": 11, "name": "c", "required": false, "type": "int"}]}')
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "rows.csv"
    assert run(["read", "--schema", str(schema), APRIL, "-o", str(target)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert list(target.parent.iterdir()) == []


def test_a_point_in_time(capsys: pytest.CaptureFixture[str]) -> None:
    for option in (["--ref", "first-quarter"], ["--snapshot-id", "4300000000000000003"], ["--as-of", "2024-04-01"]):
        assert output(capsys, ORDERS, "--count", *option) == "10\n"
    assert output(capsys, ORDERS, "--count") == "13\n"
    assert run(["read", ORDERS, "--ref", "nope"]) == 2
    assert "first-quarter" in capsys.readouterr().err


def test_both_engines(capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, ORDERS, "-f", "json") == output(capsys, ORDERS, "-f", "json", "--engine", "rows")
    assert run(["read", ORDERS, "--engine", "nope"]) == 2


def test_files_under_the_schema_of_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    metadata = str(SAMPLES / "orders" / "metadata" / "v14.metadata.json")
    hive = str(SAMPLES / "orders" / "data" / "january-export" / "shop=porto" / "part-00000.parquet")
    text = output(capsys, "--metadata", metadata, hive, APRIL, "-f", "json", "-s", "buyer_id", "-s", "rating")
    assert [tuple(row.values()) for row in json.loads(text)["rows"]] == [
        (503, None),
        (501, None),
        (506, 5),
        (502, None),
    ]


def test_files_under_a_schema_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(
        '{"type": "struct", "fields": [{"id": 11, "name": "sold_by", "required": false, "type": "string"}]}'
    )
    assert output(capsys, "--schema", str(schema), APRIL, "-f", "csv") == "sold_by\nweb\ntill\n"


@pytest.mark.parametrize(
    "args",
    [
        ["/there/is/nothing"],
        [ORDERS, "--select", "nope"],
        [ORDERS, ORDERS],
        [ORDERS, "--property", "novalue"],
        ["--schema", "/there/is/nothing.json", APRIL],
        ["--schema", str(SAMPLES / "README.md"), APRIL],
        ["--metadata", str(SAMPLES / "orders"), APRIL, "--ref", "main"],
        ["--metadata", str(SAMPLES / "orders"), "/there/is/nothing.parquet"],
        ["--metadata", str(SAMPLES / "orders"), str(SAMPLES / "README.md")],
    ],
)
def test_trouble_is_one_line(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", *args]) == 2
    captured = capsys.readouterr()
    errors = [line for line in captured.err.splitlines() if not line.startswith("warning: ")]
    assert len(errors) == 1
    assert errors[0].startswith("error: ")
    assert "bug" not in errors[0]


def test_the_count_takes_every_form(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert json.loads(output(capsys, ORDERS, "--count", "-f", "json")) == {"schema_version": 1, "count": 13}
    assert output(capsys, ORDERS, "--count", "-f", "csv") == "count\n13\n"
    target = tmp_path / "count.txt"
    assert output(capsys, ORDERS, "--count", "-o", str(target)) == ""
    assert target.read_text() == "13\n"
    assert run(["read", ORDERS, "--count", "-f", "parquet"]) == 2


def test_what_cannot_be_written_is_named_as_it_was_given(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "missing" / "rows.csv"
    assert run(["read", ORDERS, "-o", str(target)]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"error: Cannot write {target}: No such file or directory"


def test_a_folder_in_place_of_a_schema_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["read", "--schema", str(tmp_path), APRIL]) == 2
    assert capsys.readouterr().err == f"error: Is a folder, not a file: {tmp_path}\n"


def test_links_and_pipes_stay_what_they_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file that is replaced when it is complete must not take the place of a link, or of `/dev/null`."""
    real, link, pipe = tmp_path / "real.csv", tmp_path / "link.csv", tmp_path / "pipe"
    link.symlink_to(real)
    output(capsys, ORDERS, "-s", "order_id", "-o", str(link))
    assert link.is_symlink()
    assert len(real.read_text().splitlines()) == 14
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        text = reader.submit(pipe.read_text)
        output(capsys, ORDERS, "-s", "order_id", "-f", "csv", "-o", str(pipe))
        assert text.result() == real.read_text()
    assert pipe.is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.csv", "pipe", "real.csv"]


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (["--allow-moved-paths"], "--allow-moved-paths"),
        (["--no-allow-moved-paths"], "--no-allow-moved-paths"),
        (["--path-map", "a=b"], "--path-map"),
        (["--catalog-property", "a=b"], "--catalog-property"),
        (["--ref", "main"], "--ref"),
        (["--filter", "id > 1"], "--filter"),
    ],
)
def test_options_of_tables_are_refused_for_files(
    options: list[str], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    metadata = next(iter(sorted((SAMPLES / "orders" / "metadata").glob("*.metadata.json"))))
    assert run(["read", "--metadata", str(metadata), APRIL, *options]) == 2
    assert f"Cannot use {shown} with files" in capsys.readouterr().err
