"""Name mappings against the columns that files without ids really have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from projector.evolution.apply.name_mapping_update import check_name_mapping, repaired_name_mapping
from projector.files.parquet.file_schema import FileColumn, FileKind, FileLeaf, FileList, FileSchema, FileStruct
from projector.schema.name_mapping import NameMapping, create_mapping
from projector.schema.schema import Schema
from tests.evolution.tables import ORDERS

SMALL = Schema((ORDERS.fields[0], ORDERS.fields[1], ORDERS.fields[3]))
"""id, note, buyer{name, age}."""
TEXT = FileLeaf(FileKind.STRING, "byte_array")


def column(name: str, *children: FileColumn, field_id: int | None = None) -> FileColumn:
    return FileColumn(name, FileStruct(children) if children else TEXT, field_id=field_id)


def file(*columns: FileColumn) -> FileSchema:
    return FileSchema(columns)


PLAIN = file(column("id"), column("note"), column("buyer", column("name"), column("age")))


def found(mapping: Any, *files: FileSchema, schema: Schema = SMALL) -> list[tuple[Any, ...]]:
    text = mapping if mapping is None or isinstance(mapping, str) else json.dumps(mapping)
    return [(p.kind, ".".join(p.path), p.field_id) for p in check_name_mapping(text, schema, files)]


def repaired(mapping: Any, *files: FileSchema, schema: Schema = SMALL) -> NameMapping:
    text = mapping if mapping is None or isinstance(mapping, str) else json.dumps(mapping)
    made = repaired_name_mapping(text, schema, files)
    left = {p.kind for p in check_name_mapping(made.to_json(), schema, files)}
    assert left <= {"column_without_entry"}
    return made


GOOD = [
    {"field-id": 1, "names": ["id"]},
    {"field-id": 2, "names": ["note"]},
    {
        "field-id": 4,
        "names": ["buyer"],
        "fields": [{"field-id": 5, "names": ["name"]}, {"field-id": 6, "names": ["age"]}],
    },
]


def test_a_good_mapping_stays_as_it_is() -> None:
    assert found(GOOD, PLAIN) == []
    assert repaired(GOOD, PLAIN) == NameMapping.from_json(json.dumps(GOOD)) == create_mapping(SMALL)


def test_files_with_ids_do_not_count() -> None:
    assert found(GOOD, file(column("other", field_id=1))) == []


def test_no_mapping_and_what_is_none() -> None:
    assert [kind for kind, *_ in found(None, PLAIN)] == ["column_without_entry"] * 3 + ["field_without_entry"] * 3
    assert found("not json", PLAIN) == [("unreadable", "", None)]
    assert repaired(None, PLAIN) == repaired("not json", PLAIN) == create_mapping(SMALL)


@pytest.mark.parametrize(
    ("mapping", "files", "problems"),
    [
        (GOOD[:2], [PLAIN], [("column_without_entry", "buyer", None), ("field_without_entry", "buyer", 4)]),
        ([*GOOD[:2], {"field-id": 4, "names": ["buyer"]}], [PLAIN], [("nested_missing", "buyer", 4)]),
        (
            GOOD,
            [PLAIN, file(column("ID"), column("Note"))],
            [("case_only", "ID", 1), ("case_only", "Note", 2)],
        ),
        (GOOD, [PLAIN, file(column("extra"))], [("column_without_entry", "extra", None)]),
        (
            [{"field-id": 1, "names": ["id", "key"]}, *GOOD[1:]],
            [PLAIN],
            [("name_unused", "key", 1)],
        ),
        (
            [{"field-id": 1, "names": ["id", "note"]}, *GOOD[1:]],
            [PLAIN],
            [("name_twice", "note", 2)],
        ),
        (
            [{"field-id": 1, "names": []}, *GOOD[1:]],
            [PLAIN],
            [("column_without_entry", "id", None), ("field_without_entry", "id", 1)],
        ),
        (
            [*GOOD[:2], {"field-id": 4, "names": ["buyer"], "fields": [{"field-id": 5, "names": ["name"]}]}],
            [PLAIN],
            [("column_without_entry", "buyer.age", None), ("field_without_entry", "buyer.age", 6)],
        ),
    ],
)
def test_what_is_wrong(mapping: Any, files: list[FileSchema], problems: list[tuple[Any, ...]]) -> None:
    assert found(mapping, *files) == problems
    repaired(mapping, *files)


def test_names_that_files_have_are_kept_and_others_left_out() -> None:
    mapping = [{"field-id": 1, "names": ["id", "key", "old_id"]}, *GOOD[1:], {"field-id": 99, "names": ["gone"]}]
    made = repaired(mapping, PLAIN, file(column("key"), column("gone")))
    assert made.fields_by_id[1].names == ("id", "key")
    assert made.fields_by_id[99].names == ("gone",)
    assert 99 not in repaired(mapping, PLAIN).fields_by_id
    assert repaired_name_mapping(json.dumps(mapping), SMALL, ()).fields_by_id[1].names == ("id", "key", "old_id")


def test_a_name_listed_twice_stays_with_the_field_that_is_called_so() -> None:
    made = repaired([{"field-id": 1, "names": ["id", "note"]}, *GOOD[1:]], PLAIN)
    assert (made.fields_by_id[1].names, made.fields_by_id[2].names) == (("id",), ("note",))


def test_a_spelling_of_the_files_is_listed_beside_the_name() -> None:
    made = repaired(GOOD, PLAIN, file(column("ID"), column("BUYER", column("Age"))))
    assert made.fields_by_id[1].names == ("id", "ID")
    assert made.fields_by_id[4].names == ("buyer", "BUYER")
    assert made.fields_by_id[6].names == ("age", "Age")


def test_elements_go_by_their_name_in_a_mapping_whatever_the_file_calls_them() -> None:
    schema = Schema((ORDERS.fields[4],))
    lines = FileColumn("lines", FileList(FileColumn("array", FileStruct((column("sku"),)))))
    assert found(json.loads(create_mapping(schema).to_json()), file(lines), schema=schema) == []
