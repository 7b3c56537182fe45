"""Properties of every schema update: deterministic, fresh ids, inputs untouched, and what is undone is undone."""

from __future__ import annotations

import copy
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projector.errors import SchemaUpdateError
from projector.evolution.updates.update_schema import UpdateSchema
from projector.schema.fresh_ids import assign_fresh_ids
from projector.schema.schema import Path, Schema
from projector.schema.types import (
    BooleanType,
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
)

NAMES = st.sampled_from(["a", "b", "c", "d", "e", "f.g", "A", "é", "element", "key"])
PRIMITIVES = st.sampled_from(
    [BooleanType(), IntegerType(), LongType(), FloatType(), StringType(), DateType(), DecimalType(9, 2)]
)
SOME = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def structs(types: st.SearchStrategy[IcebergType]) -> st.SearchStrategy[StructType]:
    field = st.tuples(NAMES.filter(lambda name: "." not in name), types, st.booleans())
    fields = st.lists(field, min_size=1, max_size=4, unique_by=lambda f: f[0])
    return fields.map(lambda listed: StructType(tuple(NestedField(0, n, t, r) for n, t, r in listed)))


TYPES = st.recursive(
    PRIMITIVES,
    lambda inner: st.one_of(
        structs(inner),
        st.tuples(inner, st.booleans()).map(lambda given: ListType(0, *given)),
        st.tuples(PRIMITIVES | structs(PRIMITIVES), inner, st.booleans()).map(
            lambda given: MapType(0, given[0], 0, *given[1:])
        ),
    ),
    max_leaves=6,
)


def numbered(struct: StructType) -> Schema:
    last = 0

    def following() -> int:
        nonlocal last
        last += 1
        return last

    fresh = assign_fresh_ids(struct, following)
    assert isinstance(fresh, StructType)
    return Schema(fresh.fields)


SCHEMAS = structs(TYPES).map(numbered)

Step = Callable[[UpdateSchema], object]


@st.composite
def steps(draw: st.DrawFn, schema: Schema) -> Step:
    """One operation, on a path that is probably there."""
    paths = st.sampled_from([path for path, _ in schema.walk()]) | st.just(("nowhere",))
    path, other, name, field_type = draw(paths), draw(paths), draw(NAMES), draw(TYPES)
    return draw(
        st.sampled_from(
            [
                lambda u: u.add_column((name,), field_type),
                lambda u: u.add_column((*path, name), field_type, doc=name),
                lambda u: u.delete_column(path),
                lambda u: u.rename_column(path, name),
                lambda u: u.make_column_optional(path),
                lambda u: u.require_column(path),
                lambda u: u.update_column_type(path, "long"),
                lambda u: u.update_column_doc(path, name),
                lambda u: u.move_first(path),
                lambda u: u.move_before(path, other),
                lambda u: u.move_after(path, (*path[:-1], other[-1])),
                lambda u: u.set_identifier_fields(path),
                lambda u: u.union_by_name(Schema((NestedField(1, name, field_type),)), promote=True),
            ]
        )
    )


@st.composite
def changed_schemas(draw: st.DrawFn) -> tuple[Schema, list[Step]]:
    schema = draw(SCHEMAS)
    return schema, draw(st.lists(steps(schema), min_size=1, max_size=5))


def outcome(schema: Schema, recorded: list[Step], last_column_id: int) -> tuple[Schema, int] | str:
    update = UpdateSchema(format_version=3, allow_incompatible_changes=True)
    for step in recorded:
        step(update)
    try:
        return update.apply(schema, last_column_id)
    except SchemaUpdateError as error:
        return str(error)


@SOME
@given(changed_schemas(), st.integers(0, 50))
def test_apply_is_deterministic_and_ids_are_fresh(case: tuple[Schema, list[Step]], above: int) -> None:
    schema, recorded = case
    before, last_column_id = copy.deepcopy(schema), schema.highest_field_id + above
    first = outcome(schema, recorded, last_column_id)
    assert outcome(schema, recorded, last_column_id) == first
    assert schema == before
    if isinstance(first, str):
        assert "\n" not in first
        return
    changed, new_last = first
    ids = [field.field_id for _, field in changed.walk()]
    assert len(set(ids)) == len(ids)
    fresh = set(ids) - set(schema.fields_by_id)
    assert all(field_id > last_column_id for field_id in fresh)
    assert new_last == max([last_column_id, *fresh])
    for field_id in set(ids) & set(schema.fields_by_id):
        assert changed.fields_by_id[field_id].initial_default == schema.fields_by_id[field_id].initial_default


@SOME
@given(changed_schemas())
def test_the_id_of_a_field_keeps_its_kind_and_its_parent(case: tuple[Schema, list[Step]]) -> None:
    schema, recorded = case
    result = outcome(schema, recorded, schema.highest_field_id)
    if isinstance(result, str):
        return
    changed, _ = result
    for field_id in changed.fields_by_id.keys() & schema.fields_by_id.keys():
        assert changed.parents_by_id.get(field_id) == schema.parents_by_id.get(field_id)
        old, new = schema.fields_by_id[field_id].field_type, changed.fields_by_id[field_id].field_type
        assert type(old) is type(new) or (type(old), type(new)) in {
            (IntegerType, LongType), (FloatType, StringType), (DateType, StringType),
        } or old.is_primitive  # fmt: skip


def undone(schema: Schema, change: UpdateSchema, back: UpdateSchema) -> bool:
    """Whether an update and its undo leave an equal schema; True where the update itself is refused."""
    try:
        changed, last_column_id = change.apply(schema, schema.highest_field_id)
    except SchemaUpdateError:
        return True
    return back.apply(changed, last_column_id)[0].same_columns(schema)


def open_update() -> UpdateSchema:
    return UpdateSchema(format_version=3, allow_incompatible_changes=True)


@st.composite
def fields_of_schemas(draw: st.DrawFn) -> tuple[Schema, Path, NestedField]:
    schema = draw(SCHEMAS)
    path, field = draw(st.sampled_from(list(schema.walk())))
    return schema, path, field


@SOME
@given(fields_of_schemas(), NAMES.filter(lambda name: "." not in name), TYPES)
def test_an_operation_and_its_undo_leave_an_equal_schema(
    case: tuple[Schema, Path, NestedField], name: str, field_type: IcebergType
) -> None:
    schema, path, field = case
    parent = path[:-1]
    renamed = (*parent, path[-1] if parent and path[-1] in ("element", "key", "value") else name)
    assert undone(schema, open_update().add_column((*path, name), field_type), drop_added(schema, path, name))
    assert undone(schema, open_update().add_column(("new",), field_type), open_update().delete_column(("new",)))
    if renamed[-1] == name and is_in_struct(schema, path):
        assert undone(schema, open_update().rename_column(path, name), open_update().rename_column(renamed, path[-1]))
    assert undone(schema, open_update().update_column_doc(path, name), open_update().update_column_doc(path, None))
    change, back = open_update().make_column_optional(path), open_update().require_column(path)
    assert undone(schema, *((change, back) if field.required else (back, change)))
    if is_in_struct(schema, path):
        siblings = [p for p, _ in schema.walk() if p[:-1] == parent]
        at = siblings.index(path)
        back = open_update().move_first(path) if at == 0 else open_update().move_after(path, siblings[at - 1])
        assert undone(schema, open_update().move_first(path), back)


def drop_added(schema: Schema, path: Path, name: str) -> UpdateSchema:
    """The undo of adding a field below a path: a list adds to its element, a map to its value."""
    match schema.find_field(path).field_type:
        case ListType():
            path = (*path, "element")
        case MapType():
            path = (*path, "value")
    return open_update().delete_column((*path, name))


def is_in_struct(schema: Schema, path: Path) -> bool:
    return len(path) == 1 or isinstance(schema.find_field(path[:-1]).field_type, StructType)


@SOME
@given(SCHEMAS, SCHEMAS)
def test_a_union_holds_every_name_of_both_and_repeating_it_changes_nothing(one: Schema, other: Schema) -> None:
    update = UpdateSchema(format_version=3).union_by_name(other, promote=True)
    try:
        union, last_column_id = update.apply(one, one.highest_field_id)
    except SchemaUpdateError:
        return
    assert {path for path, _ in union.walk()} == {path for path, _ in one.walk()} | {path for path, _ in other.walk()}
    assert all(union.ids_by_path[path] == field.field_id for path, field in one.walk())
    assert update.apply(union, last_column_id) == (union, last_column_id)
