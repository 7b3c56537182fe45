"""The files of a scan in groups that DuckDB reads with one SELECT each, and those that the Arrow executor reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from projector.engines.arrow.row_groups import row_group_filter
from projector.engines.duckdb.storage import duckdb_path
from projector.engines.duckdb.support import plan_reasons, task_reasons
from projector.engines.errors import raise_failures
from projector.planning.filters.expressions import AlwaysTrue
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest
from projector.projection.plan import PartitionValue, Plan

MOST_GROUPS = 100
"""Groups that DuckDB reads at most. It plans each of them for every query, and 500 cost twice what ten do."""


@dataclass(frozen=True, eq=False)
class FileGroup:
    """Files of one plan, in order.

    Parameters
    ----------
    positions, keys:
        Whether position deletes, or equality deletes, apply to the files.
    """

    plan: Plan
    positions: bool
    keys: bool
    files: list[ProjectedFile] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def row_count(self) -> int:
        """Rows in the files."""
        return sum(file.row_count for file in self.files)


@dataclass(frozen=True, eq=False)
class Grouped:
    """All files of a scan: in groups for DuckDB, and the rest; `files` are both, in the scan's order."""

    groups: list[FileGroup]
    rest: list[ProjectedFile]
    files: list[ProjectedFile]


@dataclass(frozen=True, slots=True)
class _PlanFacts:
    by_duckdb: bool
    by_constants: bool
    required_values: tuple[int, ...]


def group_files(
    files: Iterable[ProjectedFile], request: ScanRequest, path_of: Callable[[str], str | None] = duckdb_path
) -> Grouped:
    """The files of a scan in groups, those that `path_of` gives a path for.

    Files whose constants alone rule out every row of the filter are left out.

    Raises `ProjectionError` for the first file that cannot be projected.
    """
    filtered = not isinstance(request.row_filter, AlwaysTrue)
    known: dict[int, _PlanFacts] = {}
    groups: dict[tuple[int, bool, bool], FileGroup] = {}
    rest: list[ProjectedFile] = []
    read: list[ProjectedFile] = []
    for file in files:
        facts = known.get(id(file.plan))
        if facts is None:
            raise_failures(file.plan, file.binding.file)
            facts = known[id(file.plan)] = _facts(file, request, filtered)
        if facts.by_constants and not row_group_filter(file, request).might_match():
            continue
        read.append(file)
        path = path_of(file.task.location) if facts.by_duckdb else None
        if path is None or not _is_whole(file, facts) or (file.task.deletes and task_reasons(file.task, request)):
            rest.append(file)
            continue
        kinds = {delete.content for delete in file.task.deletes}
        positions, keys = "position" in kinds, "equality" in kinds
        key = (id(file.plan), positions, keys)
        group = groups.get(key)
        if group is None:
            group = groups[key] = FileGroup(file.plan, positions, keys)
        group.files.append(file)
        group.paths.append(path)
    found = list(groups.values())
    if len(found) > MOST_GROUPS:
        ranked = sorted(found, key=lambda group: group.row_count, reverse=True)
        kept = {id(group) for group in ranked[:MOST_GROUPS]}
        rest += [file for group in ranked[MOST_GROUPS:] for file in group.files]
        found = [group for group in found if id(group) in kept]
    return Grouped(found, rest, read)


def _facts(file: ProjectedFile, request: ScanRequest, filtered: bool) -> _PlanFacts:
    required = tuple(
        node.field.field_id for node in file.plan.walk() if isinstance(node, PartitionValue) and node.field.required
    )
    by_constants = filtered and bool(row_group_filter(file, request).fixed)
    return _PlanFacts(not plan_reasons(file.plan) and not request.marks_deleted, by_constants, required)


def _is_whole(file: ProjectedFile, facts: _PlanFacts) -> bool:
    """Whether a file has a value for every required column that it takes from its partition."""
    return all(file.binding.partition.get(i) is not None for i in facts.required_values)
