"""The files of a scan in groups that Polars reads with one scan each, and those that the Arrow executor reads.

Shapes are few and files many: a group costs one scan of Polars, a file an entry in its list. What differs from file to
file goes into a small frame with a row per file, never into the plan.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from projector.engines.arrow_row_groups import row_group_filter
from projector.engines.failures import raise_failures
from projector.engines.polars_native import native_reasons
from projector.engines.polars_storage import polars_path
from projector.engines.polars_support import plan_reasons, task_reasons
from projector.files.locations import parse_location
from projector.planning.expressions import AlwaysTrue
from projector.planning.projected_files import ProjectedFile
from projector.planning.scan_request import ScanRequest
from projector.projection.plan import MetadataColumn, PartitionValue, Plan

_MOST_ROWS = 2**32 - 2
"""Rows that Polars counts in one scan: its row index has 32 bits."""


@dataclass(frozen=True, eq=False)
class FileGroup:
    """Files that one scan of Polars reads, in order, no path twice.

    Parameters
    ----------
    plan:
        The plan of the first file; of every file unless `native`.
    native:
        Whether Polars' own Iceberg mapping projects the files, whatever their plans.
    deletes:
        Whether position deletes apply to the files.
    """

    plan: Plan
    native: bool
    deletes: bool
    scheme: str
    files: list[ProjectedFile] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Grouped:
    """All files of a scan: in groups for Polars, and the rest."""

    groups: list[FileGroup]
    rest: list[ProjectedFile]


@dataclass(frozen=True, slots=True)
class _PlanFacts:
    """What is decided once for all files of a plan."""

    by_polars: bool
    native: bool
    by_constants: bool


def group_files(files: Iterable[ProjectedFile], request: ScanRequest, use_native: bool) -> Grouped:
    """The files of a scan in groups. Files whose constants alone rule out every row of the filter are left out.

    Raises `ProjectionError` for the first file that cannot be projected.
    """
    filtered = not isinstance(request.row_filter, AlwaysTrue)
    known: dict[int, _PlanFacts] = {}
    open_groups: dict[tuple[object, ...], tuple[FileGroup, set[str], list[int]]] = {}
    grouped = Grouped([], [])
    for file in files:
        facts = known.get(id(file.plan))
        if facts is None:
            raise_failures(file.plan, file.binding.file)
            facts = known[id(file.plan)] = _facts(file, request, use_native, filtered)
        if facts.by_constants and not row_group_filter(file, request).might_match():
            continue
        path = polars_path(file.task.location) if facts.by_polars else None
        if path is None or (file.task.deletes and task_reasons(file.task)):
            grouped.rest.append(file)
            continue
        scheme = "file" if path.startswith("/") else parse_location(path).scheme
        kind = _kind(file.plan) if facts.native else id(file.plan)
        key = (kind, facts.native, bool(file.task.deletes), scheme)
        found = open_groups.get(key)
        if found is None or path in found[1] or found[2][0] + file.row_count > _MOST_ROWS:
            found = FileGroup(file.plan, facts.native, bool(file.task.deletes), scheme), set(), [0]
            open_groups[key] = found
            grouped.groups.append(found[0])
        group, paths, rows = found
        group.files.append(file)
        group.paths.append(path)
        paths.add(path)
        rows[0] += file.row_count
    return grouped


def _facts(file: ProjectedFile, request: ScanRequest, use_native: bool, filtered: bool) -> _PlanFacts:
    reasons = plan_reasons(file.plan)
    by_polars = not reasons and not request.marks_deleted
    native = by_polars and use_native and not native_reasons(file.plan, request)
    return _PlanFacts(by_polars, native, filtered and bool(row_group_filter(file, request).fixed))


def _kind(plan: Plan) -> tuple[object, ...]:
    """What plans must have in common to be read by one native scan: the columns that are bound per file."""
    return tuple(
        (i, type(node), getattr(node, "place", None) is None)
        for i, node in enumerate(plan.fields)
        if isinstance(node, PartitionValue | MetadataColumn)
    )
