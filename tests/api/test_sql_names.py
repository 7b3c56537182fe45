"""SQL changes only the table that it names."""

from __future__ import annotations

from pathlib import Path

import pytest
from projector_cli.main import run

import projector
from projector.api.table import Table
from projector.check.change.proposal import from_sql
from projector.errors import ParseError
from tests.check.tables import table

MAKE = table("1 id int!", lambda b: b.append([{"id": 1}]))


@pytest.fixture
def events(tmp_path: Path) -> Table:
    MAKE(tmp_path / "events")
    return projector.load_table(str(tmp_path / "events"))


@pytest.mark.parametrize("name", ["t", "T", "events", "Events", "shop.events", "prod.shop.events", "`events`"])
def test_takes_the_tables_own_names(events: Table, name: str) -> None:
    sql = f"ALTER TABLE {name} ADD COLUMN x int"
    assert projector.check(events, sql=sql, level="schema").after is not None
    assert events.prepare(sql).changed
    assert events.as_if(sql).schema().find_id("x") == 2


@pytest.mark.parametrize("name", ["customers", "shop.customers", "events.customers", "t.customers", "event"])
def test_refuses_another_table(events: Table, name: str) -> None:
    sql = f"/* 1 */ ALTER TABLE {name} ADD COLUMN x int"
    for call in (lambda: projector.check(events, sql=sql), lambda: events.prepare(sql), lambda: events.as_if(sql)):
        with pytest.raises(ParseError, match=f"The SQL is for table {name}, not for this one") as caught:
            call()
        assert caught.value.line_and_column == (1, 9)
    assert projector.check(events, sql=sql, level="schema", any_table=True).after is not None


@pytest.mark.parametrize("name", ["orders", "shop.orders", "prod.shop.orders"])
def test_a_name_from_a_catalog(events: Table, name: str) -> None:
    names = (("t",), ("shop", "orders"))
    sql = f"ALTER TABLE {name} ADD COLUMN x int"
    assert from_sql(sql, "spark", events.metadata, table_names=names).script is not None


@pytest.mark.parametrize("name", ["store.orders", "shop.customers", "shop"])
def test_another_name_in_a_catalog(events: Table, name: str) -> None:
    names = (("t",), ("shop", "orders"))
    with pytest.raises(ParseError):
        from_sql(f"ALTER TABLE {name} ADD COLUMN x int", "spark", events.metadata, table_names=names)


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = tmp_path / "events"
    MAKE(at)
    sql = ["--sql", "ALTER TABLE shop.customers ADD COLUMN x int"]
    for verb in ("check", "commit", "plan"):
        assert run([verb, str(at), *sql]) == 2
        assert "--any-table" in capsys.readouterr().err
    assert projector.load_table(str(at)).schema().find_id("x") is None
    assert run(["commit", str(at), *sql, "--any-table"]) == 0
    assert projector.load_table(str(at)).schema().find_id("x") == 2
