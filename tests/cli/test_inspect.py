"""`projector inspect`, `explain` and `diff`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.main import run
from cli.output import Listing, Target, write_listing

SAMPLES = Path(__file__).parent.parent.parent / "sample_data"
ORDERS = str(SAMPLES / "orders")


def document(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> Any:
    assert run([*args, "--format", "json"]) == code, capsys.readouterr().err
    found = json.loads(capsys.readouterr().out)
    assert found.pop("schema_version") == 1
    return found


def text(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert run([*args]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    schema = document(capsys, "inspect", ORDERS)["schema"]
    assert schema["schema-id"] == 5
    assert [field["name"] for field in schema["fields"]][:2] == ["order_id", "buyer_id"]
    assert document(capsys, "inspect", ORDERS, "--schema-id", "0")["schema"]["schema-id"] == 0
    assert document(capsys, "inspect", ORDERS, "--ref", "first-quarter")["schema"]["schema-id"] == 3
    assert "items.element.gift" in text(capsys, "inspect", ORDERS, "schema")


def test_history(capsys: pytest.CaptureFixture[str]) -> None:
    changes = document(capsys, "inspect", ORDERS, "history")["changes"]
    assert [(c["schema"], c["change"], c["id"], c["field"]) for c in changes if c["schema"] > 0] == [
        (1, "renamed", 2, "buyer_id"),
        (2, "type", 4, "price"),
        (2, "type", 9, "items.element.copies"),
        (3, "added", 11, "channel"),
        (3, "added", 12, "items.element.gift"),
        (4, "dropped", 5, "rating"),
        (5, "added", 13, "rating"),
    ]


def test_files(capsys: pytest.CaptureFixture[str]) -> None:
    files = document(capsys, "inspect", ORDERS, "files")["files"]
    assert sorted((file["spec"], file["partition"], file["records"]) for file in files) == [
        (0, "shop=lisbon", 3),
        (0, "shop=porto", 2),
        (1, "ordered_at_month=2024-02", 3),
        (1, "ordered_at_month=2024-03", 2),
        (2, "ordered_at_day=2024-04-02", 2),
        (2, "ordered_at_day=2024-04-03", 1),
    ]
    assert text(capsys, "inspect", ORDERS, "files", "--format", "csv").count("\n") == 7


def test_shapes(capsys: pytest.CaptureFixture[str]) -> None:
    shapes = document(capsys, "inspect", ORDERS, "shapes")["shapes"]
    assert [(s["file_count"], s["rows"], s["field_ids"]) for s in shapes] == [
        (2, 3, True),
        (1, 2, True),
        (1, 3, True),
        (2, 5, False),
    ]
    assert shapes[3]["columns"][1] == {"id": None, "column": "customer_id", "type": "int64", "optional": True}


def test_mapping(capsys: pytest.CaptureFixture[str]) -> None:
    mapping = document(capsys, "inspect", ORDERS, "mapping")["mapping"]
    assert mapping[1] == {"id": 2, "path": "customer_id", "names": ["customer_id", "buyer_id"], "field": "buyer_id"}
    assert run(["inspect", str(SAMPLES / "spark_readings"), "mapping"]) == 2


def test_snapshots(capsys: pytest.CaptureFixture[str]) -> None:
    snapshots = document(capsys, "inspect", ORDERS, "snapshots")["snapshots"]
    assert [(s["schema"], s["records"], s["refs"]) for s in snapshots] == [
        (0, "5", []),
        (1, "8", []),
        (3, "10", ["first-quarter (tag)"]),
        (5, "13", ["main (branch)"]),
    ]
    assert snapshots[0]["made"] == "2024-01-31T20:05:00Z"


def test_explain_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    shapes = document(capsys, "explain", ORDERS, "shop")["shapes"]
    assert [(s["file_count"], s["fields"][0]["origin"]) for s in shapes] == [
        (2, "file"),
        (1, "file"),
        (1, "file"),
        (2, "partition"),
    ]


def test_explain_a_nested_column(capsys: pytest.CaptureFixture[str]) -> None:
    shapes = document(capsys, "explain", ORDERS, "items.gift")["shapes"]
    assert [[(f["path"], f["origin"], f["detail"]) for f in s["fields"]] for s in shapes[2:]] == [
        [("items.element.gift", "initial default", "false")],
        [("items.element.gift", "initial default", "false")],
    ]
    shown = text(capsys, "explain", ORDERS, "price")
    assert "shape 4: 2 files, 5 rows" in shown
    assert "widen decimal" in shown


def test_explain_an_unknown_column(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", ORDERS, "nope"]) == 2
    assert "error: Cannot find" in capsys.readouterr().err


def test_diff(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = document(capsys, "diff", ORDERS, f"{ORDERS}@schema:5")
    assert same == {"same": True, "changes": []}
    found = document(capsys, "diff", f"{ORDERS}@ref:first-quarter", ORDERS, code=1)
    assert [(c["change"], c["id"]) for c in found["changes"]] == [("dropped", 5), ("added", 13)]
    proposal = tmp_path / "proposal.json"
    schema = document(capsys, "inspect", ORDERS)["schema"]
    schema["fields"][1]["name"] = "reader_id"
    proposal.write_text(json.dumps(schema))
    found = document(capsys, "diff", f"{ORDERS}@snapshot:4400000000000000004", str(proposal), code=1)
    assert found["changes"] == [
        {"change": "renamed", "id": 2, "field": "reader_id", "before": "buyer_id", "after": "reader_id"}
    ]
    for wrong in (f"{ORDERS}@schema:99", f"{ORDERS}@schema:x", f"{ORDERS}@ref:nope", "/there/is/nothing"):
        assert run(["diff", ORDERS, wrong]) == 2


def test_explain_says_what_a_filter_skips(capsys: pytest.CaptureFixture[str]) -> None:
    pruning = document(capsys, "explain", ORDERS, "shop", "--filter", "ordered_at >= '2024-04-01'")["pruning"]
    assert pruning["files"] == 2  # the files of April; those of January to March are skipped
    assert pruning["records_to_read"] == 3
    assert run(["explain", ORDERS, "shop", "--filter", "ordered_at >= '2024-04-01'"]) == 0
    assert "2 files with 3 records are read" in capsys.readouterr().err


def test_explain_of_a_table_without_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    metadata = json.loads((Path(ORDERS) / "metadata" / "v1.metadata.json").read_text())
    (tmp_path / "v1.metadata.json").write_text(json.dumps(metadata))
    assert document(capsys, "explain", str(tmp_path / "v1.metadata.json"))["shapes"] == []


def test_names_in_csv_cannot_steer_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    listing = Listing("fields", ("na\x1b[31mme",), (("a\x1b]0;b\x07",), (None,), (1,)))
    write_listing(listing, Target("csv"))
    assert capsys.readouterr().out == "na\\x1b[31mme\na\\x1b]0;b\\x07\n\n1\n"


def test_words_of_a_table_do_not_break_in_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, name = "s3://b/" + "x" * 60, "items.element.isbn"
    listing = Listing("files", ("file", "column", "note"), ((path, name, "a b c"), (path, None, "d")))
    monkeypatch.setattr("cli.output._is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "80")
    write_listing(listing, Target("text"))
    assert capsys.readouterr().out == (f"file    {path}\ncolumn  {name}\nnote    a b c\n\nfile    {path}\nnote    d\n")
    monkeypatch.setenv("COLUMNS", "200")
    write_listing(listing, Target("text"))
    assert len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.parametrize("width", range(40, 140, 7))
@pytest.mark.parametrize(
    "verb", [("inspect", ORDERS), ("inspect", ORDERS, "snapshots"), ("explain", ORDERS), ("rules",)]
)
def test_a_terminal_of_any_width_shows_every_word(
    verb: tuple[str, ...], width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = set(text(capsys, *verb, "--format", "text").split())
    monkeypatch.setattr("cli.output._is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    shown = set(re.sub(r"\x1b\[[0-9;]*m", "", text(capsys, *verb, "--format", "text")).split())
    assert {w for w in whole - shown if not re.fullmatch(r"[a-z]+(_[a-z]+)+|─+", w)} == set()
