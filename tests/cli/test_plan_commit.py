"""`projector plan` and `projector commit`: what is shown is what is written, and errors are one line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cli.main import run
from projector.metadata.table_metadata import TableMetadata

ORDERS = Path(__file__).parents[2] / "sample_data" / "orders"
ADD_NOTE = "ALTER TABLE orders ADD COLUMN note string"


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ORDERS, tmp_path / "orders"))


def versions(table: Path) -> set[str]:
    return {file.name for file in (table / "metadata").glob("v*.metadata.json")}


def test_plan_shows_the_fresh_id_and_writes_nothing(orders: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    before = {file: file.read_bytes() for file in orders.rglob("*") if file.is_file()}

    assert run(["plan", str(orders), "--sql", ADD_NOTE]) == 0

    text = capfdbinary.readouterr().out.decode()
    assert "14: note string" in text  # last-column-id was 13
    assert '"assert-last-assigned-field-id"' in text
    assert before == {file: file.read_bytes() for file in orders.rglob("*") if file.is_file()}


def test_plan_as_json_holds_the_request_that_rest_wants(
    orders: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(["plan", str(orders), "--sql", ADD_NOTE, "--format", "json"]) == 0

    document = json.loads(capfdbinary.readouterr().out)
    assert document["changed"] is True
    assert [change["path"] for change in document["changes"]] == ["note"]
    assert [update["action"] for update in document["rest_request"]["updates"]][:2] == [
        "add-schema",
        "set-current-schema",
    ]
    assert document["rest_request"]["updates"][1] == {"action": "set-current-schema", "schema-id": -1}
    paths = {change["path"] for change in document["metadata_changes"]}
    assert {"last-column-id", "current-schema-id", "schemas[6]"} <= paths


def test_commit_writes_one_version_that_holds_the_change(
    orders: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    before = versions(orders)

    assert run(["commit", str(orders), "--sql", ADD_NOTE]) == 0

    assert versions(orders) - before == {"v15.metadata.json"}
    metadata = TableMetadata.from_json((orders / "metadata" / "v15.metadata.json").read_bytes())
    assert metadata.schema().find_field("note").field_id == 14
    assert (orders / "metadata" / "version-hint.text").read_text().strip() == "15"
    assert b"schema 6" in capfdbinary.readouterr().out


def test_a_change_that_changes_nothing_commits_nothing(orders: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    before = versions(orders)

    assert run(["commit", str(orders), "--sql", "ALTER TABLE orders ALTER COLUMN price TYPE decimal(10,2)"]) == 0

    assert versions(orders) == before
    assert b"Nothing to commit" in capfdbinary.readouterr().out


def test_a_schema_file_is_a_proposal(orders: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    metadata = TableMetadata.from_json((orders / "metadata" / "v14.metadata.json").read_bytes())
    schema = json.loads(metadata.schema().to_json())
    schema["fields"] = [f for f in schema["fields"] if f["name"] != "shop"]
    (tmp_path / "proposed.json").write_text(json.dumps(schema))

    assert run(["plan", str(orders), "--schema", str(tmp_path / "proposed.json"), "--format", "json"]) == 0

    changes = json.loads(capfdbinary.readouterr().out)["changes"]
    assert [(change["kind"], change["path"]) for change in changes] == [("dropped", "shop")]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([], "No change is proposed"),
        (["--sql", ADD_NOTE, "--sql-file", "x.sql"], "More than one change"),
        (["--sql", "ALTER TABLE orders FROBNICATE"], "line 1"),
        (["--sql-file", "there/is/none.sql"], "no such file"),
        (["--sql", ADD_NOTE, "--by", "id"], "--by"),
    ],
)
def test_trouble_is_one_line_and_exit_code_2(
    orders: Path, capfdbinary: pytest.CaptureFixture[bytes], args: list[str], says: str
) -> None:
    assert run(["plan", str(orders), *args]) == 2

    captured = capfdbinary.readouterr()
    errors = [line for line in captured.err.decode().splitlines() if line.startswith("error:")]
    assert captured.out == b""
    assert len(errors) == 1
    assert says.lower() in errors[0].lower()
