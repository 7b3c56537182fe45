"""The work of many statements grows with their number: calls are counted, not time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from projector.check.change import trial as trials
from projector.check.change.proposal import from_sql
from projector.check.change.trial import try_update
from projector.evolution.apply import schema as applying
from projector.evolution.operations.schema import NextStatement, Operation, dotted
from projector.evolution.updates.schema_commit import prepare_schema_update
from projector.evolution.updates.update_schema import UpdateSchema
from projector.schema.name_mapping import NAME_MAPPING_PROPERTY, NameMapping, create_mapping
from tests.evolution.tables import ORDERS, table_metadata

MAPPED = table_metadata(properties={NAME_MAPPING_PROPERTY: create_mapping(ORDERS).to_json()})


def update_of(*changes: str) -> UpdateSchema:
    update = from_sql(";".join(f"ALTER TABLE t {change}" for change in changes), "spark", MAPPED).update
    assert isinstance(update, UpdateSchema)
    return update


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the schema is rebuilt, an operation looked at, and the name mapping parsed."""
    counted: Counter[str] = Counter()
    rebuilt, gather, parse = applying.rebuilt_fields, applying.gather, NameMapping.from_json

    def count_rebuilt(*args: Any) -> Any:
        counted["rebuilt"] += 1
        return rebuilt(*args)

    def count_gathered(operations: Any, *args: Any) -> Any:
        listed = list(operations)
        counted["operations"] += len(listed)
        return gather(listed, *args)

    def count_parsed(text: Any) -> Any:
        counted["mappings"] += 1
        return parse(text)

    monkeypatch.setattr(applying, "rebuilt_fields", count_rebuilt)
    monkeypatch.setattr(applying, "gather", count_gathered)
    monkeypatch.setattr(NameMapping, "from_json", staticmethod(count_parsed))
    return counted


@pytest.mark.parametrize("count", [100, 400])
def test_prepares_each_statement_once(count: int, calls: Counter[str]) -> None:
    update = update_of(*(f"ADD COLUMN c{i} int" for i in range(count)))
    commit = prepare_schema_update(MAPPED, update)
    assert len(commit.schema.fields) == len(ORDERS.fields) + count
    assert calls == {"rebuilt": 1, "operations": count, "mappings": 1}


@pytest.mark.parametrize("count", [100, 400])
def test_tries_each_statement_once(count: int, calls: Counter[str]) -> None:
    trial = try_update(MAPPED, update_of(*(f"ADD COLUMN c{i} int" for i in range(count))))
    assert not trial.refusals
    assert calls == {"rebuilt": 1, "operations": count, "mappings": 1}


def test_finds_the_one_that_is_refused_by_halves(calls: Counter[str]) -> None:
    changes = [f"ADD COLUMN c{i} int" for i in range(256)]
    changes[100] = "ALTER COLUMN missing TYPE bigint"
    trial = try_update(MAPPED, update_of(*changes))
    assert [refusal.error.message for refusal in trial.refusals] == ["Cannot update missing column: missing"]
    assert len(trial.schema.fields) == len(ORDERS.fields) + 255
    assert calls["rebuilt"] < 2 * 10  # 256 is 2 to the power of 8


@pytest.mark.parametrize(
    "changes",
    [
        ["ADD COLUMN x int", "RENAME COLUMN x TO y", "ADD COLUMN x string"],
        ["RENAME COLUMN note TO day2", "RENAME COLUMN day TO note", "RENAME COLUMN day2 TO day"],
        ["ADD COLUMN lines.element.x int", "RENAME COLUMN lines.x TO y", "ALTER COLUMN lines.element.y TYPE bigint"],
        ["RENAME COLUMN buyer TO Note2", "DROP COLUMN note2.age", "ADD COLUMN NOTE2.age string"],
        ["DROP COLUMN buyer", "ADD COLUMN buyer struct<name: string>", "ADD COLUMN buyer.age int"],
        ["ADD COLUMN p int", "ALTER COLUMN p FIRST", "ADD COLUMN q int", "DROP COLUMN p", "ADD COLUMN p int AFTER q"],
        ["ALTER COLUMN prices.value.net TYPE bigint", "RENAME COLUMN prices.net TO gross", "DROP COLUMN note"],
    ],
)
def test_gives_what_single_statements_give(changes: list[str]) -> None:
    """The same schema, ids and mapping as one commit after the other."""
    together = prepare_schema_update(MAPPED, update_of(*changes)).metadata
    now = MAPPED
    for change in changes:
        now = prepare_schema_update(now, update_of(change)).metadata
    assert together.current_schema.fields == now.current_schema.fields
    assert together.last_column_id == now.last_column_id
    assert together.name_mapping == now.name_mapping


def test_names_the_first_error_of_single_statements() -> None:
    """A schema that is refused as a whole comes before an operation of a later statement that is refused."""
    update = update_of("ADD COLUMN t variant", "ALTER COLUMN missing TYPE bigint")
    operations: list[Operation] = list(update.operations)
    assert isinstance(operations[1], NextStatement)
    with pytest.raises(Exception, match="Invalid schema for v2"):
        prepare_schema_update(MAPPED, update)


@pytest.mark.parametrize("count", [100, 400])
def test_compares_each_refusal_with_names_not_with_the_other_refusals(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = 0

    def counting(path: Any) -> str:
        nonlocal named
        named += 1
        return dotted(path)

    monkeypatch.setattr(trials, "dotted", counting)
    refused = try_update(MAPPED, update_of(*["ALTER COLUMN missing TYPE bigint"] * count)).refusals
    assert len(refused) == count
    assert named <= 2 * count
