"""The Arrow executor over a whole scan: every file projected, its deleted rows left out, the filter applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from projector.engines.arrow import read_batches
from projector.engines.arrow_row_groups import row_group_filter
from projector.engines.arrow_rows import given_out
from projector.engines.delete_files import DeleteReader
from projector.engines.failures import raise_failures
from projector.planning.expressions import AlwaysTrue
from projector.planning.projected_files import ProjectedFile
from projector.planning.scan_request import ScanRequest
from projector.schema.arrow_schema import arrow_schema


def scan_batches(files: Iterable[ProjectedFile], request: ScanRequest, batch_size: int) -> Iterator[pa.RecordBatch]:
    """The rows of a scan, file by file: the form that every executor has.

    Parameters
    ----------
    files:
        Projected under the request's wide schema.
    batch_size:
        Rows in a batch at most.

    Raises
    ------
    ProjectionError
        For the first file that cannot be read under the schema, or value that does not fit it.
    NotFoundError, CorruptFileError, UnsupportedError
        For the first data or delete file that cannot be read at all.
    """
    schema = arrow_schema(request.schema)
    deletes = DeleteReader(request)
    filtered = not isinstance(request.row_filter, AlwaysTrue)
    for file in files:
        raise_failures(file.plan, file.binding.file)
        groups = row_group_filter(file, request) if filtered else None
        if groups is not None and not groups.might_match():
            continue
        positions = deletes.deleted_positions(file.task, file.row_count)
        equality = deletes.equality_deletes(file.task)
        # Deleted rows are not read at all, unless they are asked for by name.
        selection = None if request.marks_deleted else positions
        chosen = None if groups is None else groups.chosen
        for batch in read_batches(file, request.storage, batch_size, row_groups=chosen, selection=selection):
            given = given_out(request, batch, equality, positions, schema)
            if given.num_rows:
                yield given
