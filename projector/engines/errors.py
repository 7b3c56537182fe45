"""Build the errors of all executors, so that a bad value has the same message with every engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from projector.errors import CorruptFileError, ProjectionError
from projector.files.parquet.file_schema import FileLeaf
from projector.planning.filters.expressions import AlwaysTrue
from projector.planning.scan.probes import user_path
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest
from projector.projection.plan import Plan, PlanNode
from projector.text import preview


def raise_failures(plan: Plan, file: str) -> None:
    """Raise `ProjectionError` if a plan has `Fail` nodes, before any row of `file` is read."""
    # A column that is selected and filtered on fails twice, for one reason.
    failures = tuple({(node.field.field_id, node.message): node for node in reversed(plan.failures)}.values())[::-1]
    if not failures:
        return
    first = failures[0]
    if len(failures) == 1:
        raise ProjectionError(
            f"Cannot read as {first.field.field_type}: {first.message}",
            failures=failures,
            file=file,
            path=user_path(first.path),
            field_id=first.field.field_id,
        )
    told = "; ".join(f"{user_path(node.path)} (id {node.field.field_id}): {node.message}" for node in failures)
    raise ProjectionError(f"Cannot read {len(failures)} fields: {told}", failures=failures, file=file)


def value_error(node: PlanNode, file: str, leaf: FileLeaf, value: Any, why: str) -> ProjectionError:
    """Return the error for a stored value that is not a value of the requested type, with the reason."""
    return ProjectionError(
        f"Cannot read {preview(value)} of type {leaf} as {node.field.field_type}: {why}",
        file=file,
        path=user_path(node.path),
        field_id=node.field.field_id,
    )


def null_error(node: PlanNode, file: str, where: str = "the file has a null in it") -> ProjectionError:
    """Return the error for a null in a required field whose parent is not null."""
    return ProjectionError(
        f"Required {node.field.field_type} is null: {where}",
        file=file,
        path=user_path(node.path),
        field_id=node.field.field_id,
    )


def check_row_count(engine: str, files: Sequence[ProjectedFile], request: ScanRequest, given: int) -> None:
    """Raise `CorruptFileError` if an engine returned another number of rows than the footers of whole files count."""
    if not isinstance(request.row_filter, AlwaysTrue) or any(file.task.deletes for file in files):
        return
    counted = sum(file.row_count for file in files)
    if given != counted:
        one = files[0].binding.file if len(files) == 1 else None
        raise CorruptFileError(f"{engine} gives {given} rows where the footers count {counted}", file=one)


WHY_RANGE = "out of range"
WHY_INEXACT = "it cannot be rescaled exactly"
WHY_UTF8 = "invalid UTF-8"
WHY_LENGTH = "a uuid has 16 bytes"
