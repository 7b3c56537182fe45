"""`projector check`, `audit` and `rules`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from cli.main import run
from tests.check.tables import table
from tests.planning.tables import TableBuilder
from tests.render.test_formats import conforms

ROOT = Path(__file__).parents[2]

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
    assert run(["check", location, "1.sql", "2.sql", "-o", "all.html"]) == 1
    page = (tmp_path / "all.html").read_text()
    assert '<a href="#file-1">1.sql</a>' in page
    assert '<section id="file-2">' in page


def test_a_file_that_is_not_understood_hides_no_other(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "1.sql").write_text("ALTER TABLE t ADD COLUMN z int")
    (tmp_path / "2.sql").write_text("-- two\nALTER TABLE t FROB COLUMN z")
    (tmp_path / "3.sql").write_text(BAD)
    more = [part for name in ("r.sarif", "r.md", "r.xml", "r.json", "r.html") for part in ("--report", name)]
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert run(["check", location, "1.sql", "2.sql", "3.sql", *more]) == 2
    captured = capsys.readouterr()
    assert captured.err == "error: Cannot check 1 of 3 files: 2.sql\n"
    assert [line for line in captured.out.splitlines() if line.startswith("== ")] == [
        "== 1.sql",
        "== 2.sql",
        "== 3.sql",
    ]
    assert "--> 2.sql:2:15\n  2 | ALTER TABLE t FROB COLUMN z\n    |               ^^^^\n" in captured.out
    assert "error[T101" in captured.out
    assert "::error file=2.sql,line=2,col=15," in captured.out
    document = json.loads((tmp_path / "r.json").read_text())
    published = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    conforms(document, published["$defs"]["reports"], published)
    assert [r["proposal_file"] for r in document["reports"]] == ["1.sql", "2.sql", "3.sql"]
    assert document["reports"][1]["findings"][0]["source"]["line"] == 2
    (run_,) = json.loads((tmp_path / "r.sarif").read_text())["runs"]
    places = [r["locations"][0]["physicalLocation"] for r in run_["results"] if r["ruleId"] == "S000"]
    assert [(p["artifactLocation"]["uri"], p["region"]["startLine"]) for p in places] == [("2.sql", 2)]
    markdown = (tmp_path / "r.md").read_text()
    assert all(f"### projector check `{name}`: " in markdown for name in ("1.sql", "2.sql", "3.sql"))
    assert "2.sql" in (tmp_path / "r.xml").read_text()
    assert "FROB" in (tmp_path / "r.html").read_text()


def test_what_existed_before_is_in_sarif_once_and_not_in_a_file(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = table("1 id int!, 2 Note string, 3 note string", [{"id": 1, "Note": "x", "note": "x"}])
    made = make(tmp_path / "two")
    (tmp_path / "1.sql").write_text("ALTER TABLE two ADD COLUMN z int")
    (tmp_path / "2.sql").write_text("ALTER TABLE two ADD COLUMN y int")
    assert run(["check", made.metadata_file, "1.sql", "2.sql", "--report", "r.sarif"]) == 0
    (run_,) = json.loads((tmp_path / "r.sarif").read_text())["runs"]
    old = [r for r in run_["results"] if r["baselineState"] == "unchanged"]
    assert [r["ruleId"] for r in old if r["ruleId"] == "S108"] == ["S108"]
    assert {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in old} == {made.location}


@pytest.mark.parametrize(
    "args", [["-o", "c.pdf"], ["-o", "o.xlsx"], ["--report", "c.yaml"], ["-o", "o.parquet"], ["--report", "no/r.md"]]
)
def test_files_that_cannot_be_written_are_refused_before_any_work(
    args: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(tmp_path / "there is no table"), "--sql", BAD, *args]) == 2
    assert capsys.readouterr().err.startswith(f"error: Cannot write {args[1]}: ")


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


def test_a_reserved_id_in_a_schema_file_is_a_finding(
    location: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "proposed.json"
    field = {"id": 2147483546, "name": "p", "required": False, "type": "int"}
    file.write_text(json.dumps({"type": "struct", "schema-id": 0, "fields": [field]}))
    assert run(["check", location, "--schema", str(file)]) == 1
    assert "error[S111 reserved-field-id]: p: " in capsys.readouterr().out


def test_a_manifest_list_that_is_gone_is_called_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    builder: list[TableBuilder] = []
    table("1 a int", [{"a": 1}], [{"a": 2}], builder.append)(tmp_path / "t")
    Path(builder[0].snapshots[0]["manifest-list"]).unlink()
    assert run(["audit", str(tmp_path / "t")]) == 1
    assert "1 manifest list is listed but not there" in capsys.readouterr().out
