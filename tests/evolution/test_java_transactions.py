"""What Java wrote for updates of every kind: alone, one after the other, and several in one transaction.

`data/transactions.jsonl.xz` has the actions of every case: those that made its table, and those of the commit. The
metadata of most is in `data/commits.jsonl.xz`.
"""

from __future__ import annotations

import json
import lzma
from typing import Any

import pytest

from projector.errors import SchemaUpdateError
from projector.evolution.updates.transaction import Transaction, TransactionCommit, prepare_transaction
from projector.evolution.updates.update_schema import UpdateSchema
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema
from tests.evolution.corpus import DATA, record
from tests.evolution.test_java_answers import COMMITS, comparable, difference, facts

CASES = {
    case["name"]: COMMITS.get(case["name"], {}) | case
    for case in map(json.loads, lzma.decompress((DATA / "transactions.jsonl.xz").read_bytes()).decode().splitlines())
}


def transaction_of(actions: list[dict[str, Any]]) -> Transaction:
    transaction = Transaction()
    for action in actions:
        match action["action"]:
            case "update_schema":
                schema = UpdateSchema(allow_incompatible_changes=action.get("allow_incompatible", False))
                transaction.record(schema)
                for op in action["ops"]:
                    record(schema, op)
            case "update_spec":
                spec = transaction.update_spec()
                for change in action["changes"]:
                    if change["change"] == "add":
                        spec.add_field(change["column"], change["transform"], change["name"])
                    else:
                        assert change["change"] == "remove"
                        spec.remove_field(change["name"])
            case "sort_order":
                order = transaction.update_sort_order()
                for field in action["fields"]:
                    getattr(order, field["direction"])(field["column"], field["transform"])
            case "set_properties":
                transaction.set_properties(action["properties"])
            case "create_name_mapping":
                transaction.set_name_mapping()
            case "upgrade":
                transaction.upgrade_table_version(action["version"])
            case other:
                raise AssertionError(other)
    return transaction


def commit_of(
    before: dict[str, Any], actions: list[dict[str, Any]], log: list[dict[str, Any]], at: int
) -> TransactionCommit:
    """The commit whose entry in the metadata log is the one at `at`, if it made one."""
    file = log[at]["metadata-file"] if len(log) > at else None
    return prepare_transaction(TableMetadata.from_json(before), transaction_of(actions), metadata_file=file)


def test_every_case_is_here() -> None:
    assert len(CASES) == 44
    assert all("before" in case for case in CASES.values())


@pytest.mark.parametrize("name", [name for name in CASES if difference(name) is None])
def test_writes_javas_metadata(name: str) -> None:
    case = CASES[name]
    before = case["before"]
    if case["error"] is not None:
        with pytest.raises(SchemaUpdateError) as caught:
            commit_of(before, case["commit"], [], 0)
        assert facts(caught.value.message) == facts(case["error"]["message"])
        return
    kept = json.dumps(before)
    commit = commit_of(before, case["commit"], case["after"]["metadata-log"], len(before["metadata-log"]))
    assert comparable(dict(commit.metadata.raw)) == comparable(case["after"])
    assert list(commit.metadata.raw) == list(case["after"])
    assert json.dumps(before) == kept


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case["setup"]])
def test_makes_the_table_before_the_commit_too(name: str) -> None:
    """From the table as it was created, by the actions that Java made it with."""
    case = CASES[name]
    before = case["before"]
    created = next(schema for schema in before["schemas"] if schema["schema-id"] == 0)
    metadata = TableMetadata.from_json(
        {
            **before,
            "last-column-id": Schema.from_json(created).highest_field_id,
            "current-schema-id": 0,
            "schemas": [created],
            "default-spec-id": 0,
            "partition-specs": before["partition-specs"][:1],
            "last-partition-id": 999,
            "default-sort-order-id": 0,
            "sort-orders": before["sort-orders"][:1],
            "properties": {"write.parquet.compression-codec": "zstd", **case["properties"]},
            "metadata-log": [],
            **({"schema": created, "partition-spec": []} if before["format-version"] == 1 else {}),
        }
    )
    for place, action in enumerate(case["setup"]):
        metadata = commit_of(dict(metadata.raw), [action], before["metadata-log"], place).metadata
    assert untimed(dict(metadata.raw)) == untimed(before)


def untimed(metadata: dict[str, Any]) -> dict[str, Any]:
    found = comparable(metadata)
    found["metadata-log"] = [entry["metadata-file"] for entry in found["metadata-log"]]
    return found


def test_a_transaction_without_change() -> None:
    before = CASES["spec_add_with_schema"]["before"]
    metadata = TableMetadata.from_json(before)
    transaction = Transaction().set_properties({"write.parquet.compression-codec": "zstd"})
    transaction.update_spec()
    transaction.update_sort_order()
    commit = prepare_transaction(metadata, transaction.upgrade_table_version(2))
    assert commit.changed is False
    assert commit.metadata is metadata
