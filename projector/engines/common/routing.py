"""Which files of a scan an engine's own reader reads, and which the Arrow executor reads for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from projector.engines.arrow.row_groups import row_group_filter
from projector.engines.errors import raise_failures
from projector.planning.filters.expressions import AlwaysTrue
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest
from projector.projection.plan import Plan


def route(
    files: Iterable[ProjectedFile],
    request: ScanRequest,
    reads_plan: Callable[[Plan], bool],
    path_of: Callable[[ProjectedFile], str | None],
) -> Iterator[tuple[ProjectedFile, str | None]]:
    """Yield the files of a scan, each with the path by which the engine reads it; None if the Arrow executor does.

    Files are skipped if their constants alone rule out every row of the filter. Facts about a plan are found once.

    Parameters
    ----------
    reads_plan:
        Whether the engine reads files of a plan exactly.
    path_of:
        The path of one file whose plan the engine reads; None if it cannot read this file.

    Raises `ProjectionError` for the first file that cannot be projected.
    """
    filtered = not isinstance(request.row_filter, AlwaysTrue)
    known: dict[int, tuple[Plan, bool, bool]] = {}  # the plan is kept, so that its id stays its own
    for file in files:
        facts = known.get(id(file.plan))
        if facts is None:
            raise_failures(file.plan, file.binding.file)
            by_constants = filtered and bool(row_group_filter(file, request).fixed)
            reads = not request.marks_deleted and reads_plan(file.plan)
            facts = known[id(file.plan)] = file.plan, reads, by_constants
        _, reads, by_constants = facts
        if by_constants and not row_group_filter(file, request).might_match():
            continue
        yield file, path_of(file) if reads else None
