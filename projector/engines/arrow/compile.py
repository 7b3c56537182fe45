"""Compile a plan for pyarrow, once per shape: which leaves to read, and where nodes find them in the result.

pyarrow prunes: for a struct with some selected leaves it returns a struct of the selected children. The file

    0: a.b long     1: a struct (b int, c int)     2: m map (key string, value struct (x int, y int))

read for the leaves `a.c` and `m.value.y` comes as `a struct (c)`, `m map (key, value struct (y))`, but a map of whose
leaves only keys or only values are selected comes as a list of one-child structs. So every `Step` holds the position of
its column among the children that are returned, never a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from weakref import finalize

import pyarrow as pa

from projector.errors import UnsupportedError
from projector.files.parquet.file_schema import (
    FileColumn,
    FileKind,
    FileLeaf,
    FileSchema,
    FileStruct,
    FileVariant,
    Place,
)
from projector.projection.plan import (
    Cast,
    ListOf,
    MapOf,
    MetadataColumn,
    PartitionValue,
    Plan,
    PlanNode,
    Read,
    StructOf,
    children,
)
from projector.schema.arrow_schema import arrow_schema, arrow_type
from projector.schema.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A node of the plan, prepared for execution over arrays.

    Parameters
    ----------
    node:
        The node.
    number:
        Its number in the plan.
    target:
        The Arrow type of the scan, with the field ids in it.
    index:
        Position of its column among the children that pyarrow returns; None if the file is not read.
    exact_index:
        The same in the second reading, which holds the nanoseconds of int96 leaves; None if there are none below.
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
        Those of the plan. The plan itself is not referenced, so that it can be freed.
    schema:
        The Arrow schema of every batch.
    steps:
        One per top-level field.
    leaves:
        Indexes of the Parquet leaf columns to read.
    exact_leaves:
        Those among them that hold int96, which are read a second time.
    constants:
        Cached columns of steps that have one value in all files, by the step's number.
    """

    requested: Schema
    file_schema: FileSchema
    nodes: tuple[PlanNode, ...]
    schema: pa.Schema
    steps: tuple[Step, ...]
    leaves: tuple[int, ...]
    exact_leaves: tuple[int, ...]
    constants: dict[int, pa.Array] = field(default_factory=dict)

    @cached_property
    def leaf_count(self) -> int:
        """The number of Parquet leaf columns in files of this shape."""
        return sum(column.leaf_count for column in self.file_schema.columns)

    @cached_property
    def binds_nothing(self) -> bool:
        """Whether no node is bound per file: the plan has no partition value and no metadata column."""

        def late(node: PlanNode) -> bool:
            return isinstance(node, PartitionValue | MetadataColumn) or any(late(child) for child in children(node))

        return not any(late(node) for node in self.nodes)

    @cached_property
    def names_are_clear(self) -> bool:
        """Whether dotted paths are unambiguous: no name has a dot, and no group has a name twice."""

        def clear(columns: Sequence[FileColumn]) -> bool:
            names = [column.name for column in columns]
            return len(set(names)) == len(names) and not any("." in name for name in names)

        schema = self.file_schema
        return clear(schema.columns) and all(clear(column.children) for _, column in schema.walk())

    def reading_all(self) -> ArrowPlan:
        """Return the same plan, but with pyarrow reading all columns of the file."""
        every = range(self.leaf_count)
        plan = Plan(self.requested, self.file_schema, self.nodes)
        return compile_for(plan, every, every if self.exact_leaves else ())


def compile_plan(plan: Plan) -> ArrowPlan:
    """Return the compiled plan. It is cached as long as the plan lives, so that each shape is compiled once."""
    key = id(plan)  # a plan's own hash would walk the whole tree
    kept = _compiled.get(key)
    if kept is not None:
        return kept
    spans = leaf_spans(plan.file_schema)
    leaves = tuple(sorted(needed_leaves(plan, spans)))
    compiled = compile_for(plan, leaves, exact_leaves(plan.file_schema, spans, leaves))
    _compiled[key] = compiled
    finalize(plan, _compiled.pop, key, None).atexit = False
    return compiled


_compiled: dict[int, ArrowPlan] = {}


Spans = Mapping[Place, range]
"""Indexes of the Parquet leaf columns at and below every place, counted over the whole file."""


def leaf_spans(schema: FileSchema) -> Spans:
    """Return the leaves of every place."""
    spans: dict[Place, range] = {}

    def below(column: FileColumn, place: Place, first: int) -> int:
        last = first
        if isinstance(column.type, FileLeaf | FileVariant):
            last += column.leaf_count
        for i, child in enumerate(column.children):
            last = below(child, (*place, i), last)
        spans[place] = range(first, last)
        return last

    leaf = 0
    for i, column in enumerate(schema.columns):
        leaf = below(column, (i,), leaf)
    return spans


def exact_leaves(schema: FileSchema, spans: Spans, leaves: Collection[int]) -> tuple[int, ...]:
    """Return the leaves among `leaves` that hold int96."""
    int96 = {
        spans[place].start
        for place, column in schema.walk()
        if isinstance(column.type, FileLeaf) and column.type.kind is FileKind.INT96
    }
    return tuple(leaf for leaf in leaves if leaf in int96)


def needed_leaves(plan: Plan, spans: Spans) -> set[int]:
    """Return the indexes of the Parquet leaf columns that a plan reads."""
    schema = plan.file_schema

    def needed(node: PlanNode) -> set[int]:
        below = set().union(*(needed(child) for child in children(node)))
        match node:
            case Read(place=place) | MetadataColumn(place=tuple(place)):
                return {spans[place].start}
            case StructOf(place=place) | ListOf(place=place) | MapOf(place=place):
                return below or {cheapest_leaf(schema, spans, place)}
            case _:
                return below

    return set().union(*(needed(node) for node in plan.fields))


def cheapest_leaf(schema: FileSchema, spans: Spans, place: Place) -> int:
    """Return the cheapest leaf at or below a place that shows its nulls and lengths."""

    def below(place: Place, column: FileColumn, repeats: int) -> Iterator[tuple[tuple[int, ...], int]]:
        match column.type:
            case FileLeaf(physical=physical):
                yield (repeats, _COST.get(physical, 9), len(place)), spans[place].start
            case FileVariant():
                yield (repeats, 20, len(place)), spans[place].start
            case _:
                repeats += not isinstance(column.type, FileStruct)
                for i, child in enumerate(column.children):
                    yield from below((*place, i), child, repeats)

    leaves = sorted(below(place, schema.at(place), 0))
    if not leaves:
        raise UnsupportedError(f"the file's column {'.'.join(schema.name_path(place))!r} is a group without any leaf")
    return leaves[0][1]


_COST = {"boolean": 0, "int32": 1, "float": 1, "int64": 2, "double": 2, "int96": 3, "fixed_len_byte_array": 4}


def compile_for(plan: Plan, leaves: Sequence[int], exact: Sequence[int]) -> ArrowPlan:
    """Compile a plan for reading some ascending leaves, which may be more than the plan needs.

    `exact` are those of the second reading, which holds int96 as nanoseconds.
    """
    schema = plan.file_schema
    positions, exact_positions = _positions(schema, leaves), _positions(schema, exact)
    numbers = count()

    def step(node: PlanNode) -> Step:
        number = next(numbers)
        target = arrow_type(node.field.field_type)
        below = tuple(step(child) for child in children(node))
        match node:
            case Read(place=place, cast=cast) | MetadataColumn(place=tuple(place), cast=cast):
                leaf = schema.at(place).type
                assert isinstance(leaf, FileLeaf)
                return Step(node, number, target, positions.get(place), exact_positions.get(place), 0, leaf, cast)
            case StructOf(place=place) | ListOf(place=place) | MapOf(place=place):
                width = sum((*place, i) in positions for i in range(len(schema.at(place).children)))
                return Step(node, number, target, positions.get(place), exact_positions.get(place), width, below=below)
            case _:
                return Step(node, number, target, below=below)

    steps = tuple(step(node) for node in plan.fields)
    return ArrowPlan(plan.schema, schema, plan.fields, arrow_schema(plan.schema), steps, tuple(leaves), tuple(exact))


def _positions(schema: FileSchema, leaves: Collection[int]) -> Mapping[Place, int]:
    """Return the position of every place that is read among the children that pyarrow returns for its parent."""
    chosen = frozenset(leaves)
    positions: dict[Place, int] = {}
    returned: Counter[Place] = Counter()
    for place, span in sorted(leaf_spans(schema).items()):
        if any(leaf in chosen for leaf in span):
            positions[place] = returned[place[:-1]]
            returned[place[:-1]] += 1
    return positions
