"""Turn file tasks into projected files: read each footer, recognize the shape, and find or make the shape's plan.

Resolution costs once per shape and set of present partition values, not per file.
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
    """A data file and everything needed to read it under the requested schema.

    Parameters
    ----------
    task:
        The file, as the manifests describe it.
    plan:
        The plan of its shape, shared by all files of that shape.
    binding:
        The values that this file adds to the plan.
    row_count:
        The rows in the file, by its own footer.
    """

    task: FileTask
    plan: Plan
    binding: Binding
    row_count: int


@dataclass(slots=True)
class PlanCache:
    """The plans made so far for one requested schema. `resolutions` counts the calls of resolve()."""

    schema: Schema
    name_mapping: NameMapping | None = None
    shapes: KnownShapes = field(default_factory=shapes_so_far)
    _plans: dict[tuple[int, frozenset[int]], Plan] = field(default_factory=dict)

    @property
    def resolutions(self) -> int:
        """Return how many plans were made."""
        return len(self._plans)

    def plan(self, file_schema: FileSchema, partition_fields: frozenset[int]) -> Plan:
        """Return the plan for a shape from `shapes`, and the ids of the fields in the partition tuple."""
        key = (id(file_schema), partition_fields)  # `shapes` returns one object per shape and keeps it alive
        found = self._plans.get(key)
        if found is None:
            found = resolve(self.schema, file_schema, name_mapping=self.name_mapping, partition_fields=partition_fields)
            self._plans[key] = found
        return found


def project_file(task: FileTask, cache: PlanCache, storage: Storage) -> ProjectedFile:
    """Read one file's footer and bind the plan of its shape to it.

    Raises `NotFoundError`, `CorruptFileError` or `UnsupportedError`, naming the file.
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
    """Yield every task projected, in order.

    Footers in an object store are requested ahead, several at once, unless `ahead` is False, for a scan that may never
    reach the next file.
    """
    listed = tuple(tasks)
    workers = workers_for(listed[0].location) if ahead and len(listed) > 1 else 1
    for task, shape in worked_ahead(listed, lambda t: file_shape(t.location, storage, cache.shapes), workers=workers):
        yield _bound(task, shape, cache)


def project_all(
    tasks: Sequence[FileTask], cache: PlanCache, storage: Storage, kept: ShapeCache | None = None
) -> Iterator[ProjectedFile]:
    """Return every task projected, after reading all footers except those of files cached on disk.

    Raises what `project_file` raises, for the first file that cannot be read.
    """
    read = read_shapes([task.location for task in tasks], storage, cache.shapes, cache=kept)
    for task, schema, row_count in zip(tasks, read.schemas, read.row_counts, strict=True):
        if isinstance(schema, ProjectorError):
            raise schema
        yield _bound(task, FileShape(schema, row_count), cache)
