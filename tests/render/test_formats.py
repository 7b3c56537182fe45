"""Every rendering of a report: well formed, complete, and unmoved by what names and values hold."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import projector
from projector.check.report.report import Report
from projector.render import text
from projector.render.formats import FORMATS, render_report
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, NestedField, StringType
from tests.check.tables import table

ROOT = Path(__file__).parent.parent.parent
EVIL = "<script>alert(1)</script>|`*[x](y)\n\x1b[31m@all ::error::x%0A]]>&'\""
SQL = """-- the price is text now
ALTER TABLE shop.orders
  ALTER COLUMN qty TYPE string;
ALTER TABLE shop.orders DROP COLUMN note; -- projector: ignore D101 nobody reads it
ALTER TABLE shop.orders ALTER COLUMN qty TYPE bigint;
"""


@pytest.fixture
def report(tmp_path: Path) -> Report:
    make = table("1 id int!, 2 qty int, 3 note string", [{"id": 1, "qty": 2, "note": "x"}])
    return projector.check(
        make(tmp_path), sql=SQL, any_table=True, sql_file="migrations/7.sql", level="values", engines=["spark"]
    )


@pytest.fixture
def evil(tmp_path: Path) -> Report:
    schema = Schema((NestedField(1, EVIL, IntegerType()), NestedField(2, "b", StringType())))
    make = table(schema, [{EVIL: 1, "b": EVIL}])
    update = projector.UpdateSchema().update_column_type((EVIL,), "string").rename_column("b", EVIL + "2")
    return projector.check(make(tmp_path), update, level="values", engines=["spark"])


def test_text_shows_the_words_that_cause_it(report: Report) -> None:
    shown = text.render(report)
    assert (
        "error[T101 illegal-type-change]: qty: int -> string is not a promotion\n  --> migrations/7.sql:3:16\n" in shown
    )
    assert "  3 | ALTER COLUMN qty TYPE string;\n    |              ^^^^^^^^^^^^^^^\n" in shown
    assert "1 of 1 live file, 1 row, 1 shape" in shown
    assert re.search(r"^1 error, 0 warnings", shown, re.MULTILINE)
    assert "nothing was committed" in shown
    assert "suppressed D101 note: nobody reads it (line 4)" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("name", "width"), [("\u540d\u524d", 4), ("\U0001f389", 2), ("e\u0301", 1), ("b\x07l", 6), ("plain", 5)]
)
def test_marks_stand_under_the_words_on_a_terminal(name: str, width: int, tmp_path: Path) -> None:
    make = table("1 id int!, 2 note string", [{"id": 1, "note": "x"}])
    sql = f"ALTER TABLE t ADD COLUMN `{name}` int; ALTER TABLE t DROP COLUMN `{name}{name}`"
    shown = text.render(projector.check(make(tmp_path), sql=sql)).splitlines()
    marks = shown[next(i for i, line in enumerate(shown) if "[S101" in line) + 3]
    before = len("  1 | ALTER TABLE t ADD COLUMN `` int; ALTER TABLE t DROP COLUMN ") + width - len("  1 | ")
    assert marks == "    | " + " " * before + "^" * (2 * width + 2)


def test_text_in_colour(report: Report) -> None:
    assert "\x1b[" in text.render(report, color=True)


def conforms(value: Any, schema: Any, root: Any, path: str = "$") -> None:
    """The parts of JSON Schema that the published one uses."""
    if "oneOf" in schema and isinstance(value, dict):
        schema = schema["oneOf"]["reports" in value]
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
    if "type" in schema:
        allowed = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        assert any(type(value) is kinds[kind] for kind in allowed), f"{path}: {value!r}"
    if "enum" in schema:
        assert value in schema["enum"], path
    if "const" in schema:
        assert value == schema["const"], path
    if "pattern" in schema:
        assert re.search(schema["pattern"], value), path
    if isinstance(value, dict) and "properties" in schema:
        assert set(schema["required"]) == set(schema["properties"]), path
        assert value.keys() == set(schema["required"]), path
        for key, child in value.items():
            conforms(child, schema["properties"][key], root, f"{path}.{key}")
    if isinstance(value, list):
        for number, child in enumerate(value):
            conforms(child, schema["items"], root, f"{path}[{number}]")


@pytest.mark.parametrize("which", ["report", "evil"])
def test_json_is_as_published(which: str, request: pytest.FixtureRequest) -> None:
    published = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    document = json.loads(render_report(request.getfixturevalue(which), "json"))
    conforms(document, published, published)
    assert document["findings"]


def test_an_audit_in_json(tmp_path: Path) -> None:
    published = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    conforms(projector.check(table("1 a int")(tmp_path)).to_json(), published, published)


def test_sarif(report: Report) -> None:
    run = json.loads(render_report(report, "sarif"))["runs"][0]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert {"T101"} <= set(ids)
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["partialFingerprints"]["finding/v1"]
    (place,) = (r["locations"][0] for r in run["results"] if r["ruleId"] == "T101")
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "migrations/7.sql"
    assert place["physicalLocation"]["region"] | {"charOffset": 0} == {
        "startLine": 3, "startColumn": 16, "charOffset": 0, "charLength": 15,
    }  # fmt: skip
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "qty"


def test_a_fingerprint_is_of_the_finding_and_not_of_its_line(tmp_path: Path) -> None:
    make = table("1 id int!, 2 qty int", [{"id": 1, "qty": 2}])

    def prints(sql: str, folder: str) -> list[str]:
        found = json.loads(render_report(projector.check(make(tmp_path / "t"), sql=sql), "sarif"))
        return [result["partialFingerprints"]["finding/v1"] for result in found["runs"][0]["results"]]

    one = "ALTER TABLE t ALTER COLUMN qty TYPE string"
    assert prints(one, "a") == prints(f"-- a line\n\n{one}", "b")


@pytest.mark.parametrize("which", ["report", "evil"])
def test_junit(which: str, request: pytest.FixtureRequest) -> None:
    suites = ElementTree.fromstring(render_report(request.getfixturevalue(which), "junit").partition("\n")[2])
    cases = suites.findall("./testsuite/testcase")
    assert len(cases) == int(suites.get("tests", "")) > 40
    failed = [case for case in cases if case.find("failure") is not None]
    assert len(failed) == int(suites.get("failures", "")) == 1
    assert failed[0].get("name") == "T101 illegal-type-change"


def test_github(report: Report) -> None:
    lines = render_report(report, "github").splitlines()
    assert lines[0].startswith("::error file=migrations/7.sql,line=3,col=16,title=T101 illegal-type-change::qty: int")
    assert all(re.match("::(error|warning|notice) ", line) for line in lines)


def test_github_data_cannot_be_commands(evil: Report) -> None:
    for line in render_report(evil, "github").splitlines():
        assert re.match("::(error|warning|notice) ", line)


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [str(value) for name, value in attrs if name in ("src", "href") or name.startswith("on")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("which", ["report", "evil"])
def test_html_is_one_page_and_well_formed(which: str, request: pytest.FixtureRequest) -> None:
    found = request.getfixturevalue(which)
    page = render_report(found, "html")
    seen = Seen()
    seen.feed(page)
    assert not seen.open
    assert not seen.links
    assert "script" not in seen.tags
    assert {"table", "details", "style", "ul"} <= set(seen.tags)
    assert "Rows before and after" in page
    assert "Where values come from" in page
    assert found._repr_html_() == page


def test_markdown_says_nothing_else_than_what_it_says(evil: Report, report: Report) -> None:
    outside_code = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", render_report(evil, "markdown"))
    assert "<script" not in outside_code
    assert "@all" not in outside_code
    assert "\x1b" not in outside_code
    assert "| ❌ | T101 | `qty` |" in render_report(report, "markdown")


def test_text_cannot_steer_a_terminal(evil: Report) -> None:
    assert "\x1b" not in text.render(evil)


@pytest.mark.parametrize("form", list(FORMATS))
def test_every_format_of_an_empty_report(form: str, tmp_path: Path) -> None:
    clean = projector.check(table("1 a int")(tmp_path), sql="ALTER TABLE t ADD COLUMN b int")
    assert isinstance(render_report(clean, form), str)


@pytest.mark.parametrize("width", [40, 80])
def test_text_wraps_between_words(width: int, report: Report) -> None:
    whole, wrapped = text.render(report), text.render(report, width=width)
    assert wrapped.split() == whole.split()
    long = [line for line in wrapped.splitlines() if len(line) > width]
    assert all(len(line.split()) == 1 or "|" in line or "-->" in line for line in long)
    assert len(wrapped.splitlines()) > len(whole.splitlines())
    assert "  3 | ALTER COLUMN qty TYPE string;\n    |              ^^^^^^^^^^^^^^^\n" in wrapped


def test_wrapped_text_keeps_to_the_right_of_its_label(report: Report) -> None:
    lines = text.render(report, width=50).splitlines()
    why = next(i for i, line in enumerate(lines) if line.startswith("  why "))
    assert lines[why + 1].startswith(" " * 12)
    assert lines[why + 1][12] != " "
