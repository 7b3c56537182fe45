"""A plan prepared for pyarrow, once per shape: which leaves to read, and where the nodes find them in what is returned.

pyarrow prunes: of a struct whose leaves are chosen in part it returns a struct of the chosen children. The file

    0: a.b long     1: a struct (b int, c int)     2: m map (key string, value struct (x int, y int))

read for the leaves `a.c` and `m.value.y` comes as `a struct (c)`, `m map (key, value struct (y))`, but a map of whose
leaves only keys or only values are chosen comes as a list of one-child structs. So every `Step` holds the position of
its column among the children that are returned, never a name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from weakref import finalize

import pyarrow as pa

from projector.errors import UnsupportedError
from projector.files.physical import FileColumn, FileKind, FileLeaf, FileSchema, FileVariant, Place
from projector.projection.casts import find_cast
from projector.projection.plan import Cast, ListOf, MapOf, MetadataColumn, Plan, PlanNode, Read, StructOf, children
from projector.schema.arrow_schema import arrow_schema, arrow_type
from projector.schema.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A node of the plan and what executing it over arrays needs.

    Parameters
    ----------
    node:
        The node.
    number:
        Its number in the plan.
    target:
        The Arrow type of the scan, with the field ids in it.
    index:
        Position of its column among the children that pyarrow returns; None where the file is not read.
    exact_index:
        The same in the second reading, which holds the nanoseconds of int96 leaves; None where none is below.
    width:
        How many children pyarrow returns for its column.
    leaf:
        Type of the leaf it reads.
    cast:
        How the leaf's values become the requested ones.
    below:
        Steps of the node's children.
    """

    node: PlanNode
    number: int
    target: pa.DataType
    index: int | None = None
    exact_index: int | None = None
    width: int = 0
    leaf: FileLeaf | None = None
    cast: Cast = Cast.NONE
    below: tuple[Step, ...] = ()


@dataclass(frozen=True, eq=False)
class ArrowPlan:
    """A plan, its steps, and the Parquet leaf columns they read.

    Parameters
    ----------
    requested, file_schema, nodes:
        The plan's own; not the plan, so that it can end.
    schema:
        The Arrow schema of every batch.
    steps:
        One per top-level field.
    leaves:
        Indexes of the Parquet leaf columns to read.
    exact_leaves:
        Those among them that hold int96, which are read a second time.
    """

    requested: Schema
    file_schema: FileSchema
    nodes: tuple[PlanNode, ...]
    schema: pa.Schema
    steps: tuple[Step, ...]
    leaves: tuple[int, ...]
    exact_leaves: tuple[int, ...]

    @cached_property
    def leaf_count(self) -> int:
        """Parquet leaf columns in files of this shape."""
        return sum(column.leaf_count for column in self.file_schema.columns)

    @cached_property
    def names_are_clear(self) -> bool:
        """Whether dotted paths name exactly the leaves they should: no dot in a name, no name twice in a group."""

        def clear(columns: Sequence[FileColumn]) -> bool:
            names = [column.name for column in columns]
            return len(set(names)) == len(names) and not any("." in name for name in names)

        schema = self.file_schema
        return clear(schema.columns) and all(clear(column.children) for _, column in schema.walk())

    def reading(self, order: Sequence[int], exact_order: Sequence[int]) -> ArrowPlan:
        """The same plan where pyarrow reads other leaves, or in another order."""
        return compile_for(Plan(self.requested, self.file_schema, self.nodes), order, exact_order)


def compile_plan(plan: Plan) -> ArrowPlan:
    """The steps of a plan. Kept as long as the plan lives, so that it is compiled once per shape."""
    key = id(plan)  # a plan's own hash would walk the whole tree
    kept = _compiled.get(key)
    if kept is not None:
        return kept
    leaves = tuple(sorted(needed_leaves(plan)))
    compiled = compile_for(plan, leaves, exact_leaves(plan.file_schema, leaves))
    _compiled[key] = compiled
    finalize(plan, _compiled.pop, key, None).atexit = False
    return compiled


_compiled: dict[int, ArrowPlan] = {}


def exact_leaves(file_schema: FileSchema, leaves: Collection[int]) -> tuple[int, ...]:
    """The leaves among `leaves` that hold int96."""
    found = (
        file_schema.first_leaf(place)
        for place, column in file_schema.walk()
        if isinstance(column.type, FileLeaf) and column.type.kind is FileKind.INT96
    )
    return tuple(leaf for leaf in found if leaf in leaves)


def needed_leaves(plan: Plan) -> set[int]:
    """Indexes of the Parquet leaf columns that a plan reads."""
    schema = plan.file_schema

    def needed(node: PlanNode) -> set[int]:
        below = set().union(*(needed(child) for child in children(node)))
        match node:
            case Read(place=place):
                return {schema.first_leaf(place)}
            case StructOf(place=place) | ListOf(place=place) | MapOf(place=place):
                return below or {cheapest_leaf(schema, place)}
            case MetadataColumn(place=tuple(place)):
                return {schema.first_leaf(place)}
            case _:
                return below

    return set().union(*(needed(node) for node in plan.fields))


def cheapest_leaf(schema: FileSchema, place: Place) -> int:
    """The leaf at or below a place that says most cheaply where the place is null and how long it is."""

    def below(place: Place, column: FileColumn, depth: int) -> Iterator[tuple[tuple[int, ...], int]]:
        first = schema.first_leaf(place)
        match column.type:
            case FileLeaf() as leaf:
                # Columns of nulls come last: pyarrow loses the length of some that are nested deeply.
                yield (leaf.kind is FileKind.NULL, depth, _COST.get(leaf.physical, 9), len(place)), first
            case FileVariant():
                yield (False, depth, 20, len(place)), first
            case _:
                for i, child in enumerate(column.children):
                    yield from below((*place, i), child, depth + (len(column.children) == 1 and _repeats(column)))

    leaves = sorted(below(place, schema.at(place), 0))
    if not leaves:
        raise UnsupportedError(f"the file's column {'.'.join(schema.name_path(place))!r} is a group without any leaf")
    return leaves[0][1]


_COST = {"boolean": 0, "int32": 1, "float": 1, "int64": 2, "double": 2, "int96": 3, "fixed_len_byte_array": 4}


def _repeats(column: FileColumn) -> bool:
    return str(column.type).startswith(("list<", "map<"))


def compile_for(plan: Plan, order: Sequence[int], exact_order: Sequence[int]) -> ArrowPlan:
    """The steps of a plan where pyarrow reads the leaves of `order`, in that order.

    `order` may hold more leaves than the plan needs: dotted names can select too much.
    """
    schema = plan.file_schema
    index, width = _positions(schema, order)
    exact_index, _ = _positions(schema, exact_order)
    numbers = count()

    def step(node: PlanNode) -> Step:
        number = next(numbers)
        target = arrow_type(node.field.field_type)
        below = tuple(step(child) for child in children(node))
        match node:
            case Read(place=place, cast=cast):
                leaf = schema.at(place).type
                assert isinstance(leaf, FileLeaf)
                return Step(node, number, target, index(place), exact_index(place), 0, leaf, cast)
            case MetadataColumn(place=tuple(place)):
                leaf = schema.at(place).type
                found = find_cast(leaf, node.field.field_type) if isinstance(leaf, FileLeaf) else None
                if found is None or not isinstance(leaf, FileLeaf):
                    raise UnsupportedError(f"the file's column of the reserved id {node.field.field_id} is {leaf}")
                return Step(node, number, target, index(place), None, 0, leaf, found)
            case StructOf(place=place) | ListOf(place=place) | MapOf(place=place):
                return Step(node, number, target, index(place), exact_index(place), width(place), below=below)
            case _:
                return Step(node, number, target, below=below)

    steps = tuple(step(node) for node in plan.fields)
    return ArrowPlan(
        plan.schema, schema, plan.fields, arrow_schema(plan.schema), steps, tuple(order), tuple(exact_order)
    )


def _positions(
    schema: FileSchema, order: Sequence[int]
) -> tuple[Callable[[Place], int | None], Callable[[Place], int]]:
    """Two functions: a place's position among the children that pyarrow returns, and how many it has itself."""
    chosen = frozenset(order)

    def is_read(place: Place) -> bool:
        first = schema.first_leaf(place)
        return any(leaf in chosen for leaf in range(first, first + schema.at(place).leaf_count))

    roots: list[int] = []  # top-level columns come in the order in which their first leaf is asked for
    root_of = [i for i, column in enumerate(schema.columns) for _ in range(column.leaf_count)]
    for leaf in order:
        if root_of[leaf] not in roots[-1:] and root_of[leaf] not in roots:
            roots.append(root_of[leaf])
    root_index = {root: i for i, root in enumerate(roots)}

    def index(place: Place) -> int | None:
        if len(place) == 1:
            return root_index.get(place[0])
        if not is_read(place):
            return None
        return sum(is_read((*place[:-1], i)) for i in range(place[-1]))

    def width(place: Place) -> int:
        return sum(is_read((*place, i)) for i in range(len(schema.at(place).children)))

    return index, width
