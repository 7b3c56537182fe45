"""From file tasks to projected files: each file's footer read, its shape recognised, its shape's plan found or made.

Resolution costs once per shape and set of partition values that are present, never per file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from projector.errors import ProjectorError
from projector.files.concurrency.ordered import worked_ahead
from projector.files.parquet.file_schema import FileSchema
from projector.files.shapes.cache import ShapeCache
from projector.files.shapes.reader import read_shapes
from projector.files.shapes.shapes import FileShape, KnownShapes, file_shape, shapes_so_far
from projector.files.storage.read_all import workers_for
from projector.files.storage.storage import Storage
from projector.planning.scan.metadata_columns import partition_values
from projector.planning.scan.tasks import FileTask
from projector.projection.plan import Binding, Plan
from projector.projection.resolve import resolve
from projector.schema.name_mapping import NameMapping
from projector.schema.schema import Schema


@dataclass(frozen=True, slots=True)
class ProjectedFile:
    """A data file and all that it takes to read it under the requested schema.

    Parameters
    ----------
    task:
        The file, as the manifests describe it.
    plan:
        The plan of its shape, shared with every file of that shape.
    binding:
        What this file adds to the plan.
    row_count:
        Rows in the file, by its own footer.
    """

    task: FileTask
    plan: Plan
    binding: Binding
    row_count: int


@dataclass(slots=True)
class PlanCache:
    """Plans made so far for one requested schema. `resolutions` counts how often resolve() had to run."""

    schema: Schema
    name_mapping: NameMapping | None = None
    shapes: KnownShapes = field(default_factory=shapes_so_far)
    _plans: dict[tuple[int, frozenset[int]], Plan] = field(default_factory=dict)

    @property
    def resolutions(self) -> int:
        """How many plans were made."""
        return len(self._plans)

    def plan(self, file_schema: FileSchema, partition_fields: frozenset[int]) -> Plan:
        """The plan for a shape met through `shapes`, and the ids of the fields that the partition tuple has."""
        key = (id(file_schema), partition_fields)  # `shapes` hands out one object per shape and keeps it alive
        found = self._plans.get(key)
        if found is None:
            found = resolve(self.schema, file_schema, name_mapping=self.name_mapping, partition_fields=partition_fields)
            self._plans[key] = found
        return found


def project_file(task: FileTask, cache: PlanCache, storage: Storage) -> ProjectedFile:
    """Read one file's footer and bind the plan of its shape to it.

    Raises `NotFoundError`, `CorruptFileError` or `UnsupportedError` naming the file.
    """
    return _bound(task, file_shape(task.location, storage, cache.shapes), cache)


def _bound(task: FileTask, shape: FileShape, cache: PlanCache) -> ProjectedFile:
    plan = cache.plan(shape.schema, frozenset(task.identity_partition))
    binding = Binding(
        file=task.file,
        partition=task.identity_partition,
        spec_id=task.spec_id,
        partition_struct=partition_values(task.partition),
        first_row_id=task.first_row_id,
        sequence_number=task.data_sequence_number,
    )
    return ProjectedFile(task, plan, binding, shape.row_count)


def project_files(
    tasks: Iterable[FileTask], cache: PlanCache, storage: Storage, *, ahead: bool = True
) -> Iterator[ProjectedFile]:
    """Every task projected, in order.

    Footers of an object store are asked for ahead of their turn, several at once; not so where `ahead` is False, for
    a scan that may not come to the next file at all.
    """
    listed = tuple(tasks)
    workers = workers_for(listed[0].location) if ahead and len(listed) > 1 else 1
    for task, shape in worked_ahead(listed, lambda t: file_shape(t.location, storage, cache.shapes), workers=workers):
        yield _bound(task, shape, cache)


def project_all(
    tasks: Sequence[FileTask], cache: PlanCache, storage: Storage, kept: ShapeCache | None = None
) -> Iterator[ProjectedFile]:
    """Every task projected, after all footers were read; those of files that are `kept` on disk are not.

    Raises as `project_file` does, for the first file that cannot be read.
    """
    read = read_shapes([task.location for task in tasks], storage, cache.shapes, cache=kept)
    for task, schema, row_count in zip(tasks, read.schemas, read.row_counts, strict=True):
        if isinstance(schema, ProjectorError):
            raise schema
        yield _bound(task, FileShape(schema, row_count), cache)
