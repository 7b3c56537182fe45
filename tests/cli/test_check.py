"""`projector check`, `audit` and `rules`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from cli.main import run
from tests.check.tables import table

MAKE = table("1 id int!, 2 note string, 3 qty int", [{"id": 1, "note": "x", "qty": 1}])


@pytest.fixture
def location(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "t").mkdir()
    MAKE(tmp_path / "t")
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return str(tmp_path / "t" / "metadata" / "v2.metadata.json")


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["--sql", "ALTER TABLE t ADD COLUMN z int"], 0),
        (["--sql", "ALTER TABLE t ALTER COLUMN qty TYPE bigint", "--fail-on", "warning"], 0),
        (["--sql", "ALTER TABLE t ALTER COLUMN qty TYPE bigint", "--fail-on", "info"], 1),
        (["--sql", "ALTER TABLE t ALTER COLUMN qty TYPE string"], 1),
        (["--sql", "ALTER TABLE t ALTER COLUMN qty TYPE string", "--fail-on", "never"], 0),
        (["--sql", "ALTER TABLE t ALTER COLUMN qty TYPE string", "--ignore", "T101"], 0),
        (["--sql", "ALTER TABLE t DROP COLUMN nope"], 1),
        (["--sql", "ALTER TABLE t DROP COLUMN note", "--compat", "full"], 1),
        (["--sql", "ALTER TABLE t FROB"], 2),
        (["--sql", ""], 2),
        ([], 2),
        (["--sql", "x", "--schema", "y"], 2),
        (["--sql-file", "nope.sql"], 2),
        (["--schema", "nope.json"], 2),
        (["--config", "nope.toml", "--sql", "ALTER TABLE t ADD COLUMN z int"], 2),
    ],
)
def test_exit_codes(args: list[str], code: int, location: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", location, *args]) == code
    assert (capsys.readouterr().out == "") == (code == 2)


def test_a_table_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(tmp_path / "nope"), "--sql", "ALTER TABLE t ADD COLUMN z int"]) == 2
    assert run(["audit", str(tmp_path / "nope")]) == 2
    assert capsys.readouterr().out == ""


def test_sql_from_stdin_and_from_a_file(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = "ALTER TABLE t ALTER COLUMN qty TYPE string"
    monkeypatch.setattr("sys.stdin", io.StringIO(sql))
    assert run(["check", location, "--sql", "-"]) == 1
    assert "--> stdin:1:28" in capsys.readouterr().out
    (tmp_path / "m.sql").write_text(sql)
    assert run(["check", location, "--sql-file", "m.sql"]) == 1
    assert "--> m.sql:1:28" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("r.json", "{"),
        ("r.md", "### projector"),
        ("r.html", "<!doctype"),
        ("r.sarif", "{"),
        ("r.xml", "<?xml"),
        ("r.txt", "0 errors"),
    ],
)
def test_a_file_s_name_says_the_format(name: str, begins: str, location: str, tmp_path: Path) -> None:
    assert run(["check", location, "--sql", "ALTER TABLE t ADD COLUMN z int", "-o", name]) == 0
    assert (tmp_path / name).read_text().startswith(begins)


def test_annotations_beside_the_text_in_github_actions(
    location: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run(["check", location, "--sql", "ALTER TABLE t ALTER COLUMN qty TYPE string"])
    out = capsys.readouterr().out
    assert "error[T101" in out
    assert "::error title=T101" in out


def test_colour_by_the_environment(
    location: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ["check", location, "--sql", "ALTER TABLE t ALTER COLUMN qty TYPE string"]
    monkeypatch.setenv("FORCE_COLOR", "1")
    run(args)
    assert "\x1b[" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    run(args)
    assert "\x1b[" not in capsys.readouterr().out


def test_the_configuration_is_found(location: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "projector.toml").write_text(
        'fail-on = "warning"\n[[ignore]]\ncodes = ["T108"]\nreason = "no old jobs"\n'
    )
    args = ["check", location, "--format", "json", "--sql", "ALTER TABLE t ALTER COLUMN qty TYPE bigint"]
    assert run(args) == 0
    assert json.loads(capsys.readouterr().out)["suppressed"][0]["reason"] == "no old jobs"
    (tmp_path / "projector.toml").write_text("levl = 3")
    assert run(args) == 2


def test_audit(location: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", location, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["proposal"] is None
    assert found["schema_after"] is None


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)["rules"]
    assert len(listed) > 40
    assert run(["rules", "t101"]) == 0
    assert capsys.readouterr().out.startswith("# T101 illegal-type-change\n")
    assert run(["rules", "decimal-scale-change"]) == 0
    assert run(["rules", "T999"]) == 2


BAD = "ALTER TABLE t ALTER COLUMN qty TYPE string"


def test_files_are_checked_one_on_another(location: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "1.sql").write_text("ALTER TABLE t ADD COLUMN z int")
    (tmp_path / "2.sql").write_text(f"ALTER TABLE t RENAME COLUMN z TO y;\n{BAD}")
    (tmp_path / "3.sql").write_text("ALTER TABLE t DROP COLUMN y")
    assert run(["check", location, "1.sql"]) == 0
    capsys.readouterr()
    assert run(["check", location, "1.sql", "2.sql", "--format", "json"]) == 1
    reports = json.loads(capsys.readouterr().out)["reports"]
    assert [report["ok"] for report in reports] == [True, False]
    assert run(["check", location, "1.sql", "2.sql", "3.sql"]) == 1
    # What 2.sql cannot do as a whole is not there for 3.sql.
    assert "--> 3.sql:1:27" in capsys.readouterr().out
    assert run(["check", location, "1.sql", "--sql", BAD]) == 2
    assert run(["check", location, "1.sql", "--sql-file", "2.sql"]) == 2
    assert run(["check", location, "nope.sql"]) == 2
    assert run(["check", location, "1.sql", "2.sql", "--format", "html"]) == 2


@pytest.mark.parametrize("files", [["2.sql"], ["1.sql", "2.sql"]])
def test_reports_in_several_formats_at_once(
    files: list[str], location: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "1.sql").write_text("ALTER TABLE t ALTER COLUMN qty TYPE bigint")
    (tmp_path / "2.sql").write_text("ALTER TABLE t ALTER COLUMN note TYPE int")
    more = ["--report", "r.sarif", "--report", "r.md", "--report", "r.xml"]
    assert run(["check", location, *files, *more]) == 1
    assert "error[T101" in capsys.readouterr().out
    runs = json.loads((tmp_path / "r.sarif").read_text())["runs"]
    assert len(runs) == 1
    results = runs[0]["results"]
    rules = [rule["id"] for rule in runs[0]["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in results)
    assert "2.sql" in {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
    assert (tmp_path / "r.md").read_text().count("### projector check") == len(files)
    assert (tmp_path / "r.xml").read_text().count("<testsuite ") == len(files)


def test_what_is_proposed_without_sql_is_said_in_words(location: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", location, "--name-mapping", "create", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["proposal"] == "name mapping: set"
