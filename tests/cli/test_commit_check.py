"""`projector commit` checks first; mappings and dropped columns are proposals of every verb that takes some."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cli.main import run
from projector.api.table import load_table
from projector.evolution.commit.version_files import VersionFiles
from projector.evolution.updates.update_schema import UpdateSchema
from tests.check.tables import evolve, foreign, table

INT_TO_STRING = "ALTER TABLE t ALTER COLUMN qty TYPE string"
TO_LONG = "ALTER TABLE t ALTER COLUMN qty TYPE bigint"
MAKE = table("1 id int!, 2 note string, 3 qty int", [{"id": 1, "note": "x", "qty": 1}])
IDLESS = table(
    "1 id int, 2 buyer string",
    foreign({"id": pa.array([1], pa.int32()), "Buyer": pa.array(["Ada"])}),
    properties={"schema.name-mapping.default": '[{"field-id": 1, "names": ["id"]}]'},
)
DROPPED = table("1 id int, 2 v int", [{"id": 1, "v": 2}], evolve("1 id int"))

Out = pytest.CaptureFixture[str]


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def location(in_folder: Path) -> Path:
    MAKE(in_folder / "t")
    return in_folder / "t"


def current(location: Path) -> Any:
    return load_table(str(location)).metadata


def versions(location: Path) -> int:
    return len(list((location / "metadata").glob("v*.metadata.json")))


@pytest.mark.parametrize("sql", [INT_TO_STRING, "ALTER TABLE t DROP COLUMN nope", "ALTER TABLE t ADD COLUMN id int"])
def test_what_the_check_refuses_is_not_committed(sql: str, location: Path, capsys: Out) -> None:
    before = versions(location)
    assert run(["commit", str(location), "--sql", sql]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error[")
    assert "refused, nothing was committed" in said.err
    assert versions(location) == before


def test_refused_as_json(location: Path, capsys: Out) -> None:
    assert run(["commit", str(location), "--sql", INT_TO_STRING, "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["changed"] is False
    assert document["refused_by"] == "check"
    assert [f["code"] for f in document["report"]["findings"]] == ["T101"]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ([], 0),
        (["--fail-on", "info"], 1),
        (["--compat", "full"], 1),
        (["--compat", "full", "--no-check"], 0),
        (["--compat", "full", "--fail-on", "never"], 0),
        (["--level", "values"], 0),
    ],
)
def test_what_refuses_is_chosen_as_in_the_check(more: list[str], code: int, location: Path) -> None:
    before = versions(location)
    assert run(["commit", str(location), "--sql", TO_LONG, *more]) == code
    assert versions(location) == before + (code == 0)


def test_findings_that_do_not_refuse_are_told_on_stderr(location: Path, capsys: Out) -> None:
    assert run(["commit", str(location), "--sql", TO_LONG]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("Committed schema 1")
    assert "info[T108" in said.err
    assert "nothing was committed" not in said.err


@pytest.mark.parametrize("more", [["--no-check"], ["--fail-on", "never"]])
def test_what_cannot_be_applied_is_refused_without_a_check_too(more: list[str], location: Path, capsys: Out) -> None:
    assert run(["commit", str(location), "--sql", INT_TO_STRING, *more]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "Cannot change column type" in said.err


@pytest.mark.parametrize(
    "args", [["--sql", "ALTER TABLE t FROB"], [], ["--undelete", "a:b"], ["--schema", "nope.json"]]
)
def test_trouble(args: list[str], location: Path, capsys: Out) -> None:
    assert run(["commit", str(location), *args]) == 2
    assert capsys.readouterr().out == ""


def test_configuration_and_comments_count(location: Path, in_folder: Path, capsys: Out) -> None:
    (in_folder / "projector.toml").write_text('compatibility = "full"\n')
    assert run(["commit", str(location), "--sql", TO_LONG]) == 1
    assert run(["commit", str(location), "--sql", f"-- projector: ignore T108 no old jobs\n{TO_LONG}"]) == 0


def beaten_once(monkeypatch: pytest.MonkeyPatch, other: Callable[[], object]) -> None:
    """Let another writer commit just before the next attempt."""
    make, left = VersionFiles.make_next, [other]

    def beaten(self: VersionFiles, *args: Any) -> Any:
        if left:
            left.pop()()
        return make(self, *args)

    monkeypatch.setattr(VersionFiles, "make_next", beaten)


def test_after_a_lost_race_the_change_is_checked_on_what_won(
    location: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    beaten_once(monkeypatch, lambda: load_table(str(location)).commit(UpdateSchema().delete_column("note")))
    sql = "ALTER TABLE t ADD COLUMN note2 string"
    assert run(["commit", str(location), "--sql", sql, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["attempts"] == 2
    assert [f["name"] for f in document["report"]["schema_before"]["fields"]] == ["id", "qty"]
    assert [f.name for f in current(location).current_schema.fields] == ["id", "qty", "note2"]


@pytest.mark.parametrize("how", [[], ["--no-check"]])
def test_after_a_lost_race_it_says_what_it_made_itself(
    how: list[str], location: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    beaten_once(monkeypatch, lambda: load_table(str(location)).commit(UpdateSchema().delete_column("note")))
    assert run(["commit", str(location), "--sql", "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')", *how]) == 0
    assert capsys.readouterr().out.startswith("Committed properties: ")
    assert current(location).properties["a"] == "b"


def test_a_race_that_makes_the_change_harmful_refuses_it(
    location: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    beaten_once(monkeypatch, lambda: load_table(str(location)).commit(UpdateSchema().rename_column("note", "memo")))
    # The first statement has nothing to do before; after, it drops a column with values.
    sql = "ALTER TABLE t DROP COLUMN IF EXISTS memo; ALTER TABLE t ADD COLUMN z integer"
    assert run(["commit", str(location), "--sql", sql, "--dialect", "trino", "--fail-on", "info"]) == 1
    assert "D101" in capsys.readouterr().err
    assert current(location).current_schema.find_id("z") is None


def test_a_race_lost_for_good_is_trouble(location: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    beaten_once(monkeypatch, lambda: load_table(str(location)).commit(UpdateSchema().delete_column("note")))
    assert run(["commit", str(location), "--sql", "ALTER TABLE t RENAME COLUMN note TO memo"]) == 2
    assert "another writer has changed the table" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------- mappings, dropped columns


def test_a_mapping_is_inspected_planned_checked_and_committed(in_folder: Path, capsys: Out) -> None:
    IDLESS(in_folder / "t")
    at = str(in_folder / "t")

    assert run(["inspect", at, "mapping", "--format", "json"]) == 0
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert {(p["problem"], p["where"]) for p in problems} == {
        ("field_without_entry", "buyer"),
        ("column_without_entry", "Buyer"),
    }
    assert run(["inspect", at, "mapping"]) == 0
    assert "Problems" in capsys.readouterr().out

    assert run(["plan", at, "--name-mapping", "repair", "--format", "json"]) == 0
    changed = json.loads(capsys.readouterr().out)
    assert changed["rest_request"]["updates"][0]["action"] == "set-properties"

    assert run(["check", at, "--name-mapping", "repair", "--level", "values", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [(f["code"], f["path"]) for f in report["findings"] if f["status"] != "existing"] == [("R112", "buyer")]

    assert run(["commit", at, "--name-mapping", "repair"]) == 0
    capsys.readouterr()
    assert load_table(at).scan().to_arrow().to_pylist() == [{"id": 1, "buyer": "Ada"}]
    assert run(["inspect", at, "mapping", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["problems"] == []


def test_a_table_that_needs_no_mapping(location: Path, capsys: Out) -> None:
    assert run(["inspect", str(location), "mapping"]) == 2
    assert "no name mapping" in capsys.readouterr().err


def test_a_mapping_and_a_rename_in_one_commit(in_folder: Path) -> None:
    made = table("1 id int, 2 v int", foreign({"id": pa.array([1], pa.int32()), "v": pa.array([2], pa.int32())}))
    made(in_folder / "t")
    at = str(in_folder / "t")
    rename = ["--sql", "ALTER TABLE t RENAME COLUMN v TO w"]
    assert run(["check", at, *rename, "--fail-on", "info"]) == 1  # R101: only the name leads to the column
    assert run(["commit", at, *rename, "--name-mapping", "create", "--level", "values"]) == 0
    assert load_table(at).scan().to_arrow().to_pylist() == [{"id": 1, "w": 2}]


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (["--undelete", "v"], ["id", "v"]),
        (["--undelete", "v:2"], ["id", "v"]),
        (["--undelete", "v=old_v"], ["id", "old_v"]),
        (["--undelete", "v:2=old_v", "--sql", "ALTER TABLE t RENAME COLUMN old_v TO w"], ["id", "w"]),
    ],
)
def test_a_dropped_column_comes_back(args: list[str], names: list[str], in_folder: Path) -> None:
    DROPPED(in_folder / "t")
    at = str(in_folder / "t")
    assert run(["plan", at, *args]) == 0
    assert run(["check", at, *args, "--level", "values", "--fail-on", "warning"]) == 0
    assert run(["commit", at, *args]) == 0
    rows = load_table(at).scan().to_arrow()
    assert rows.column_names == names
    assert rows.to_pylist()[0][names[-1]] == 2


@pytest.mark.parametrize("name", ["nope", "v:7", "id"])
def test_a_column_that_cannot_come_back_is_a_finding(name: str, in_folder: Path, capsys: Out) -> None:
    DROPPED(in_folder / "t")
    assert run(["check", str(in_folder / "t"), "--undelete", name]) == 1
    assert "Cannot undelete column" in capsys.readouterr().out


def test_specs_orders_and_properties_are_checked(location: Path, capsys: Out) -> None:
    sql = """
    ALTER TABLE t ADD PARTITION FIELD bucket(4, id);
    ALTER TABLE t WRITE ORDERED BY id;
    ALTER TABLE t SET TBLPROPERTIES ('schema.name-mapping.default' = '[')
    """
    assert run(["check", str(location), "--sql", sql, "--format", "json"]) == 1
    new = [f for f in json.loads(capsys.readouterr().out)["findings"] if f["status"] != "existing"]
    assert {f["code"] for f in new} == {"P118", "P116", "R105"}
