"""Findings that are left out on purpose: by code, by a comment in the SQL, by the configuration."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

import projector
from projector.check.report.config import find_config, read_config
from projector.check.report.report import Report
from projector.check.report.suppressions import Suppression, sift
from projector.errors import NotFoundError, ParseError, UnsupportedError
from tests.check.tables import table

MAKE = table("1 id int!, 2 note string, 3 qty int", [{"id": 1, "note": "x", "qty": 1}])
DROP = "ALTER TABLE t DROP COLUMN note"


def check(folder: Path, sql: str, **how: object) -> Report:
    return projector.check(MAKE(folder), sql=sql, **how)  # type: ignore[arg-type]


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.deciding]


def test_select_and_ignore_by_prefix(tmp_path: Path) -> None:
    sql = f"{DROP}; ALTER TABLE t ALTER COLUMN qty TYPE string"
    assert "D101" in codes(check(tmp_path, sql))
    assert codes(check(tmp_path, sql, select=["T1"])) == ["T101"]
    assert "D101" not in codes(check(tmp_path, sql, ignore=["D101"]))
    assert codes(check(tmp_path, sql, ignore=["ALL"])) == []


@pytest.mark.parametrize("how", [{"select": ["T1O1"]}, {"ignore": ["Z"]}, {"select": ["T", "t1"]}])
def test_a_code_that_no_rule_has_is_no_reason_to_pass(how: dict[str, list[str]], tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="No rule has a code that begins with"):
        check(tmp_path, "ALTER TABLE t DROP COLUMN note", **how)


@pytest.mark.parametrize(
    "sql",
    [
        f"-- projector: ignore D101 nobody reads it\n{DROP}",
        f"{DROP} -- projector: ignore D101 nobody reads it",
        f"{DROP}; -- projector: ignore D nobody reads it",
        "ALTER TABLE t\n-- projector: ignore T1, D101 nobody reads it\nDROP COLUMN note",
        f"/* projector: ignore D101 nobody reads it */ {DROP}",
        f"/* projector: ignore D101 nobody reads it */\r\n{DROP}",
        f"{DROP} /*projector: ignore D101 nobody reads it*/; ALTER TABLE t ALTER COLUMN qty TYPE bigint",
        f"/*\n * Cleaning up.\n * projector: ignore D101 nobody reads it\n */\n{DROP}",
        "ALTER TABLE t /* -- projector: ignore D101 nobody reads it */ DROP COLUMN note",
    ],
)
def test_a_comment_is_about_its_statement(sql: str, tmp_path: Path) -> None:
    report = check(tmp_path, sql)
    assert "D101" not in codes(report)
    assert [(s.finding.code, s.reason) for s in report.suppressed] == [("D101", "nobody reads it")]
    assert report.unused_suppressions == ()


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        (f"{DROP};\n-- projector: ignore D101 too late\nALTER TABLE t ALTER COLUMN qty TYPE bigint", "no such finding"),
        (f"-- projector: ignore D101\n{DROP}", "has no reason"),
        (f"-- projector: ignore T101 what is not there\n{DROP}", "no such finding"),
        (f"{DROP}\n-- projector: ignore D101 after everything", "no such finding"),
        (f"/* projector: ignore D101 */ {DROP}", "has no reason"),
        (f"/* projector: ignore T101 what is not there */ {DROP}", "no such finding"),
    ],
)
def test_a_comment_that_does_nothing_is_told(sql: str, says: str, tmp_path: Path) -> None:
    report = check(tmp_path, sql)
    assert "D101" in codes(report)
    assert [says in text for text in report.unused_suppressions] == [True]


def test_a_comment_in_a_string_is_none(tmp_path: Path) -> None:
    for comment in ("-- projector: ignore D101 x", "/* projector: ignore D101 x */", "a\nprojector: ignore D101 x\n"):
        report = check(tmp_path, f"ALTER TABLE t ALTER COLUMN qty COMMENT '{comment}'; {DROP}")
        assert "D101" in codes(report)
        assert report.unused_suppressions == ()


def test_entries_match_table_field_and_day(tmp_path: Path) -> None:
    (finding,) = (f for f in check(tmp_path, DROP).deciding if f.code == "D101")
    day = datetime.date(2030, 1, 1)

    def left(**entry: object) -> int:
        suppression = Suppression(("D",), "why", "here", **entry)  # type: ignore[arg-type]
        return len(sift([finding], "s3://lake/db/orders", suppressions=[suppression], today=day).findings)

    assert left() == left(table="orders") == left(table="s3://lake/*") == left(path="no*") == left(until=day) == 0
    assert left(table="items") == left(path="qty") == left(until=datetime.date(2029, 12, 31)) == 1


def test_the_nearest_configuration_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "projector.toml").write_text('level = "schema"')
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")
    assert find_config(inner).level == "schema"
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.projector]\ncompatibility = "full"\nselect = ["t"]\n')
    assert (find_config(inner).level, find_config(inner).compatibility, find_config(inner).select) == (
        None, "full", ("T",),
    )  # fmt: skip
    assert find_config(tmp_path).file == tmp_path / "projector.toml"


def test_ignore_entries(tmp_path: Path) -> None:
    file = tmp_path / "projector.toml"
    file.write_text(
        '[[ignore]]\ntable = "orders"\nfield = "note"\ncodes = ["d101"]\nreason = "gone"\nuntil = 2031-02-03\n'
    )
    (entry,) = read_config(file).suppressions
    assert (entry.codes, entry.table, entry.path, entry.reason) == (("D101",), "orders", "note", "gone")
    assert entry.until == datetime.date(2031, 2, 3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("levl = 1", "unknown key: levl"),
        ('level = "deep"', "is not one of"),
        ("level = [1]", "is not one of"),
        ("select = 'T'", "not a list"),
        ("sample = 0", "not a number of files"),
        ("ignore = 3", "not a list of tables"),
        ("[[ignore]]\ncodes = []", "codes are missing"),
        ("[[ignore]]\ncodes = ['T']\nuntil = '2030-01-01'", "until is not a date"),
        ("[[ignore]]\ncods = ['T']", "unknown key: cods"),
        ("x = ", "Cannot read the configuration"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "projector.toml"
    file.write_text(text)
    with pytest.raises(ParseError, match=says):
        read_config(file)


def test_a_configuration_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no configuration"):
        read_config(tmp_path / "projector.toml")
