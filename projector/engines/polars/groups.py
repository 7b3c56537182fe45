"""Group the files of a scan: Polars reads each group with one scan; the Arrow executor reads the rest.

A table has few shapes and many files: a group costs one Polars scan, a file one entry in its list. Values that differ
between files go into a small frame with a row per file, not into the query plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from projector.engines.common.routing import route
from projector.engines.polars.native import NativeColumns, WantsNative, native_columns, native_files
from projector.engines.polars.storage import polars_path
from projector.engines.polars.support import plan_reasons, task_reasons
from projector.files.storage.locations import parse_location
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest
from projector.projection.plan import Plan, Stored

_MOST_ROWS = 2**32 - 2
"""The most rows in one scan: Polars' row index has 32 bits."""


@dataclass(frozen=True, eq=False)
class FileGroup:
    """Files that one Polars scan reads, in order, without a path twice.

    Parameters
    ----------
    plan:
        The plan of the first file, and of every file unless `native` is set.
    native:
        The columns to request of Polars' own Iceberg mapping, if it projects the files whatever their plans; else None.
    deletes:
        Whether position deletes apply to the files.
    """

    plan: Plan
    native: NativeColumns | None
    deletes: bool
    scheme: str
    files: list[ProjectedFile] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Grouped:
    """The files of a scan: `groups` for Polars, and `rest` for the Arrow executor."""

    groups: list[FileGroup]
    rest: list[ProjectedFile]


def group_files(files: Iterable[ProjectedFile], request: ScanRequest, wants_native: WantsNative) -> Grouped:
    """Group the files of a scan. Files are skipped if their constants alone rule out every row of the filter.

    Raises `ProjectionError` for the first file that cannot be projected.
    """

    def reads(plan: Plan) -> bool:
        return not plan_reasons(plan) and not _decides_by_nulls(plan, request)

    rest: list[ProjectedFile] = []
    for_polars: list[tuple[ProjectedFile, str]] = []
    for file, path in route(files, request, reads, _path):
        if path is None:
            rest.append(file)
        else:
            for_polars.append((file, path))
    read = {id(file.plan): file.plan for file, _ in for_polars}
    plans = [plan for plan in read.values() if native_files(plan)]
    native: dict[int, NativeColumns] = {}
    if plans and wants_native(plans, request):
        asked = ((plan, native_columns(plan, request)) for plan in plans)
        native = {id(plan): columns for plan, columns in asked if columns is not None}
    return Grouped(_grouped(for_polars, native), rest)


def _path(file: ProjectedFile) -> str | None:
    return None if file.task.deletes and task_reasons(file.task) else polars_path(file.task.location)


def _grouped(files: list[tuple[ProjectedFile, str]], native: Mapping[int, NativeColumns]) -> list[FileGroup]:
    groups: list[FileGroup] = []
    filling: dict[tuple[object, ...], tuple[FileGroup, set[str], list[int]]] = {}
    for file, path in files:
        columns = native.get(id(file.plan))
        scheme = "file" if path.startswith("/") else parse_location(path).scheme
        deletes = bool(file.task.deletes)
        key = (id(file.plan) if columns is None else columns.places, deletes, scheme)
        found = filling.get(key)
        if found is None or path in found[1] or found[2][0] + file.row_count > _MOST_ROWS:
            found = FileGroup(file.plan, columns, deletes, scheme), set(), [0]
            filling[key] = found
            groups.append(found[0])
        group, paths, rows = found
        group.files.append(file)
        group.paths.append(path)
        paths.add(path)
        rows[0] += file.row_count
    return groups


def _decides_by_nulls(plan: Plan, request: ScanRequest) -> bool:
    """Return whether a filter may meet a null in a required column, which Polars would take for a value like others."""
    probes = plan.fields[len(request.schema.fields) :]
    return any(isinstance(node, Stored) and node.check_null for node in probes)
