"""What a commit refuses, a check reports, also if a later operation takes the refused one back; and the reverse."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import projector
from projector.api.table import Table
from projector.check.report.findings import Direction
from projector.errors import SchemaUpdateError
from tests.check.tables import table


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Table:
    folder: Path = tmp_path_factory.mktemp("t")
    return table(
        "1 a int, 2 b string, 3 s {4 x int, 5 y int}", lambda b: b.append([{"a": 1, "b": "x", "s": {"x": 1, "y": 2}}])
    )(folder)


def is_refused(made: Table, changes: list[str]) -> bool:
    """Whether the table takes the changes as one commit."""
    try:
        made.prepare("; ".join(f"ALTER TABLE t {change}" for change in changes))
    except SchemaUpdateError:
        return True
    return False


def is_reported(made: Table, changes: list[str]) -> bool:
    report = projector.check(made, sql="; ".join(f"ALTER TABLE t {change}" for change in changes), level="schema")
    return any(finding.direction is Direction.CANNOT_APPLY for finding in report.findings)


@pytest.mark.parametrize(
    "changes",
    [
        ["ADD COLUMN x int NOT NULL", "ALTER COLUMN x DROP NOT NULL"],
        ["ADD COLUMN x int NOT NULL", "DROP COLUMN x"],
        ["ALTER COLUMN a SET NOT NULL", "DROP COLUMN a"],
        ["ALTER COLUMN a SET NOT NULL", "ALTER COLUMN a DROP NOT NULL"],
        ["ALTER COLUMN a SET NOT NULL", "ADD PARTITION FIELD b", "ALTER COLUMN a DROP NOT NULL"],
        ["ADD COLUMN s.z int NOT NULL", "DROP COLUMN s"],
    ],
)
def test_reports_a_refused_step_that_is_taken_back(made: Table, changes: list[str]) -> None:
    assert is_refused(made, changes)
    assert is_reported(made, changes)


NAMES = st.sampled_from(["a", "b", "s.x", "c", "s.c"])
TOPS = st.sampled_from(["a", "b", "s", "c", "a_bucket_4"])
CHANGES = st.one_of(
    st.builds("ADD COLUMN {} {}".format, NAMES, st.sampled_from(["int", "string", "int NOT NULL"])),
    st.builds("DROP COLUMN {}".format, st.one_of(NAMES, TOPS)),
    st.tuples(NAMES, TOPS)
    .filter(lambda two: two[0].split(".")[-1] != two[1])
    .map(lambda two: "RENAME COLUMN {} TO {}".format(*two)),
    st.builds("ALTER COLUMN {} {}".format, NAMES, st.sampled_from(["SET NOT NULL", "DROP NOT NULL", "TYPE bigint"])),
    st.builds("ALTER COLUMN {} AFTER {}".format, TOPS, TOPS),
    st.builds("ADD PARTITION FIELD {}".format, NAMES),
    st.builds("ADD PARTITION FIELD bucket(4, {})".format, NAMES),
    st.builds("DROP PARTITION FIELD {}".format, TOPS),
    st.builds("WRITE ORDERED BY {}".format, NAMES),
    st.builds("SET IDENTIFIER FIELDS {}".format, NAMES),
    st.builds("SET TBLPROPERTIES ('format-version' = '{}')".format, st.sampled_from([1, 2, 3])),
)


@given(changes=st.lists(CHANGES, min_size=1, max_size=6))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_reports_exactly_what_a_commit_refuses(made: Table, changes: list[str]) -> None:
    assert is_reported(made, changes) == is_refused(made, changes)
