"""Build one lazy frame that reads a group of files under the requested schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.arrow.constants import file_value, partition_value
from projector.engines.arrow.delete_files import DeleteReader
from projector.engines.common.support import NotLowered
from projector.engines.errors import null_error
from projector.engines.polars.filter import filter_expr
from projector.engines.polars.groups import FileGroup
from projector.engines.polars.lower import lower
from projector.engines.polars.native import native_scan
from projector.engines.polars.storage import storage_options
from projector.engines.polars.types import Dtype, plain_series
from projector.planning.filters.expressions import AlwaysTrue, BoundTerm
from projector.planning.scan.request import ScanRequest
from projector.projection.plan import MetadataColumn, PartitionValue, PlanNode
from projector.schema import reserved

FILE, ROW, KEEP = "\0file", "\0row", "\0keep"
"""Names of helper columns: the path that Polars reads, the row's number in the group, and one that keeps the height."""

_OFFSET, _ROW_ID_BASE = "\0offset", "\0row id"


class NotRead(Exception):
    """Polars cannot read a group of files."""


def group_frame(group: FileGroup, request: ScanRequest, deletes: DeleteReader) -> pl.LazyFrame:
    """Return the lazy frame of the rows of a group that a request returns. Raises `NotRead` if Polars cannot read them.

    For a request without columns the frame has the column `KEEP`, so that it keeps its height.
    """
    constants = _Constants(group)
    exprs, scan = _documented(group, request, constants) if group.native is None else _native(group, request, constants)
    width = len(request.schema.fields)
    given = exprs[:width]
    keep_rows = not any(expr.meta.root_names() for expr in given)
    numbered = constants.positions or group.deletes or keep_rows
    by_file = bool(constants.nodes) or constants.positions
    try:
        lazy = scan(ROW if numbered else None, FILE if by_file else None)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as e:
        raise NotRead from e
    if by_file:
        lazy = lazy.join(constants.frame(), on=FILE, how="left", maintain_order="left")
    if group.deletes:
        gone = pl.LazyFrame({ROW: _deleted_rows(group, deletes)})
        lazy = lazy.join(gone, on=ROW, how="anti", maintain_order="left")
    if not isinstance(request.row_filter, AlwaysTrue):
        probed = {p.field_id: expr for p, expr in zip(request.probes, exprs[width:], strict=True)}

        def column(term: BoundTerm) -> pl.Expr:
            return probed[term.field_id]

        lazy = lazy.filter(filter_expr(request.row_filter, column))
    if not keep_rows:
        return lazy.select(given)
    lazy = lazy.select(pl.col(ROW).alias(KEEP), *given)
    return lazy.drop(KEEP) if given else lazy


Scan = Callable[[str | None, str | None], pl.LazyFrame]
"""Makes the scan itself, with a column of row numbers and one of paths if names for them are given."""


def _documented(group: FileGroup, request: ScanRequest, constants: _Constants) -> tuple[list[pl.Expr], Scan]:
    """Return every field of the plan and every probe as expressions over the files' own columns, and the scan."""
    have = _columns(group, request)
    try:
        exprs = lower(group.plan, have, constants.bind)
    except NotLowered:
        raise NotRead from None
    width = len(request.schema.fields)
    probed = [_below(expr, p.path) for expr, p in zip(exprs[width:], request.probes, strict=True)]

    # Only the columns that are read: errors in others, or odd annotations of their types, are ignored.
    used = {name for expr in (*exprs[:width], *probed) for name in expr.meta.root_names()}
    schema = {name: dtype for name, dtype in have.items() if name in used}

    def scan(row_index: str | None, path_column: str | None) -> pl.LazyFrame:
        return pl.scan_parquet(
            group.paths,
            schema=schema,
            glob=False,
            extra_columns="ignore",
            hive_partitioning=False,
            include_file_paths=path_column,
            row_index_name=row_index,
            storage_options=_options(group, request),
        )

    return [*exprs[:width], *probed], scan


def _native(group: FileGroup, request: ScanRequest, constants: _Constants) -> tuple[list[pl.Expr], Scan]:
    """Return every field of the plan and every probe as expressions over columns that Polars projects, and the scan."""
    columns = group.native
    assert columns is not None
    paths = [*(() for _ in request.schema.fields), *(p.path for p in request.probes)]
    exprs = []
    for node, place, path in zip(group.plan.fields, columns.places, paths, strict=True):
        expr = _below(constants.bind(node), path) if place is None else _below(pl.col(place[0]), place[1:])
        exprs.append(expr.alias(node.field.name))

    def scan(row_index: str | None, path_column: str | None) -> pl.LazyFrame:
        return native_scan(group.paths, columns, row_index, path_column, _options(group, request))

    return exprs, scan


def _columns(group: FileGroup, request: ScanRequest) -> Mapping[str, Dtype]:
    """Return the columns of the group's first file with their Polars types."""
    try:
        first = pl.scan_parquet(
            group.paths[:1], glob=False, hive_partitioning=False, storage_options=_options(group, request)
        )
        return dict(first.collect_schema())
    except Exception as e:
        raise NotRead from e


def _options(group: FileGroup, request: ScanRequest) -> dict[str, str] | None:
    return storage_options(group.scheme, request.storage.properties) or None


def _below(expr: pl.Expr, path: tuple[str, ...]) -> pl.Expr:
    for name in path:
        expr = expr.struct.field(name)
    return expr


def _deleted_rows(group: FileGroup, deletes: DeleteReader) -> pl.Series:
    """Return the numbers of the rows of a group that position deletes delete."""
    found = []
    first = 0
    for file in group.files:
        positions = deletes.deleted_positions(file.task, file.row_count)
        if positions is not None:
            found.append(pc.add(positions.positions, pa.scalar(first, pa.int64())))
        first += file.row_count
    rows = pa.concat_arrays(found) if found else pa.array([], pa.int64())
    return pl.Series(ROW, rows).cast(pl.get_index_type())


class _Constants:
    """The values that differ between the files of a group: a frame with a row per file, and expressions over it."""

    def __init__(self, group: FileGroup) -> None:
        self.group = group
        self.nodes: dict[str, PartitionValue | MetadataColumn] = {}
        self.positions = False

    def bind(self, node: PlanNode) -> pl.Expr:
        """Return the expression of a node that is bound per file."""
        assert isinstance(node, PartitionValue | MetadataColumn)
        if isinstance(node, MetadataColumn) and node.field.field_id in (reserved.POS, reserved.ROW_ID):
            self.positions = True
            base = _ROW_ID_BASE if node.field.field_id == reserved.ROW_ID else _OFFSET
            return pl.col(ROW).cast(pl.Int64) + pl.col(base)
        name = f"\0{len(self.nodes)} constant"
        self.nodes[name] = node
        return pl.col(name)

    def frame(self) -> pl.LazyFrame:
        """Return a frame with a row per file: its path, its bound values, and the offsets of its row numbers."""
        group = self.group
        columns = [pl.Series(FILE, group.paths, pl.String)]
        for name, node in self.nodes.items():
            if isinstance(node, PartitionValue):
                values = [partition_value(node, file.binding) for file in group.files]
                if node.field.required:
                    for file, value in zip(group.files, values, strict=True):
                        if value is None and file.row_count:
                            where = "so is the file's partition value"
                            raise null_error(node, file.binding.file, where)
            else:
                values = [file_value(node, file.binding) for file in group.files]
            columns.append(plain_series(name, values, node.field.field_type))
        if self.positions:
            firsts = [0, *accumulate(file.row_count for file in group.files)][:-1]
            bases = [file.binding.first_row_id for file in group.files]
            columns.append(pl.Series(_OFFSET, [-first for first in firsts], pl.Int64))
            row_ids = [None if base is None else base - first for base, first in zip(bases, firsts, strict=True)]
            columns.append(pl.Series(_ROW_ID_BASE, row_ids, pl.Int64))
        return pl.LazyFrame(columns)
