"""What readers are known to do: the table holds together, the page is up to date, and the choice of readers counts."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

import projector
from projector.check.observations import OBSERVATIONS
from projector.check.portability import FEATURES, TRIED, Engine, Feature, engines_of
from projector.check.rules import all_rules
from projector.errors import UnsupportedError
from projector.render.portability_page import page
from tests.check.tables import table
from tests.check.test_ordinary_changes import open_table
from tests.conformance.cases import cases
from tests.conformance.conftest import tables  # noqa: F401 - the fixture
from tests.readers.claims import CLAIMS

PAGE = Path(__file__).parent.parent.parent / "docs" / "portability.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run: projector rules --portability > docs/portability.md"


@pytest.mark.parametrize("feature", FEATURES.values(), ids=FEATURES)
def test_a_feature_names_a_rule_and_its_evidence(feature: Feature) -> None:
    assert feature.rule is None or feature.rule in all_rules()
    assert feature.behaviours
    names = {case.name for case in cases()}
    for behaviour in feature.behaviours:
        known = behaviour.evidence.removeprefix("case ")
        assert behaviour.evidence == TRIED or known in names or re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", known)
        assert behaviour.evidence != TRIED or behaviour.versions, "what was tried has a version"


def test_what_is_observed_is_what_the_claims_run() -> None:
    claimed = {(engine, claim.feature) for claim in CLAIMS for engine in claim.engines}
    assert claimed == {(engine, name) for engine, run in OBSERVATIONS.items() for name in run.features}
    assert all(claim.claimed(engine) for claim in CLAIMS for engine in claim.engines)


def test_what_is_not_observed_names_an_issue() -> None:
    for feature in FEATURES.values():
        for behaviour in feature.behaviours:
            run = OBSERVATIONS.get(behaviour.engine)
            assert "#" in behaviour.evidence or (run is not None and feature.name in run.features)


def test_every_rule_on_portability_reads_the_table() -> None:
    told = {feature.rule for feature in FEATURES.values()}
    without = {"X114", "X901", "X902", "X903"}
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


SEEN = [
    pytest.param(feature, seen.engine, seen.evidence.removeprefix("case "), id=f"{feature.name}-{seen.engine}")
    for feature in FEATURES.values()
    for seen in feature.behaviours
    if feature.rule is not None and seen.evidence.startswith("case ")
]


@pytest.mark.parametrize(("feature", "engine", "case"), SEEN)
def test_the_rule_finds_the_case_that_it_was_seen_in(feature: Feature, engine: Engine, case: str, tables: Path) -> None:  # noqa: F811
    """An audit of the conformance suite's table, for the one reader alone, tells of what the reader does with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = projector.check(open_table(case, tables), engines=[engine])
    found = [f for f in report.findings if f.code == feature.rule]
    assert found
    if feature.rule is not None and feature.rule[0] == "X":
        assert any(f.message.endswith(f"in {engine}") for f in found)
