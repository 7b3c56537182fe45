"""Several updates as one commit: what they see of each other, what is asked of a catalog, and what a race leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from projector.api.table import load_table
from projector.errors import CommitConflictError, SchemaUpdateError, UnsupportedError
from projector.evolution.commit import filesystem as filesystem_commit
from projector.evolution.commit.filesystem import commit_transaction
from projector.evolution.commit.rest_body import transaction_body
from projector.evolution.commit.version_files import VersionFiles
from projector.evolution.sql import parse_alter, to_transaction, to_update
from projector.evolution.updates.blocks import TransactionContext
from projector.evolution.updates.transaction import Transaction, TransactionCommit, prepare_transaction
from projector.evolution.updates.update_properties import UpdateProperties
from projector.metadata.table_metadata import TableMetadata
from projector.schema.name_mapping import NameMapping
from tests.evolution.tables import table_folder, table_metadata


def sql(text: str, metadata: TableMetadata | None = None) -> TransactionCommit:
    return prepare_transaction(metadata or table_metadata(), to_transaction(parse_alter(text)))


def refused(text: str, metadata: TableMetadata | None = None) -> SchemaUpdateError:
    with pytest.raises(SchemaUpdateError) as caught:
        sql(text, metadata)
    assert "\n" not in str(caught.value)
    return caught.value


def partition(commit: TransactionCommit) -> list[str]:
    return [f"{f.field_id} {f.name} {f.transform}" for f in commit.metadata.spec().fields]


# ---------------------------------------------------------------- SQL


@pytest.mark.parametrize(
    ("term", "field"),
    [
        ("id", "1000 id identity"),
        ("identity(id)", "1000 id identity"),
        ("bucket(16, id)", "1000 id_bucket_16 bucket[16]"),
        ("bucket(id, 16)", "1000 id_bucket_16 bucket[16]"),
        ("truncate(10, note)", "1000 note_trunc_10 truncate[10]"),
        ("year(day)", "1000 day_year year"),
        ("years(day)", "1000 day_year year"),
        ("MONTHS(day)", "1000 day_month month"),
        ("days(`day`) AS d", "1000 d day"),
        ("date(day)", "1000 day_day day"),
        ("buyer.age", "1000 buyer.age identity"),
        ("BUYER.AGE", "1000 buyer.age identity"),
        ("bucket(4, `buyer`.`age`) AS `odd name`", "1000 odd name bucket[4]"),
    ],
)
def test_partition_fields_in_sql(term: str, field: str) -> None:
    assert partition(sql(f"ALTER TABLE t ADD PARTITION FIELD {term}")) == [field]


def test_fields_are_dropped_by_term_or_by_name() -> None:
    first = sql(
        "ALTER TABLE t ADD PARTITION FIELD id; ALTER TABLE t ADD PARTITION FIELD bucket(4, note) AS shard"
    ).metadata
    assert partition(sql("ALTER TABLE t DROP PARTITION FIELD shard", first)) == ["1000 id identity"]
    assert partition(sql("ALTER TABLE t DROP PARTITION FIELD bucket(4, note)", first)) == ["1000 id identity"]
    assert partition(sql("ALTER TABLE t DROP PARTITION FIELD id", first)) == ["1001 shard bucket[4]"]
    replaced = sql("ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(8, note) AS shard", first)
    assert partition(replaced) == ["1000 id identity", "1002 shard bucket[8]"]
    assert (
        refused("ALTER TABLE t DROP PARTITION FIELD nope", first).message
        == "Cannot find partition field to remove: nope"
    )


def test_a_source_column_goes_after_its_partition_field() -> None:
    first = sql("ALTER TABLE t ADD PARTITION FIELD note; ALTER TABLE t WRITE ORDERED BY day").metadata
    error = refused("ALTER TABLE t DROP COLUMN note", first)
    assert error.message == "Cannot find source column for partition field: 1000: note: identity(2)"
    assert error.hint is not None
    assert "remove the partition field first" in error.hint
    ordered = refused("ALTER TABLE t DROP COLUMN day", first)
    assert ordered.message == "Cannot find source column for sort field: identity(3) ASC NULLS FIRST"
    assert "replace the sort order first" in str(ordered.hint)
    done = sql("ALTER TABLE t DROP PARTITION FIELD note; ALTER TABLE t DROP COLUMN note", first)
    assert partition(done) == []
    assert done.metadata.default_spec_id == 0
    assert "note" not in done.metadata.current_schema.ids_by_name
    assert refused("ALTER TABLE t DROP COLUMN note; ALTER TABLE t DROP PARTITION FIELD note", first)


@pytest.mark.parametrize(
    ("clause", "fields", "mode"),
    [
        ("ORDERED BY id", ["identity asc nulls-first"], "range"),
        ("ORDERED BY (id DESC, day ASC NULLS LAST)", ["identity desc nulls-last", "identity asc nulls-last"], "range"),
        ("ORDERED BY bucket(8, id) DESC NULLS FIRST", ["bucket[8] desc nulls-first"], "range"),
        ("LOCALLY ORDERED BY id", ["identity asc nulls-first"], None),
        ("DISTRIBUTED BY PARTITION LOCALLY ORDERED BY id", ["identity asc nulls-first"], "hash"),
        ("ORDERED BY id DISTRIBUTED BY PARTITION", ["identity asc nulls-first"], "hash"),
        ("DISTRIBUTED BY PARTITION", [], "hash"),
        ("UNORDERED", [], "none"),
    ],
)
def test_write_order_in_sql(clause: str, fields: list[str], mode: str | None) -> None:
    metadata = sql(f"ALTER TABLE t WRITE {clause}").metadata
    order = metadata.sort_orders[metadata.default_sort_order_id]
    assert [f"{f.transform} {f.direction} {f.null_order}" for f in order.fields] == fields
    assert metadata.properties.get("write.distribution-mode") == mode


def test_properties_in_sql() -> None:
    first = sql("ALTER TABLE t SET TBLPROPERTIES ('a'='1', b.c = 2, d true, 'e' = 'x')").metadata
    assert first.properties == {"a": "1", "b.c": "2", "d": "true", "e": "x"}
    assert sql("ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('a', b.c, gone)", first).metadata.properties == {
        "d": "true", "e": "x",
    }  # fmt: skip
    assert sql("ALTER TABLE t SET TBLPROPERTIES ('format-version'='3')").metadata.format_version == 3
    assert (
        refused("ALTER TABLE t SET TBLPROPERTIES ('format-version'='1')").message == "Cannot downgrade v2 table to v1"
    )
    wide = refused("ALTER TABLE t SET TBLPROPERTIES ('format-version'='9')")
    assert wide.message == "Cannot upgrade table to unsupported format version: v9 (supported: v3)"
    missing = refused("ALTER TABLE t SET TBLPROPERTIES ('write.metadata.metrics.column.nope'='full')")
    assert missing.message.startswith("Invalid metrics config, could not find column nope from table prop")


def test_neighbouring_column_statements_make_one_schema() -> None:
    text = "ALTER TABLE t ADD COLUMN x int; ALTER TABLE t RENAME COLUMN x TO y; ALTER TABLE t ADD PARTITION FIELD y"
    commit = sql(text)
    assert commit.metadata.schema_ids == (0, 1)
    assert [len(step.after.schema_ids) for step in commit.steps] == [2, 2]
    assert partition(commit) == ["1000 y identity"]


def test_operations_know_where_they_are_written() -> None:
    text = "ALTER TABLE t ADD COLUMN x int;\nALTER TABLE t ADD PARTITION FIELD nope"
    error = refused(text)
    assert "at line 2, column 35" in str(error.hint)
    script = parse_alter(text)
    assert [script.source(located) for located in script.operations] == ["x int", "nope"]


def test_a_script_about_more_than_columns_is_no_schema_update() -> None:
    with pytest.raises(UnsupportedError, match="Not a change of the schema: bucket"):
        to_update(parse_alter("ALTER TABLE t ADD PARTITION FIELD bucket(4, id)"))


# ---------------------------------------------------------------- all or nothing


def test_properties_that_contradict_each_other() -> None:
    transaction = Transaction()
    transaction.set_properties({"a": "1"}).remove_properties("a")  # two updates, one after the other
    assert prepare_transaction(table_metadata(), transaction).metadata.properties == {}
    at_once = Transaction().record(UpdateProperties().set("a", "1").remove("a"))
    with pytest.raises(SchemaUpdateError, match="Cannot remove and update the same key: a"):
        prepare_transaction(table_metadata(), at_once)


def test_one_time_and_one_entry_in_the_log() -> None:
    transaction = Transaction()
    transaction.update_schema().add_column("x", "int")
    transaction.update_spec().add_field("x")
    commit = prepare_transaction(table_metadata(), transaction, metadata_file="/t/v1.metadata.json", timestamp_ms=5)
    assert commit.metadata.last_updated_ms == 1_700_000_000_000
    assert [entry.metadata_file for entry in commit.metadata.metadata_log] == ["/t/v1.metadata.json"]


def test_a_request_of_every_kind() -> None:
    metadata = table_metadata(properties={"old": "1"})
    transaction = Transaction()
    transaction.upgrade_table_version(3)
    transaction.update_schema().add_column("x", "int")
    transaction.update_spec().add_field("x").add_field("id", "bucket[4]")
    transaction.update_sort_order().asc("id")
    transaction.set_properties(owner="me").remove_properties("old")
    transaction.update_spec().remove_field("x").remove_field("id_bucket_4")
    transaction.update_sort_order()
    commit = prepare_transaction(metadata, transaction)
    body = transaction_body("db", "t", metadata, commit)
    assert json.loads(json.dumps(body)) == body
    assert body["requirements"] == [
        {"type": "assert-table-uuid", "uuid": "8b1a2f6e-0000-4000-8000-000000000000"},
        {"type": "assert-current-schema-id", "current-schema-id": 0},
        {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 13},
        {"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": 999},
        {"type": "assert-default-spec-id", "default-spec-id": 0},
        {"type": "assert-default-sort-order-id", "default-sort-order-id": 0},
    ]
    shown = [(u["action"], *(v for k, v in u.items() if k.endswith(("-id", "version")))) for u in body["updates"]]
    assert shown == [
        ("upgrade-format-version", 3),
        ("add-schema", 14),
        ("set-current-schema", -1),
        ("add-spec",),
        ("set-default-spec", -1),
        ("add-sort-order",),
        ("set-default-sort-order", -1),
        ("set-properties",),
        ("remove-properties",),
        ("set-default-spec", 0),
        ("set-default-sort-order", 0),
    ]
    assert body["updates"][3]["spec"] == {
        "spec-id": 1,
        "fields": [
            {"name": "x", "transform": "identity", "source-id": 14, "field-id": 1000},
            {"name": "id_bucket_4", "transform": "bucket[4]", "source-id": 1, "field-id": 1001},
        ],
    }
    assert body["updates"][5]["sort-order"]["order-id"] == 1


def test_requests_only_ask_for_what_they_rest_on() -> None:
    metadata = table_metadata()
    body = transaction_body("db", "t", metadata, prepare_transaction(metadata, Transaction().set_properties(a="b")))
    assert [r["type"] for r in body["requirements"]] == ["assert-table-uuid"]
    nothing = transaction_body("db", "t", metadata, prepare_transaction(metadata, Transaction()))
    assert nothing["updates"] == []


# ---------------------------------------------------------------- format versions


def test_from_version_1_to_3() -> None:
    raw = dict(table_metadata(format_version=1).raw)
    for key in (
        "schemas",
        "current-schema-id",
        "partition-specs",
        "default-spec-id",
        "last-partition-id",
        "table-uuid",
    ):
        del raw[key]
    for key in ("sort-orders", "default-sort-order-id", "last-sequence-number"):
        del raw[key]
    raw["partition-spec"] = [{"source-id": 1, "name": "id", "transform": "identity"}]
    before = TableMetadata.from_json(raw)
    commit = prepare_transaction(before, Transaction().upgrade_table_version(3))
    after = commit.metadata.raw
    assert commit.metadata.format_version == 3
    assert not {"schema", "partition-spec"} & after.keys()
    assert after["partition-specs"] == [
        {"spec-id": 0, "fields": [{"name": "id", "transform": "identity", "source-id": 1, "field-id": 1000}]}
    ]
    assert (after["last-partition-id"], after["last-sequence-number"], after["next-row-id"]) == (1000, 0, 0)
    assert (after["sort-orders"], after["default-sort-order-id"]) == ([{"order-id": 0, "fields": []}], 0)
    assert commit.metadata.current_schema == before.current_schema
    assert commit.metadata.table_uuid
    updates = transaction_body("db", "t", before, commit)["updates"]
    assert [u["action"] for u in updates] == ["assign-uuid", "upgrade-format-version"]


# ---------------------------------------------------------------- blocks and commits


def test_a_block_commits_all_of_it(tmp_path: Path) -> None:
    table = load_table(str(table_folder(tmp_path / "orders")))
    with table.transaction() as txn:
        with txn.update_schema() as schema:
            schema.add_column("x", "int")
        with txn.update_spec() as spec:
            spec.add_field("x", "bucket[4]", "xs")
        txn.update_sort_order().asc("x")
        txn.set_properties(owner="me")
    after = load_table(table.location)
    assert txn.commit is not None
    assert after.metadata_file.endswith("v2.metadata.json")
    assert (after.spec().fields[0].name, after.metadata.default_sort_order_id) == ("xs", 1)
    assert after.properties == {"owner": "me"}
    with after.update_spec() as update:
        update.remove_field("xs")
    with load_table(table.location).update_sort_order() as order:
        order.desc("id")
    assert load_table(table.location).metadata.default_sort_order_id == 2
    with load_table(table.location).update_spec(dry_run=True) as planned:
        planned.add_identity("id")
    assert planned.commit is not None
    assert load_table(table.location).spec().fields == ()


def test_an_error_leaves_the_table_as_it_is(tmp_path: Path) -> None:
    table = load_table(str(table_folder(tmp_path / "orders")))

    def broken(txn: TransactionContext) -> None:
        with txn:
            txn.update_schema().add_column("x", "int")
            raise RuntimeError

    def refused_at_the_end(txn: TransactionContext) -> None:
        with txn:
            txn.update_schema().add_column("x", "int")
            txn.update_spec().add_field("nope")

    with pytest.raises(RuntimeError):
        broken(table.transaction())
    with pytest.raises(SchemaUpdateError):
        refused_at_the_end(table.transaction())
    assert load_table(table.location).metadata_file.endswith("v1.metadata.json")


def test_a_part_that_fails_is_not_in_the_commit(tmp_path: Path) -> None:
    table = load_table(str(table_folder(tmp_path / "orders")))

    def broken_schema(txn: TransactionContext) -> None:
        with txn.update_schema() as schema:
            schema.add_column("x", "int")
            raise RuntimeError

    def broken_spec(txn: TransactionContext) -> None:
        with txn.update_spec() as spec:
            spec.add_field("id")
            raise RuntimeError

    with table.transaction() as txn:
        for broken in (broken_schema, broken_spec):
            with pytest.raises(RuntimeError):
                broken(txn)
        txn.set_properties(owner="me")
    after = load_table(table.location)
    assert after.schema().ids_by_name.get("x") is None
    assert (after.spec().fields, after.properties) == ((), {"owner": "me"})


def lose_once(monkeypatch: pytest.MonkeyPatch, winner: Any) -> None:
    """Another writer commits right before the first attempt."""
    make_next = VersionFiles.make_next
    waiting = [winner]

    def slower(self: VersionFiles, version: int, metadata: TableMetadata) -> str | None:
        if waiting:
            waiting.pop()()
        return make_next(self, version, metadata)

    monkeypatch.setattr(VersionFiles, "make_next", slower)
    monkeypatch.setattr(filesystem_commit.time, "sleep", lambda _: None)


def everything() -> Transaction:
    transaction = Transaction()
    transaction.update_schema().add_column("x", "int").add_column("y", "int")
    transaction.update_spec().add_field("x")
    transaction.set_properties(owner="me")
    return transaction


def test_a_lost_race_applies_all_of_it_to_what_won(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(table_folder(tmp_path / "orders"))

    def winner() -> None:
        theirs = Transaction()
        theirs.update_schema().add_column("z", "int").add_column("x", "int")
        theirs.update_spec().add_field("z")
        commit_transaction(folder, theirs)

    lose_once(monkeypatch, winner)
    done = commit_transaction(folder, everything())
    assert done.attempts == 2
    metadata = load_table(folder).metadata
    ids = {name: metadata.current_schema.ids_by_name[name] for name in "zxy"}
    assert ids == {"z": 14, "x": 15, "y": 16}
    assert [(f.field_id, f.name) for f in metadata.spec().fields] == [(1000, "z"), (1001, "x")]
    assert metadata.properties == {"owner": "me"}
    assert [Path(entry.metadata_file).name for entry in metadata.metadata_log] == [
        "v1.metadata.json",
        "v2.metadata.json",
    ]


def test_a_lost_race_that_cannot_be_won_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(table_folder(tmp_path / "orders"))

    def winner() -> None:
        theirs = Transaction()
        theirs.update_schema().add_column("x", "string")
        commit_transaction(folder, theirs)

    lose_once(monkeypatch, winner)
    with pytest.raises(CommitConflictError, match="name already exists: x"):
        commit_transaction(folder, everything())
    assert load_table(folder).metadata_file.endswith("v2.metadata.json")


def test_a_mapping_is_made_of_the_schema_of_its_time() -> None:
    transaction = Transaction()
    transaction.update_schema().add_column("x", "int")
    transaction.set_name_mapping()
    metadata = prepare_transaction(table_metadata(), transaction).metadata
    assert metadata.name_mapping is not None
    assert metadata.name_mapping.fields_by_id[14].names == ("x",)
    same = prepare_transaction(metadata, Transaction().set_name_mapping(NameMapping(metadata.name_mapping.fields)))
    assert same.changed is False
