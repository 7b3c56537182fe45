"""Schema diffs: what they find, and that their operations make the new schema of the old one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, count, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projector.check.change.proposal import from_schema
from projector.errors import SchemaUpdateError
from projector.evolution.diff.operations import operations_of
from projector.evolution.diff.schema_diff import By, diff_schemas
from projector.evolution.diff.schema_sources import SchemaSource
from projector.evolution.operations.schema import AddColumn, MoveColumn, NextStatement, RenameColumn
from projector.evolution.updates.update_schema import UpdateSchema
from projector.schema.fresh_ids import assign_fresh_ids
from projector.schema.schema import Schema
from projector.schema.types import (
    DateType,
    DecimalType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    children,
    rebuild,
    transform,
)

INT, LONG, STRING = IntegerType(), LongType(), StringType()


def proposed(
    old: Schema, new: Schema, by: By = "id", *, partial: bool = False, format_version: int = 2, **options: bool
) -> UpdateSchema:
    """What a check proposes to make a schema of another; `partial`: of one that comes from Arrow."""
    proposal = from_schema(
        SchemaSource("new", "arrow" if partial else "schema", new), old, format_version, by, **options
    )
    assert proposal.refused == ()
    return proposal.update


def schema(*fields: NestedField, identifiers: tuple[int, ...] = ()) -> Schema:
    return Schema(fields, 0, identifiers)


def field(field_id: int, name: str, type: IcebergType = INT, required: bool = False, **more: Any) -> NestedField:
    return NestedField(field_id, name, type, required, **more)


def kinds(old: Schema, new: Schema, by: Any = "id") -> list[tuple[str, str]]:
    return [(change.kind, ".".join(change.path)) for change in diff_schemas(old, new, by).changes]


OLD = schema(
    field(1, "id", LONG, True),
    field(2, "amount", DecimalType(10, 2)),
    field(3, "addr", StructType((field(4, "street", STRING), field(5, "zip", INT)))),
    field(6, "tags", ListType(7, STRING)),
    field(8, "props", MapType(9, STRING, 10, StructType((field(11, "v", INT),)))),
    identifiers=(1,),
)


def changed(edit: Callable[[NestedField], NestedField]) -> Schema:
    struct = transform(OLD.as_struct(), edit)
    assert isinstance(struct, StructType)
    return replace(OLD, fields=struct.fields)


def test_equal_schemas_have_no_changes() -> None:
    assert diff_schemas(OLD, replace(OLD, schema_id=9)).is_empty()
    assert diff_schemas(OLD, OLD, "name").is_empty()
    assert operations_of(diff_schemas(OLD, OLD)) == ()


@pytest.mark.parametrize(
    ("edited", "expected", "shown"),
    [
        ({2: {"name": "total"}}, [("renamed", "total")], "renamed total (id 2): was amount"),
        ({5: {"field_type": LONG}}, [("type", "addr.zip")], "type of addr.zip (id 5): int -> long"),
        ({1: {"required": False}}, [("made_optional", "id")], "made optional id (id 1)"),
        ({7: {"required": True}}, [("made_required", "tags.element")], "made required tags.element (id 7)"),
        ({11: {"doc": "x"}}, [("doc", "props.value.v")], "doc of props.value.v (id 11): none -> 'x'"),
        (
            {11: {"write_default": 3}},
            [("write_default", "props.value.v")],
            "write default of props.value.v (id 11): none -> 3",
        ),
        ({3: {"field_type": STRING}}, [("type", "addr")], None),
    ],
)
def test_change_of_a_field(edited: dict[int, Any], expected: list[tuple[str, str]], shown: str | None) -> None:
    new = changed(lambda f: replace(f, **edited.get(f.field_id, {})))
    assert kinds(OLD, new) == expected
    if shown is not None:
        assert str(diff_schemas(OLD, new)) == shown


def test_a_renamed_column_is_a_drop_and_an_add_by_name() -> None:
    new = changed(lambda f: replace(f, name="total") if f.field_id == 2 else f)
    assert kinds(OLD, new, "name") == [("dropped", "amount"), ("added", "total")]
    assert diff_schemas(OLD, new, "name").changes[1].field_id is None


def test_a_dropped_or_added_struct_is_one_change() -> None:
    new = schema(*(f for f in OLD.fields if f.field_id != 3), field(20, "geo", StructType((field(21, "lat"),))))
    assert kinds(OLD, replace(new, identifier_field_ids=(1,))) == [("dropped", "addr"), ("added", "geo")]


def test_identifier_fields_and_json() -> None:
    diff = diff_schemas(OLD, replace(OLD, identifier_field_ids=()))
    assert diff.to_json() == [
        {"kind": "identifier_fields", "path": "", "field_id": None, "before": ["id"], "after": []}
    ]
    assert str(diff) == "identifier fields: id -> none"


def test_defaults_are_shown_as_json_single_values() -> None:
    old = schema(field(1, "d", DateType(), write_default=0))
    (shown,) = diff_schemas(old, schema(field(1, "d", DateType(), write_default=1))).to_json()
    assert (shown["before"], shown["after"]) == ("1970-01-01", "1970-01-02")


def test_what_no_update_can_do_is_refused() -> None:
    old = schema(field(1, "s", StructType((field(2, "a"),))), field(3, "b"))
    moved = schema(field(1, "s", StructType((field(2, "a"), field(3, "b")))))
    assert kinds(old, moved) == [("to_other_struct", "s.b")]
    with pytest.raises(SchemaUpdateError, match=r"Cannot move b to s\.b: another struct"):
        operations_of(diff_schemas(old, moved))
    wrapped = schema(
        field(4, "new", StructType((field(5, "list", ListType(6, StructType((field(3, "b"),)))), old.fields[0])))
    )
    assert kinds(old, wrapped) == [
        ("added", "new"),
        ("to_other_struct", "new.list.element.b"),
        ("to_other_struct", "new.s"),
    ]
    with pytest.raises(SchemaUpdateError, match="Cannot move b to new"):
        operations_of(diff_schemas(old, wrapped))
    defaulted = schema(old.fields[0], field(3, "b", initial_default=1))
    with pytest.raises(SchemaUpdateError, match="Cannot change the initial default of b"):
        operations_of(diff_schemas(old, defaulted))


def test_an_illegal_type_is_left_for_apply() -> None:
    update = proposed(schema(field(1, "a", LONG)), schema(field(1, "a", INT)))
    with pytest.raises(SchemaUpdateError, match="Cannot change column type: a: long -> int"):
        update.apply(schema(field(1, "a", LONG)), 1)


def test_a_name_taken_over_from_a_renamed_field() -> None:
    old, new = schema(field(1, "a"), field(2, "b")), schema(field(5, "a", STRING), field(1, "old_a"), field(2, "b"))
    operations = operations_of(diff_schemas(old, new))
    assert [type(operation) for operation in operations] == [RenameColumn, NextStatement, AddColumn, MoveColumn]
    made, last = proposed(old, new).apply(old, 2)
    assert made.fields == (field(3, "a", STRING), field(1, "old_a"), field(2, "b"))
    assert last == 3


def test_names_that_are_swapped_need_one_statement() -> None:
    old, new = schema(field(1, "a"), field(2, "b")), schema(field(1, "b"), field(2, "a"))
    assert proposed(old, new).apply(old, 2)[0].fields == new.fields


def test_promotion_takes_the_defaults_with_it() -> None:
    old = schema(field(1, "d", DateType(), initial_default=1, write_default=1))
    day = 86_400_000_000
    new = schema(field(1, "d", TimestampType(), initial_default=day, write_default=day))
    assert proposed(old, new, format_version=3).apply(old, 1)[0].fields == new.fields
    bare = schema(field(1, "d", TimestampType()))
    assert proposed(old, bare, partial=True, format_version=3).apply(old, 1)[0].fields == new.fields


def test_a_partial_schema_keeps_what_it_cannot_say() -> None:
    old = schema(field(1, "id", LONG, True, doc="key"), field(2, "n", INT, write_default=3), identifiers=(1,))
    bare = schema(field(1, "id", LONG, True), field(2, "n", LONG), field(3, "m", STRING))
    made, _ = proposed(old, bare, "name", partial=True).apply(old, 2)
    assert made.fields == (field(1, "id", LONG, True, doc="key"), field(2, "n", LONG, write_default=3), bare.fields[2])
    assert made.identifier_field_ids == (1,)


def test_as_few_fields_move_as_can_be() -> None:
    names = "abcde"
    for order in permutations(range(5)):
        old = schema(*(field(i + 1, names[i]) for i in range(5)))
        new = schema(*(field(i + 1, names[i]) for i in order))
        stay = next(n for n in range(5, 0, -1) if any(list(c) == sorted(c) for c in combinations(order, n)))
        diff = diff_schemas(old, new)
        assert sum(change.kind == "moved" for change in diff.changes) == 5 - stay
        assert sum(isinstance(operation, MoveColumn) for operation in operations_of(diff)) == 5 - stay
        assert UpdateSchema().with_operations(operations_of(diff)).apply(old, 5)[0].fields == new.fields


# ---------------------------------------------------------------- any old and new schema

NAMES = st.sampled_from(["a", "b", "c", "d", "e.f", "Ü"])
LEAVES = st.sampled_from([INT, LONG, STRING, FloatType(), DecimalType(9, 2), DateType()])


def types(depth: int) -> st.SearchStrategy[IcebergType]:
    if depth == 0:
        return LEAVES
    inner = types(depth - 1)
    return st.one_of(
        LEAVES,
        structs(depth),
        st.builds(lambda t, r: ListType(0, t, r), inner, st.booleans()),
        st.builds(lambda t, r: MapType(0, STRING, 0, t, r), inner, st.booleans()),
    )


def fields(depth: int) -> st.SearchStrategy[NestedField]:
    return st.builds(
        lambda name, type, required, doc: NestedField(0, name, type, required, doc),
        NAMES,
        types(depth - 1),
        st.booleans(),
        st.sampled_from([None, "x", "y"]),
    )


def structs(depth: int) -> st.SearchStrategy[StructType]:
    listed = st.lists(fields(depth), min_size=1, max_size=4, unique_by=lambda f: f.name)
    return listed.map(lambda found: StructType(tuple(found)))


def numbered(struct: StructType) -> Schema:
    fresh = count(1)
    numbered_struct = assign_fresh_ids(struct, lambda: next(fresh))
    assert isinstance(numbered_struct, StructType)
    return Schema(numbered_struct.fields)


SCHEMAS = structs(3).map(numbered)
WIDER: dict[IcebergType, IcebergType] = {INT: LONG, DecimalType(9, 2): DecimalType(12, 2)}


def edited(draw: Callable[[Any], Any], old: IcebergType, fresh: Any, by_name: bool) -> IcebergType:
    """A type that legal operations can make of another: nothing is compared here, the edits are made at random."""
    if isinstance(old, StructType):
        kept = [_edited_field(draw, f, fresh, by_name) for f in old.fields if draw(st.integers(0, 3)) > 0]
        taken = {f.name for f in kept}
        added = []
        for new in draw(st.lists(fields(2), max_size=2, unique_by=lambda f: f.name)):
            if new.name not in taken and not (by_name and new.name in {f.name for f in old.fields}):
                added.append(
                    replace(new, field_id=next(fresh), field_type=assign_fresh_ids(new.field_type, fresh.__next__))
                )
        together = draw(st.permutations([*kept, *added]))
        names = [f.name for f in together]
        if len(set(names)) < len(names) or not names:
            return old
        return StructType(tuple(together))
    if isinstance(old, MapType):
        value = _edited_field(draw, old.value, fresh, by_name, inside=True)
        return replace(old, value_type=value.field_type, value_required=value.required)
    below = tuple(_edited_field(draw, f, fresh, by_name, inside=True) for f in children(old))
    return rebuild(old, below) if below else draw(st.sampled_from([old, WIDER.get(old, old)]))


def _edited_field(
    draw: Callable[[Any], Any], old: NestedField, fresh: Any, by_name: bool, inside: bool = False
) -> NestedField:
    new = replace(old, field_type=edited(draw, old.field_type, fresh, by_name), required=draw(st.booleans()))
    if inside:
        return new
    name = old.name if by_name else draw(st.one_of(st.just(old.name), NAMES))
    default = draw(st.sampled_from([None, 7])) if new.field_type in (INT, LONG) else None
    return replace(new, name=name, doc=draw(st.sampled_from([old.doc, None, "z"])), write_default=default)


def up_to_fresh_ids(made: Schema, old: Schema) -> Schema:
    """The schema with ids that the old one did not have counted from 1000 in the order of the tree."""
    fresh = count(1000)

    def walked(iceberg_type: IcebergType) -> IcebergType:
        below = tuple(
            replace(
                child,
                field_id=child.field_id if child.field_id in old.fields_by_id else next(fresh),
                field_type=walked(child.field_type),
            )
            for child in children(iceberg_type)
        )
        return rebuild(iceberg_type, below) if below else iceberg_type

    struct = walked(made.as_struct())
    assert isinstance(struct, StructType)
    return Schema(struct.fields)


def dotted_names_are_plain(found: Schema) -> bool:
    """Whether no two fields share a dotted name, which a literal dot in a name can bring about."""
    names = [".".join(path) for path, _ in found.walk()]
    return len(set(names)) == len(names)


@settings(max_examples=120, deadline=None)
@given(st.data(), SCHEMAS, st.booleans())
def test_the_operations_make_the_new_schema(data: st.DataObject, old: Schema, by_name: bool) -> None:
    new_struct = edited(data.draw, old.as_struct(), count(500), by_name)
    assert isinstance(new_struct, StructType)
    new = Schema(new_struct.fields)
    if not (dotted_names_are_plain(old) and dotted_names_are_plain(new)):
        return
    required = [f.field_id for f in new.fields if f.required and f.field_type in (INT, LONG, STRING)]
    new = replace(
        new, identifier_field_ids=tuple(sorted(data.draw(st.sets(st.sampled_from(required))) if required else ()))
    )
    given_new = new
    if by_name:
        # By name the ids of the new schema mean nothing.
        given_new = numbered(new.as_struct())
        ids = {path: field_id for field_id, path in given_new.paths_by_id.items()}
        named = tuple(ids[new.paths_by_id[i]] for i in new.identifier_field_ids)
        given_new = replace(given_new, identifier_field_ids=named)
    update = proposed(old, given_new, "name" if by_name else "id", format_version=3, allow_incompatible_changes=True)
    dropped = () if by_name else [f.name for f in old.fields if f.field_id not in new.fields_by_id]
    try:
        made, last = update.apply(old, old.highest_field_id)
    except SchemaUpdateError as error:
        # Identifier fields are named, and looked up in the old schema first, as in Java: it takes two updates.
        if "Cannot delete identifier field" in str(error) and any(
            new.name_of(i) in dropped for i in new.identifier_field_ids
        ):
            return
        raise
    assert up_to_fresh_ids(made, old) == up_to_fresh_ids(new, old)
    assert {made.name_of(i) for i in made.identifier_field_ids} == {new.name_of(i) for i in new.identifier_field_ids}
    assert last >= old.highest_field_id
    assert all(i in old.fields_by_id or old.highest_field_id < i <= last for i in made.fields_by_id)
    assert diff_schemas(old, old).is_empty()
    assert update.is_empty() == (not kinds(old, given_new, "name" if by_name else "id"))
