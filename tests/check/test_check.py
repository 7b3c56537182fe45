"""The check as a whole: proposals of every kind, refusals, statuses, compatibility, and that it writes nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import projector
from projector import UpdateSchema
from projector.check.report.findings import Direction, Severity, Status
from projector.check.report.policy import POLICY, Compatibility, severity_of
from projector.check.rules import all_rules
from projector.errors import CorruptFileError, NotFoundError, ParseError, ProjectorError, UnsupportedError
from projector.schema.schema import Schema
from tests.check.tables import evolve, foreign, schema, table
from tests.planning.tables import TableBuilder

MAKE = table("1 id int!, 2 note string, 3 qty int", [{"id": 1, "note": "x", "qty": 1}])


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_nothing_is_written(tmp_path: Path) -> None:
    made = MAKE(tmp_path)
    before = contents(tmp_path)
    projector.check(made, sql="ALTER TABLE t DROP COLUMN note; ALTER TABLE t ADD COLUMN z int", level="values")
    projector.check(made)
    assert contents(tmp_path) == before


def test_one_proposal_of_every_kind_says_the_same(tmp_path: Path) -> None:
    made = MAKE(tmp_path)
    wanted = schema("1 id int!, 2 note string, 3 qty string")
    arrow = pa.schema([pa.field("id", pa.int32(), False), ("note", pa.string()), ("qty", pa.string())])
    file = tmp_path / "wanted.json"
    file.write_text(wanted.to_json())
    reports = [
        projector.check(made, UpdateSchema().update_column_type("qty", "string")),
        projector.check(made, sql="ALTER TABLE t ALTER COLUMN qty TYPE string"),
        projector.check(made, sql="ALTER TABLE t ALTER COLUMN qty SET DATA TYPE varchar", dialect="trino"),
        projector.check(made, schema=wanted),
        projector.check(made, schema=wanted.to_json()),
        projector.check(made, schema=json.loads(wanted.to_json())),
        projector.check(made, schema=file),
        projector.check(str(tmp_path / "metadata" / "v2.metadata.json"), schema=str(file)),
        projector.check(made, schema=arrow),
    ]  # fmt: skip
    for report in reports:
        assert [(f.code, f.path, f.field_id) for f in report.deciding] == [("T101", "qty", 3)]
        assert not report.ok


def test_a_report_raises_for_errors(tmp_path: Path) -> None:
    report = projector.check(
        MAKE(tmp_path), sql="ALTER TABLE t ALTER COLUMN qty TYPE string; ALTER TABLE t DROP COLUMN z"
    )
    with pytest.raises(projector.CheckFailedError, match=r"T101 qty: .* and 1 more") as caught:
        report.raise_for_errors()
    assert caught.value.report is report
    projector.check(MAKE(tmp_path / "other"), sql="ALTER TABLE t ADD COLUMN z int").raise_for_errors()


def test_every_refusal_is_told_with_its_place(tmp_path: Path) -> None:
    actions = ("RENAME COLUMN nope TO a", "ADD COLUMN note int", "ALTER COLUMN qty TYPE date")
    sql = ";\n".join(f"ALTER TABLE t {action}" for action in actions)
    report = projector.check(MAKE(tmp_path), sql=sql)
    told = [(f.code, f.path, f.to_json()["source"]["line"]) for f in report.deciding]
    assert told == [("S101", "nope", 1), ("S102", "note", 2), ("T101", "qty", 3)]
    assert {f.direction for f in report.deciding} == {Direction.CANNOT_APPLY}


def test_what_can_be_applied_is_looked_at_beside_what_cannot(tmp_path: Path) -> None:
    sql = "ALTER TABLE t RENAME COLUMN nope TO a; ALTER TABLE t DROP COLUMN note"
    report = projector.check(MAKE(tmp_path), sql=sql)
    assert {"S101", "D101"} <= {f.code for f in report.deciding}
    assert report.after is not None
    assert [f.name for f in report.after.fields] == ["id", "qty"]


def test_an_operation_on_what_was_refused_is_not_told_again(tmp_path: Path) -> None:
    update = (
        UpdateSchema().add_column("note", "int").add_column(("nope", "x"), "int").update_column_doc(("nope", "x"), "d")
    )
    report = projector.check(MAKE(tmp_path), update)
    assert sorted(f.code for f in report.deciding) == ["S101", "S102"]


def test_a_schema_that_no_operation_makes_is_a_finding(tmp_path: Path) -> None:
    made = table("1 id int, 2 a int, 3 s {4 b int}", [{"id": 1, "a": 1, "s": None}])(tmp_path)
    report = projector.check(made, schema=schema("1 id long, 3 s {4 b int, 2 a int}"))
    assert "S104" in {f.code for f in report.deciding}
    assert report.after is not None
    assert str(report.after.fields_by_id[1].field_type) == "long"


def test_existing_findings_do_not_decide(tmp_path: Path) -> None:
    made = table("1 id int, 2 b int!", foreign({"id": pa.array([1], pa.int64())}, id=1))(tmp_path)
    report = projector.check(made, sql="ALTER TABLE t ADD COLUMN z int")
    assert report.ok
    assert {f.code for f in report.existing} >= {"F101", "N107"}
    assert not projector.check(made).ok


def test_a_finding_on_more_files_is_worsened(tmp_path: Path) -> None:
    steps = (
        [{"s": {"a": 1}}],
        evolve("1 s {2 a int, 3 b int}"),
        [{"s": {"a": 1, "b": 1}}],
        evolve("1 s {3 b int, 4 c int}"),
    )
    report = projector.check(table("1 s {2 a int}", *steps)(tmp_path), sql="ALTER TABLE t DROP COLUMN s.b")
    (finding,) = (f for f in report.findings if f.code == "S110")
    assert finding.status is Status.WORSENED
    assert finding.evidence.files == 2


def test_the_scope_is_every_retained_snapshot_unless_told_otherwise(tmp_path: Path) -> None:
    made = MAKE(tmp_path)
    raw = json.loads((tmp_path / "metadata" / "v2.metadata.json").read_text())
    first = raw["snapshots"][0]
    second = {
        **first,
        "snapshot-id": 99,
        "sequence-number": 2,
        "manifest-list": str(tmp_path / "metadata" / "empty.avro"),
    }
    list_of_nothing(tmp_path / "metadata" / "empty.avro")
    raw |= {"snapshots": [first, second], "current-snapshot-id": 99, "refs": {}, "last-sequence-number": 2}
    (tmp_path / "metadata" / "v3.metadata.json").write_text(json.dumps(raw))
    both = projector.load_table(str(tmp_path / "metadata" / "v3.metadata.json"))
    sql = "ALTER TABLE t ALTER COLUMN qty TYPE string"
    assert projector.check(both, sql=sql).looked_at.footers == 1
    latest = projector.check(both, sql=sql, compatibility="backward")
    assert latest.looked_at.footers == 0
    assert any("1 older snapshots" in text for text in latest.not_looked_at)
    assert made.metadata.snapshot_ids == (10,)


def list_of_nothing(path: Path) -> None:
    from tests.metadata.build import LIST_V3, write_avro

    write_avro(path, LIST_V3, [])


def test_a_file_that_is_gone_is_told_and_the_others_are_looked_at(tmp_path: Path) -> None:
    made = table("1 id int", [{"id": 1}], [{"id": 2}])(tmp_path)
    (tmp_path / "data" / "00001.parquet").unlink()
    report = projector.check(made, sql="ALTER TABLE t ALTER COLUMN id TYPE bigint")
    assert report.looked_at.footers == 1
    assert [u.file.rpartition("/")[2] for u in report.unreadable] == ["00001.parquet"]


def test_a_table_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    made = MAKE(tmp_path)
    manifest = next((tmp_path / "metadata").glob("m-*.avro"))
    manifest.write_bytes(b"nothing")
    with pytest.raises(CorruptFileError):
        projector.check(made)
    assert projector.check(made, sql="ALTER TABLE t ADD COLUMN z int", level="schema").ok


def test_what_is_not_understood_is_an_error(tmp_path: Path) -> None:
    made = MAKE(tmp_path)
    with pytest.raises(ParseError):
        projector.check(made, sql="ALTER TABLE t FROB")
    with pytest.raises(UnsupportedError, match="Unknown level"):
        projector.check(made, level="deep")
    with pytest.raises(UnsupportedError, match="Unknown compatibility"):
        projector.check(made, compatibility="sideways")
    with pytest.raises(ProjectorError, match="several proposals"):
        projector.check(made, UpdateSchema(), sql="x")
    with pytest.raises(NotFoundError, match="no schema"):
        projector.check(made, schema=tmp_path / "nope.json")


def test_the_policy_covers_every_direction_and_never_lets_a_refusal_pass() -> None:
    assert set(POLICY) == set(Direction)
    for compatibility in Compatibility:
        for direction in Direction:
            assert isinstance(severity_of("T101", direction, compatibility), Severity)
        assert severity_of("T101", Direction.CANNOT_APPLY, compatibility) is Severity.ERROR
        assert severity_of("T101", Direction.ADVICE, compatibility) is Severity.INFO


def test_a_direction_weighs_by_the_compatibility(tmp_path: Path) -> None:
    made = MAKE(tmp_path)
    sql = "ALTER TABLE t DROP COLUMN note"
    assert projector.check(made, sql=sql).ok
    assert not projector.check(made, sql=sql, compatibility="full").ok
    assert not projector.check(made, sql=sql, compatibility="forward-transitive").ok


def test_rules_cost_by_shape_and_not_by_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from projector.check.evidence import state

    made = table("1 id int", *([{"id": i}] for i in range(30)))(tmp_path)
    calls = []
    monkeypatch.setattr(state, "resolve", lambda *a, **k: calls.append(a) or projector.resolve(*a, **k))
    report = projector.check(made, sql="ALTER TABLE t ADD COLUMN z int")
    assert report.looked_at.footers == 30
    assert len(calls) <= 2 + len(all_rules()) // 10


def test_queries_only_read(tmp_path: Path) -> None:
    made = MAKE(tmp_path)
    target = tmp_path / "out.csv"
    for sql in (f"COPY t TO '{target}'", "CREATE TABLE x AS SELECT 1", "SELECT 1; SELECT 2", "SELECT nope FROM t"):
        assert "query q.sql does not run" in not_run(made, {"q.sql": sql})
    assert not target.exists()


def not_run(made: projector.Table, queries: dict[str, str]) -> str:
    """The message of the one query that does not run."""
    report = projector.check(made, sql="ALTER TABLE t ADD COLUMN z int", queries=queries)
    (finding,) = (f for f in report.findings if f.code == "X903")
    assert finding.severity is Severity.WARNING
    return finding.message


def test_a_query_that_does_not_run_does_not_hide_the_others(tmp_path: Path) -> None:
    queries = {
        "a.sql": "SELECT note FROM t",
        "models/b.sql": "-- a model\nSELECT *\nFROM {{ ref('t') }}",
        "c.sql": "SELECT * FROM prod.shop.t",
        "d.sql": "SELECT o.id FROM t JOIN other o ON o.id = t.id",
        "e.sql": "SELECT sum(id) FROM t",
    }
    sql = "ALTER TABLE t DROP COLUMN note"
    report = projector.check(MAKE(tmp_path / "t"), sql=sql, queries=queries)
    assert {(f.code, f.key) for f in report.findings if f.code.startswith("X90")} == {
        ("X902", "a.sql"), ("X903", "models/b.sql"), ("X903", "c.sql"), ("X903", "d.sql"),
    }  # fmt: skip
    source = next(f.source for f in report.findings if f.key == "models/b.sql")
    assert source is not None
    assert (source.file, str(source)) == ("models/b.sql", "line 3, column 1")
    others = {"other": table("1 id int", [{"id": 1}])(tmp_path / "other")}
    report = projector.check(MAKE(tmp_path / "t2"), sql=sql, queries=queries, query_tables=others)
    assert [f.key for f in report.findings if f.code == "X903"] == ["c.sql", "models/b.sql"]


def test_queries_see_the_table_and_nothing_of_python(tmp_path: Path) -> None:
    made = MAKE(tmp_path)
    assert "metadata does not exist" in not_run(made, {"q": "SELECT * FROM metadata"})


def test_importing_the_room_leaves_the_function() -> None:
    from projector.check.report import findings

    assert callable(projector.check)
    assert findings.Finding.__module__ == "projector.check.report.findings"


CASES = table("1 id int, 2 value string, 3 VALUE int", [{"id": 1, "value": "x", "VALUE": 1}])


def test_names_that_differ_in_case_alone_are_told_apart_in_sql(tmp_path: Path) -> None:
    made = CASES(tmp_path)
    added = projector.check(made, sql="ALTER TABLE t ADD COLUMN z int")
    assert added.ok
    sql = "ALTER TABLE t DROP COLUMN VALUE; ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')"
    for text in ("ALTER TABLE t DROP COLUMN VALUE", sql):
        dropped = projector.check(made, sql=text)
        assert dropped.after is not None
        assert [f.name for f in dropped.after.fields] == ["id", "value"]


def test_a_schema_that_no_update_is_applied_to_is_told_once(tmp_path: Path) -> None:
    update = UpdateSchema(case_sensitive=False).add_column("z", "int")
    report = projector.check(CASES(tmp_path), update)
    refused = [f for f in report.deciding if f.direction is Direction.CANNOT_APPLY]
    assert [(f.code, f.path) for f in refused] == [("S102", "z"), ("S102", None)]
    assert report.after == report.before
    assert not report.ok


def test_a_query_whose_rows_say_nothing_is_named(tmp_path: Path) -> None:
    sql = "ALTER TABLE t RENAME COLUMN note TO remark"
    report = projector.check(MAKE(tmp_path), sql=sql, queries={"luck.sql": "SELECT random() AS r FROM t"})
    assert not report.deciding
    assert any(said.startswith("rows of query luck.sql") for said in report.not_looked_at)


def test_a_query_opens_nothing_but_the_table(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    made, sql = MAKE(tmp_path), "ALTER TABLE t RENAME COLUMN note TO remark"
    assert not projector.check(made, sql=sql, queries={"q": "SELECT count(*) FROM t"}).deciding
    for query in (
        f"SELECT * FROM '{tmp_path / 'secret.csv'}'",
        f"SELECT * FROM read_text('{tmp_path / 'secret.csv'}')",
        f"SELECT count(*) FROM t, glob('{tmp_path}/*')",
    ):
        assert re.search(r"does not run on the table as it is: .*[Pp]ermission", not_run(made, {"q": query}))
    for query in ("SET enable_external_access = true", "COPY t TO 'x.csv'", "EXPLAIN SELECT 1", "SELECT 1; SELECT 2"):
        assert "only reads" in not_run(made, {"q": query})


def test_rows_of_queries_are_shown_as_sql_spells_them(tmp_path: Path) -> None:
    make = table("1 id int, 2 v string, 3 s {4 x int}", [{"id": 1, "v": "it's", "s": {"x": None}}])
    query = "SELECT v, s, [1.5::decimal(3, 1)] AS l, '\\x00'::blob AS b, DATE '2024-01-02' AS d FROM t"
    sql = "ALTER TABLE t DROP COLUMN v; ALTER TABLE t ADD COLUMN v string"
    report = projector.check(make(tmp_path), sql=sql, queries={"q": query})
    (finding,) = (f for f in report.findings if f.code == "X902")
    (sample,) = finding.evidence.samples
    assert sample.before == "v = 'it''s', s = {x: NULL}, l = [1.5], b = X'00', d = 2024-01-02"
    assert sample.after == "v = NULL, s = {x: NULL}, l = [1.5], b = X'00', d = 2024-01-02"


def test_each_schema_of_a_long_history_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = TableBuilder(tmp_path / "t", schema("1 id long, 2 old_0 int"))
    builder.append([{"id": 1, "old_0": 2}])
    for number in range(1, 40):
        builder.evolve(schema(f"1 id long, 2 old_{number} int"))
    builder.load()
    table = projector.load_table(tmp_path / "t" / "metadata" / "v2.metadata.json")
    parsed: list[int] = []
    parse = Schema.from_json

    def counting(node: Any) -> Schema:
        parsed.append(node["schema-id"])
        return parse(node)

    monkeypatch.setattr(Schema, "from_json", staticmethod(counting))
    report = projector.check(table, sql="ALTER TABLE t ADD COLUMN old_7 int")
    assert "D106" in {finding.code for finding in report.findings}
    assert max(parsed.count(number) for number in range(39)) == 1
    assert len(parsed) <= 40 + 5  # the current one, and the new one, are looked at in other places as well
