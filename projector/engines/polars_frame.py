"""A group of files as one Polars lazy frame under the requested schema."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.arrow_constants import file_value, partition_value
from projector.engines.delete_files import DeleteReader
from projector.engines.failures import null_error
from projector.engines.polars_filter import filter_expr
from projector.engines.polars_groups import FileGroup
from projector.engines.polars_lower import NotLowered, lower
from projector.engines.polars_storage import storage_options
from projector.engines.polars_types import Dtype, plain_series
from projector.planning.expressions import AlwaysTrue, BoundTerm
from projector.planning.scan_request import ScanRequest
from projector.projection.plan import MetadataColumn, PartitionValue, PlanNode
from projector.schema import reserved

FILE, ROW, KEEP = "\0file", "\0row", "\0keep"
"""Columns of our own: the path that Polars reads, the row's number in the group, and one to keep rows by."""

_OFFSET, _ROW_ID_BASE = "\0offset", "\0row id"


class NotRead(Exception):
    """Polars cannot read a group of files."""


def group_frame(group: FileGroup, request: ScanRequest, deletes: DeleteReader) -> pl.LazyFrame:
    """The rows of a group that the request gives out. Raises `NotRead` where Polars cannot read the files.

    Without any column to give out, the frame has the column `KEEP`, for its height.
    """
    plan = group.plan
    constants = _Constants(group)
    fields = plan.fields
    own = _columns(group, request)
    try:
        exprs = lower(plan, own, constants.bind)
    except NotLowered:
        raise NotRead from None
    width = len(request.schema.fields)
    given = exprs[:width]
    by_row = constants.positions or group.deletes
    keep_rows = not any(expr.meta.root_names() for expr in given)
    lazy = pl.scan_parquet(
        group.paths,
        schema=own,  # type: ignore[arg-type]
        glob=False,
        hive_partitioning=False,
        extra_columns="ignore",
        include_file_paths=FILE if constants.nodes or constants.positions else None,
        row_index_name=ROW if by_row or keep_rows else None,
        storage_options=_options(group, request),
    )
    if constants.nodes or constants.positions:
        lazy = lazy.join(constants.frame(), on=FILE, how="left", maintain_order="left")
    if group.deletes:
        gone = pl.LazyFrame({ROW: _deleted_rows(group, deletes)})
        lazy = lazy.join(gone, on=ROW, how="anti", maintain_order="left")
    if not isinstance(request.row_filter, AlwaysTrue):
        probed = {p.field_id: _probe(expr, p.path) for p, expr in zip(request.probes, exprs[width:], strict=True)}

        def column(term: BoundTerm) -> pl.Expr:
            return probed[term.field_id]

        lazy = lazy.filter(filter_expr(request.row_filter, column))
    if not keep_rows:
        return lazy.select(given)
    lazy = lazy.select(pl.col(ROW).alias(KEEP), *given)
    return lazy.drop(KEEP) if given else lazy


def _columns(group: FileGroup, request: ScanRequest) -> Mapping[str, Dtype]:
    """The columns of the group's files with the types that Polars gives to them, by the first file."""
    try:
        first = pl.scan_parquet(
            group.paths[:1], glob=False, hive_partitioning=False, storage_options=_options(group, request)
        )
        return dict(first.collect_schema())
    except Exception as e:
        raise NotRead from e


def _options(group: FileGroup, request: ScanRequest) -> dict[str, str] | None:
    return storage_options(group.scheme, request.storage.properties) or None


def _probe(expr: pl.Expr, path: tuple[str, ...]) -> pl.Expr:
    for name in path:
        expr = expr.struct.field(name)
    return expr


def _deleted_rows(group: FileGroup, deletes: DeleteReader) -> pl.Series:
    """Numbers of the rows of a group that position deletes delete."""
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
    """What differs from file to file in a group: a frame with a row per file, and expressions over its columns."""

    def __init__(self, group: FileGroup) -> None:
        self.group = group
        self.nodes: dict[str, PartitionValue | MetadataColumn] = {}
        self.positions = False

    def bind(self, node: PlanNode) -> pl.Expr:
        """The expression of a node that is bound per file."""
        assert isinstance(node, PartitionValue | MetadataColumn)
        if isinstance(node, MetadataColumn) and node.field.field_id in (reserved.POS, reserved.ROW_ID):
            self.positions = True
            base = _ROW_ID_BASE if node.field.field_id == reserved.ROW_ID else _OFFSET
            return pl.col(ROW).cast(pl.Int64) + pl.col(base)
        name = f"\0{len(self.nodes)} constant"
        self.nodes[name] = node
        return pl.col(name)

    def frame(self) -> pl.LazyFrame:
        """A row per file: its path, the values bound to it, and what makes positions out of row numbers."""
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
