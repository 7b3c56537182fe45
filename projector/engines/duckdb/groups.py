"""Group the files of a scan: DuckDB reads each group with one SELECT; the Arrow executor reads the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from projector.engines.common.routing import route
from projector.engines.duckdb.storage import duckdb_path
from projector.engines.duckdb.support import plan_reasons, task_reasons
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest
from projector.projection.plan import PartitionValue, Plan

MOST_GROUPS = 100
"""The most groups that DuckDB reads. It plans each of them for every query: 500 groups cost twice as much as ten."""


@dataclass(frozen=True, eq=False)
class FileGroup:
    """Files of one plan, in the order of the scan.

    Parameters
    ----------
    positions, keys:
        Whether position deletes and equality deletes apply to the files.
    """

    plan: Plan
    positions: bool
    keys: bool
    files: list[ProjectedFile] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def row_count(self) -> int:
        """The number of rows in the files."""
        return sum(file.row_count for file in self.files)


@dataclass(frozen=True, eq=False)
class Grouped:
    """The files of a scan: `groups` for DuckDB, `rest` for the Arrow executor, and all of them in `files`, in order."""

    groups: list[FileGroup]
    rest: list[ProjectedFile]
    files: list[ProjectedFile]


def group_files(
    files: Iterable[ProjectedFile], request: ScanRequest, path_of: Callable[[str], str | None] = duckdb_path
) -> Grouped:
    """Group the files of a scan that `path_of` returns a path for.

    Files are skipped if their constants alone rule out every row of the filter.

    Raises `ProjectionError` for the first file that cannot be projected.
    """

    required: dict[int, tuple[int, ...]] = {}

    def path(file: ProjectedFile) -> str | None:
        ids = required.get(id(file.plan))
        if ids is None:
            ids = required[id(file.plan)] = _required_from_partition(file.plan)
        if any(file.binding.partition.get(i) is None for i in ids) or (
            file.task.deletes and task_reasons(file.task, request)
        ):
            return None
        return path_of(file.task.location)

    groups: dict[tuple[int, bool, bool], FileGroup] = {}
    rest: list[ProjectedFile] = []
    read: list[ProjectedFile] = []
    for file, location in route(files, request, lambda plan: not plan_reasons(plan), path):
        read.append(file)
        if location is None:
            rest.append(file)
            continue
        kinds = {delete.content for delete in file.task.deletes}
        key = (id(file.plan), "position" in kinds, "equality" in kinds)
        group = groups.get(key)
        if group is None:
            group = groups[key] = FileGroup(file.plan, *key[1:])
        group.files.append(file)
        group.paths.append(location)
    found = list(groups.values())
    if len(found) > MOST_GROUPS:
        ranked = sorted(found, key=lambda group: group.row_count, reverse=True)
        kept = {id(group) for group in ranked[:MOST_GROUPS]}
        rest += [file for group in ranked[MOST_GROUPS:] for file in group.files]
        found = [group for group in found if id(group) in kept]
    return Grouped(found, rest, read)


def _required_from_partition(plan: Plan) -> tuple[int, ...]:
    """Return the ids of the required columns that a plan takes from the partition."""
    return tuple(
        node.field.field_id for node in plan.walk() if isinstance(node, PartitionValue) and node.field.required
    )
