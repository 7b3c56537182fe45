"""Random changes of the suite's tables: refused where Java refuses, else the schema, ids, specs, orders and mapping.

A difference needs a rule: it goes by what was asked and what Java said, and is in docs/java-differences.md. The
sentences of refusals are not compared.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.evolution.replay import Answer, comparable, random_changes, replayed, tables, written

CASES = {case["id"]: case for case in random_changes()}
DOCUMENT = Path(__file__).parents[2] / "docs" / "java-differences.md"


@dataclass(frozen=True)
class Rule:
    """A kind of change that Java refuses and that is allowed here.

    Parameters
    ----------
    documented:
        How its line in docs/java-differences.md begins.
    sentence:
        What Java or Spark says.
    kinds:
        The kinds of change that it may explain.
    """

    documented: str
    sentence: str
    kinds: tuple[str, ...] = ("sql",)

    def explains(self, case: dict[str, Any]) -> bool:
        said = case["java"].get("refused")
        return said is not None and case["kind"] in self.kinds and re.search(self.sentence, said) is not None


RULES = (
    Rule(
        "Spark cannot open a table with a column of a type that it lacks",
        "^(Cannot convert unknown type to Spark|Spark does not support time fields|Unsupported type: variant)",
    ),
    Rule("Spark finds names in any case", "^.AMBIGUOUS_COLUMN_OR_FIELD"),
    Rule("Java refuses a nested type whose placeholder ids repeat", "^Multiple entries with same key: 9", ("ops",)),
    Rule(
        "Java cannot read the default `{}` of a struct",
        "^Cannot create expression literal from .*GenericRecord",
        ("ops", "sql", "txn"),
    ),
)
UNCHANGED = "an update that changes nothing, on a table with a name mapping"


@cache
def here(case_id: str) -> Answer:
    return replayed(CASES[case_id])


def agrees(case_id: str) -> bool:
    return comparable(here(case_id)) == comparable(CASES[case_id]["java"])


def changes_nothing_but_javas_mapping(case_id: str) -> bool:
    """Whether only the mapping differs, and here the table stays as it was."""
    case = CASES[case_id]
    if "refused" in case["java"] or "refused" in here(case_id):
        return False
    ours, javas = comparable(here(case_id)), comparable(case["java"])
    if ours != comparable(written(tables()[case["table"]])):
        return False
    return {key for key in ours | javas if ours.get(key) != javas.get(key)} == {"name-mapping"}


def rule_for(case_id: str) -> str | None:
    """The one rule for a case that differs from Java."""
    if changes_nothing_but_javas_mapping(case_id):
        return UNCHANGED
    if "refused" in here(case_id):
        return None
    found = [rule.documented for rule in RULES if rule.explains(CASES[case_id])]
    return found[0] if len(found) == 1 else None


@pytest.mark.parametrize("table", sorted({case["table"] for case in CASES.values()}))
def test_makes_of_every_change_what_java_makes(table: str) -> None:
    wrong = [
        (case_id, json.dumps(case["change"]), case["java"], here(case_id))
        for case_id, case in CASES.items()
        if case["table"] == table and not agrees(case_id) and rule_for(case_id) is None
    ]
    assert wrong == []


def test_every_rule_is_needed_and_documented() -> None:
    text = DOCUMENT.read_text()
    needed = {rule_for(case_id) for case_id in CASES if not agrees(case_id)}
    assert needed == {UNCHANGED, *(rule.documented for rule in RULES)}
    assert f"| {UNCHANGED} |" in text
    for rule in RULES:
        assert f"\n- {rule.documented}" in text, rule.documented
