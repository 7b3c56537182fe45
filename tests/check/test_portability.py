"""What readers are known to do: the table holds together, the page is up to date, and the choice of readers counts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import projector
from projector.check.portability import FEATURES, TRIED, Engine, engines_of
from projector.check.portability_page import page
from projector.check.rules import all_rules
from projector.errors import UnsupportedError
from tests.check.tables import table
from tests.conformance.cases import cases

PAGE = Path(__file__).parent.parent.parent / "docs" / "portability.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run: projector rules --portability > docs/portability.md"


@pytest.mark.parametrize("feature", FEATURES.values(), ids=FEATURES)
def test_a_feature_names_a_rule_and_its_evidence(feature: object) -> None:
    assert feature.rule is None or feature.rule in all_rules()
    assert feature.behaviours
    names = {case.name for case in cases()}
    for behaviour in feature.behaviours:
        known = behaviour.evidence.removeprefix("case ")
        assert behaviour.evidence == TRIED or known in names or re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", known)
        assert behaviour.evidence != TRIED or behaviour.versions, "what was tried has a version"


def test_every_rule_on_portability_reads_the_table() -> None:
    told = {feature.rule for feature in FEATURES.values()}
    without = {"X114", "X901"}
    assert {code for code in all_rules() if code.startswith("X")} - without <= told


def test_readers_by_name() -> None:
    assert engines_of(["DuckDB", " spark "]) == {Engine.DUCKDB, Engine.SPARK}
    assert engines_of([]) == frozenset()
    with pytest.raises(UnsupportedError, match="choose from spark, trino, duckdb, polars, pyiceberg"):
        engines_of(["presto"])


def test_a_finding_names_the_readers_that_matter_and_no_others(tmp_path: Path) -> None:
    nanos = table("1 t timestamp_ns", version=3)(tmp_path)
    (finding,) = (f for f in projector.check(nanos, engines=["duckdb", "polars"]).findings if f.code == "X102")
    assert finding.message == "type timestamp_ns: known to fail in duckdb"
    assert finding.evidence.facts == ("duckdb 1.5.5 does not know the type",)
    assert not projector.check(nanos, engines=["polars"]).findings
