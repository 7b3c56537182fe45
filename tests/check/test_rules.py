"""Every rule says what its cases say, has one that fires and one that does not, and its page is up to date."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from projector.check.kit.known_failures import FAILURES, Failure
from projector.check.kit.rule import HEADINGS, Rule
from projector.check.rules import all_rules
from projector.render.rule_page import index, page
from tests.check.case import Case

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs" / "rules"


def cases_of(code: str) -> list[Case]:
    found: list[Case] = import_module(f"tests.check.cases.{code.lower()}").CASES
    return found


def every_case() -> list[Any]:
    return [
        pytest.param(code, case, id=f"{code}-{case.description.replace(' ', '-')}")
        for code in all_rules()
        for case in cases_of(code)
    ]


@pytest.mark.parametrize(("code", "case"), every_case())
def test_case(code: str, case: Case, tmp_path: Path) -> None:
    report = case.report(tmp_path)
    found = [f for f in report.deciding if f.code == code]
    assert sorted(f.path or "" for f in found) == sorted(case.expect), [f.message for f in report.findings]
    if case.severity is not None:
        assert {str(f.severity) for f in found} == {case.severity}
    for finding in report.findings:
        assert finding.message
        assert "\n" not in finding.message
        assert finding.help is None or "\n" not in finding.help
    json.dumps(report.to_json())


@pytest.mark.parametrize("code", all_rules())
def test_there_is_a_case_that_fires_and_a_near_miss(code: str) -> None:
    cases = cases_of(code)
    assert any(case.expect for case in cases)
    assert any(not case.expect for case in cases)


@pytest.mark.parametrize("rule", all_rules().values(), ids=all_rules())
def test_documentation(rule: Rule) -> None:
    assert tuple(rule.sections()) == HEADINGS
    assert all(rule.sections().values())
    assert rule.why
    assert rule.summary.startswith("Finds ")
    assert (DOCS / f"{rule.code.lower()}.md").read_text() == page(rule), "run: projector rules --write docs/rules"


def test_the_index_is_up_to_date() -> None:
    assert (DOCS / "README.md").read_text() == index(all_rules()), "run: projector rules --write docs/rules"
    pages = {path.stem.upper() for path in DOCS.glob("*.md")} - {"README"}
    assert pages == set(all_rules())


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.number)
def test_every_known_failure_has_a_rule_or_a_reason(failure: Failure) -> None:
    assert failure.codes or failure.unless
    assert set(failure.codes) <= set(all_rules())
    assert all(any(case.expect for case in cases_of(code)) for code in failure.codes)


def test_known_failures_are_numbered_once() -> None:
    numbers = [failure.number for failure in FAILURES]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("rule", all_rules().values(), ids=all_rules())
def test_a_rule_is_a_small_file_named_after_it(rule: Rule) -> None:
    function = rule.on_change or rule.on_state
    assert function is not None
    module = import_module(function.__module__)
    path = Path(str(module.__file__))
    assert path.name.startswith(f"{rule.code.lower()}_")
    assert len(path.read_text().splitlines()) <= 120
    assert (module.__doc__ or "").startswith(f"{rule.code} {rule.name}.\n")
