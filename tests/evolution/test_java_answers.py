"""Java's answers to lists of schema updates, and what it wrote at a commit.

Every case must give Java's schema, ids and last column id, or its error; where the project rules otherwise the case is
in `java_differences.json`, which is also the table of docs/java-differences.md.
"""

from __future__ import annotations

import json
import lzma
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from projector.errors import SchemaUpdateError
from projector.evolution.updates.schema_commit import SchemaCommit, prepare_schema_update
from projector.evolution.updates.update_schema import UpdateSchema
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema
from projector.schema.type_json import type_from_json
from tests.evolution.corpus import DATA, recorded, schema_update_cases

CASES = {case["name"]: case for case in schema_update_cases()}
COMMITS = {
    case["name"]: case
    for case in map(json.loads, lzma.decompress((DATA / "commits.jsonl.xz").read_bytes()).decode().splitlines())
}
DIFFERENCES = json.loads((Path(__file__).parent / "java_differences.json").read_text())


def difference(name: str) -> dict[str, Any] | None:
    """The row for a case in which we do not give Java's answer."""
    rows = [row for row in DIFFERENCES if any(fnmatchcase(name, pattern) for pattern in row["cases"])]
    assert len(rows) <= 1, name
    case = CASES.get(name)
    if rows and rows[0]["outcome"] == "promoted" and case is not None and "error" not in case["result"]:
        return None  # unknown to unknown
    return rows[0] if rows else None


def update_of(case: dict[str, Any]) -> UpdateSchema:
    return recorded(
        case["ops"],
        format_version=case["format_version"],
        case_sensitive=case["case_sensitive"],
        allow_incompatible=case["allow_incompatible"],
    )


def facts(message: str) -> list[str]:
    """The words of a sentence. Java lists problems on lines of their own, and in the order of a hash table."""
    return sorted(re.sub(r"\n- ", " ", message).split())


def metadata_of(case: dict[str, Any]) -> TableMetadata:
    """The table of a case: its schemas, and the least that goes around them."""
    base = case["base_schema"]
    raw: dict[str, Any] = {
        "format-version": case["format_version"],
        "table-uuid": "8b1a2f6e-0000-4000-8000-000000000000",
        "location": "/t",
        "last-sequence-number": 0,
        "last-updated-ms": 1,
        "last-column-id": case["last_column_id"],
        "current-schema-id": base["schema-id"],
        "schemas": [*case["other_schemas"], base],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "last-partition-id": 999,
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "next-row-id": 0,
    }
    if case["format_version"] == 1:
        raw["schema"] = base
    return TableMetadata(raw)


@pytest.mark.parametrize("name", [name for name in CASES if difference(name) is None])
def test_gives_javas_answer(name: str) -> None:
    case = CASES[name]
    base, result, update = Schema.from_json(case["base_schema"]), case["result"], update_of(case)
    if "error" in result:
        for attempt in (
            lambda: update.apply(base, case["last_column_id"]),
            lambda: prepare_schema_update(metadata_of(case), update),
        ):
            with pytest.raises(SchemaUpdateError) as caught:
                attempt()
            assert facts(caught.value.message) == facts(result["error"]["message"])
            assert "\n" not in str(caught.value)
            if result["error"]["phase"] == "op":
                assert caught.value.operation_index == result["error"]["op_index"]
        return
    expected = Schema.from_json(result["schema"])
    schema, last_column_id = update.apply(base, case["last_column_id"])
    assert schema.same_columns(expected), f"{schema}\n{expected}"
    assert last_column_id == result["last_column_id"]
    assert (schema is base) == result["same_as_base"]

    commit = prepare_schema_update(metadata_of(case), update)
    assert commit.metadata.current_schema_id == result["current_schema_id"] == result["schema"]["schema-id"]
    assert commit.metadata.current_schema == expected or commit.schema.same_columns(expected)
    assert len(commit.metadata.schemas) == result["schema_count"]
    assert commit.metadata.last_column_id == result["last_column_id"]
    assert commit.added == (not result["reused_existing_schema"])
    assert commit.changed == (not result["same_as_base"])


@pytest.mark.parametrize("name", [name for name in CASES if difference(name) is not None])
def test_differs_from_java_as_ruled(name: str) -> None:
    case, row = CASES[name], difference(name)
    base = Schema.from_json(case["base_schema"])
    assert row is not None
    if row["outcome"] == "error":
        with pytest.raises(SchemaUpdateError) as caught:
            update_of(case).apply(base, case["last_column_id"])
        assert caught.value.message == row["sentence"]
        return
    schema, last_column_id = update_of(case).apply(base, case["last_column_id"])
    assert last_column_id == case["last_column_id"]
    assert schema.paths_by_id.keys() == base.paths_by_id.keys()
    (op,) = case["ops"]
    if row["outcome"] == "promoted":
        given = op["schema"]["fields"][0]["type"] if "schema" in op else op["type"]
        assert schema.find_field("c").field_type == type_from_json(given)
    else:
        assert row["outcome"] == "identifiers kept"
        assert schema.identifier_field_ids == base.identifier_field_ids
        assert schema.fields_by_id[base.find_field(op["name"]).field_id].name == op["new_name"]


def comparable(metadata: dict[str, Any]) -> dict[str, Any]:
    """Metadata without times, and with the names of a mapping in order."""
    copied = json.loads(json.dumps(metadata))
    del copied["last-updated-ms"]
    mapping = copied["properties"].get("schema.name-mapping.default", "")
    if mapping.startswith("["):
        copied["properties"]["schema.name-mapping.default"] = [names_in_order(field) for field in json.loads(mapping)]
    return copied


def names_in_order(field: dict[str, Any]) -> dict[str, Any]:
    nested = [names_in_order(child) for child in field.get("fields", [])]
    return {**field, "names": sorted(field["names"]), "fields": nested}


def prepare_case(case: dict[str, Any]) -> SchemaCommit:
    log = (case["after"] or {}).get("metadata-log", [])
    is_new = len(log) > len(case["before"]["metadata-log"])
    return prepare_schema_update(
        TableMetadata.from_json(case["before"]),
        recorded(case["ops"], format_version=case["format_version"]),
        metadata_file=log[-1]["metadata-file"] if is_new else None,
    )


@pytest.mark.parametrize("name", [name for name in COMMITS if difference(name) is None])
def test_writes_javas_metadata(name: str) -> None:
    case = COMMITS[name]
    if case["error"] is not None:
        with pytest.raises(SchemaUpdateError) as caught:
            prepare_case(case)
        assert facts(caught.value.message) == facts(case["error"]["message"])
        return
    before = json.dumps(case["before"])
    commit = prepare_case(case)
    assert comparable(dict(commit.metadata.raw)) == comparable(case["after"])
    assert list(commit.metadata.raw) == list(case["after"])
    assert json.dumps(case["before"]) == before
    assert commit.metadata.last_updated_ms >= case["before"]["last-updated-ms"]


def test_nothing_to_commit_where_java_rewrites_the_text_of_a_mapping() -> None:
    commit = prepare_case(COMMITS["mapping_noop"])
    assert commit.changed is False
    assert commit.metadata.raw == COMMITS["mapping_noop"]["before"]


def test_the_table_of_differences_is_the_documented_one() -> None:
    text = (Path(__file__).parents[2] / "docs" / "java-differences.md").read_text()
    listed = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert listed == [f"| {row['rule']} | {row['java']} | {row['here']} | {row['why']} |" for row in DIFFERENCES]
    for row in DIFFERENCES:
        assert any(fnmatchcase(name, pattern) for name in [*CASES, *COMMITS] for pattern in row["cases"]), row["rule"]
