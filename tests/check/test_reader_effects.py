"""The verdicts beside what readers did: pyiceberg, Polars, DuckDB and Spark, over random changes of the suite's tables.

`data/reader_effects.jsonl.xz` has changes that Java accepts, and the readers that fail after them, or give other rows
than before; observed on 2026-12-01 with the versions of `projector.check.observations`. A column that old files lack is
null or its default after the change, filters on changed columns count, and so does what a change of the name mapping
moves.
"""

from __future__ import annotations

import json
import lzma
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import projector
from projector.check.report.findings import Finding
from tests.check.test_ordinary_changes import open_table
from tests.conformance.conftest import tables  # noqa: F401 - the fixture
from tests.evolution.corpus import recorded

FILE = Path(__file__).parent / "data" / "reader_effects.jsonl.xz"

Verdict = tuple[dict[str, Any], list[Finding]]


@pytest.fixture(scope="module")
def verdicts(tables: Path) -> list[Verdict]:  # noqa: F811
    return list(judged(tables))


def judged(folder: Path) -> Iterator[Verdict]:
    """Yield each change with the errors and warnings that it introduces."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for entry in map(json.loads, lzma.decompress(FILE.read_bytes()).decode().splitlines()):
            table, change = open_table(entry["table"], folder), entry["change"]
            if isinstance(change, list):
                report = projector.check(table, sql="; ".join(text.replace("{t}", "t") for text in change))
            else:
                update = recorded(format_version=table.metadata.format_version, **change)
                report = projector.check(table, update)
            yield entry, [f for f in report.findings if f.is_new and f.severity != "info"]


def test_no_change_that_harms_a_reader_is_missed(verdicts: list[Verdict]) -> None:
    missed = [entry for entry, findings in verdicts if entry["effects"] and not findings]
    assert not missed


def test_at_most_one_finding_in_ten_has_no_effect(verdicts: list[Verdict]) -> None:
    found = [(entry, finding) for entry, findings in verdicts for finding in findings]
    idle = [f"{finding.code} {entry}" for entry, finding in found if not entry["effects"]]
    assert len(found) > 90
    assert len(idle) * 10 <= len(found), idle
