"""A scan: one pinned state of a table, or a list of files, read under one schema."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from projector.api.explanation import Explanation, explain_files
from projector.engines.registry import executor
from projector.errors import ProjectorError, ProjectorWarning, UnsupportedError
from projector.files.shapes.cache import default_cache
from projector.files.shapes.reader import read_shapes
from projector.files.shapes.shapes import shapes_so_far
from projector.planning.filters.expressions import TRUE, Expression, both
from projector.planning.scan.arguments import optional_number, whole_number
from projector.planning.scan.plan import ScanPlan
from projector.planning.scan.projected_files import PlanCache, ProjectedFile, project_all, project_files
from projector.planning.scan.request import DEFAULT_BATCH_SIZE, ScanRequest
from projector.planning.scan.source import ScanSource, enough_at_first, exact_count
from projector.planning.scan.tasks import FileTask
from projector.schema.reserved import DELETED
from projector.schema.schema import Schema
from projector.schema.types import has_variant

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True)
class Scan:
    """A scan of rows under a schema. `Table.scan` and `read_files` return one; no file is opened before a method needs
    it.

    A scan is pinned: it keeps reading the snapshot that was current when it was made.
    """

    _source: ScanSource = field(repr=False)
    _schema: Schema
    row_filter: Expression = TRUE
    limit: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", optional_number("limit", self.limit, 0))

    def schema(self) -> Schema:
        """Return the schema of the rows, as selected."""
        return self._schema

    def plan_files(self) -> ScanPlan:
        """Return the data files to read, and which are skipped and why. No data file is opened."""
        return self._source.plan(self.row_filter)

    def count(self) -> int:
        """Return the number of rows that the scan returns.

        Rows are read only from files that a filter cuts through, or that have equality deletes or position delete
        files.
        Of all other files only the footer is read, because record counts in manifests are sometimes wrong.
        """
        request = self._source.request(self._schema, self.row_filter)
        total, opened, whole = 0, [], []
        for task in self.plan_files():
            exact = exact_count(
                replace(task, position_deletes=(), equality_deletes=()) if request.marks_deleted else task
            )
            if exact is None:
                opened.append(task)
            else:
                total += exact - (task.record_count or 0)
                whole.append(task.location)
        read = read_shapes(whole, request.storage, shapes_so_far())
        for schema in read.schemas:
            if isinstance(schema, ProjectorError):
                raise schema
        total += sum(read.row_counts)
        if opened:
            needed = tuple(f for f in self._schema.fields if f.field_id == DELETED)
            counted = replace(self, _schema=Schema(needed), limit=None)
            total += sum(batch.num_rows for batch in counted._batches("arrow", DEFAULT_BATCH_SIZE, opened))
        return total if self.limit is None else min(total, max(self.limit, 0))

    def count_in(self, tasks: Sequence[FileTask]) -> int:
        """Return the number of rows in some of the scan's files, by reading them."""
        counted = replace(self, _schema=Schema(()), limit=None)
        return sum(batch.num_rows for batch in counted._batches("arrow", DEFAULT_BATCH_SIZE, tasks))

    def explain(self, *, cache: bool = True) -> Explanation:
        """Return where every field comes from in each shape of file, and which files are read. Reads footers, but no
        rows.

        With `cache`, shapes are stored on disk; files that were read once and have not changed are not opened again.
        """
        plan = self.plan_files()
        request = self._source.request(self._schema, TRUE)
        known = PlanCache(request.wide_schema, request.name_mapping)
        files = project_all(plan.tasks, known, request.storage, default_cache() if cache else None)
        return explain_files(_with_notes(files), self._schema, plan)

    def to_arrow_batch_reader(
        self, engine: str = "arrow", *, batch_size: int = DEFAULT_BATCH_SIZE
    ) -> pa.RecordBatchReader:
        """Return the rows as a stream of batches of one Arrow schema, in bounded memory.

        Parameters
        ----------
        engine:
            `arrow`, `polars` or `duckdb`, or `rows`: the slow reference that every engine is compared with.
        batch_size:
            The most rows in a batch.

        Raises
        ------
        ProjectionError
            While batches are read: the first file that cannot be read under the schema.
        NotFoundError, CorruptFileError, UnsupportedError
            The first file that cannot be read at all.
        """
        import pyarrow as pa

        from projector.schema.arrow_schema import arrow_schema

        batches = self._batches(engine, whole_number("batch_size", batch_size, 1))
        return pa.RecordBatchReader.from_batches(arrow_schema(self._schema), batches)

    def to_arrow(self, engine: str = "arrow") -> pa.Table:
        """Return all rows as one Arrow table. See `to_arrow_batch_reader`."""
        import pyarrow as pa

        from projector.schema.arrow_schema import arrow_schema

        return pa.Table.from_batches(self._batches(engine, DEFAULT_BATCH_SIZE), arrow_schema(self._schema))

    def to_duckdb(self, name: str, connection: duckdb.DuckDBPyConnection | None = None) -> duckdb.DuckDBPyConnection:
        """Create or replace a temporary view of the rows on a DuckDB connection, and return the connection.

        The view keeps reading this scan's snapshot, and reads the files again with every query. It belongs to the
        connection: cursors made from it do not see it. Columns that hold variants are left out with a warning, unless
        they
        are selected.

        Parameters
        ----------
        name:
            The view's name, taken literally.
        connection:
            The connection to create the view on. By default a new in-memory database, with time zone UTC.

        Raises
        ------
        ProjectionError
            The first file that cannot be read under the schema. A value that does not fit is an error of the query.
        NotFoundError, CorruptFileError, UnsupportedError
            The first file that cannot be read at all.

        Errors of queries over the view on your own connection, such as a value that does not fit, are duckdb's own
        (`duckdb.Error`); `projector query` turns them into `ProjectorError`.
        """
        return self._make_view(name, connection)

    def _make_view(
        self, name: str, connection: duckdb.DuckDBPyConnection | None, paths: list[str] | None = None
    ) -> duckdb.DuckDBPyConnection:
        from projector.engines.duckdb.view import make_view

        readable = self._without_variants()
        tasks = readable.plan_files().tasks
        request = readable._request(tasks)
        return make_view(readable._projected_files(tasks, request), request, name, connection, self.limit, paths)

    def _without_variants(self) -> Scan:
        """Return the scan without columns that hold variants, unless columns were selected."""
        fields = self._schema.fields
        selected = {f.field_id for f in fields} != {f.field_id for f in self._source.schema.fields}
        left_out = [] if selected else [f.name for f in fields if has_variant(f.field_type)]
        if not left_out:
            return self
        warnings.warn(
            f"Columns of type variant cannot be read and are left out: {', '.join(left_out)}",
            ProjectorWarning,
            stacklevel=4,
        )
        return replace(
            self, _schema=replace(self._schema, fields=tuple(f for f in fields if not has_variant(f.field_type)))
        )

    def to_pandas(self, **options: Any) -> pd.DataFrame:
        """Return all rows as a pandas DataFrame. `options` are passed to `pyarrow.Table.to_pandas`."""
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise UnsupportedError(
                "pandas is not installed", hint="install it with: pip install 'iceberg-projector[pandas]'"
            ) from None
        return self.to_arrow().to_pandas(**options)

    def to_polars(self) -> pl.DataFrame:
        """Return all rows as a Polars DataFrame in the nearest Polars types. Raises as `to_arrow_batch_reader` does."""
        import polars as pl

        from projector.engines.polars.convert import from_batches

        frames = list(self._lazy_rows(self._schema, TRUE, None, DEFAULT_BATCH_SIZE))
        return pl.concat(frames, how="vertical", rechunk=False) if frames else from_batches([], self._schema)

    def to_lazy(self) -> pl.LazyFrame:
        """Return the rows as a Polars LazyFrame, in the nearest Polars types. Nothing is read before it is collected.

        Unused columns are not read. Files that a filter on the frame excludes, by the partition values and bounds in
        the
        table's manifests, are not opened. The frame stays on the scan's snapshot. Columns that hold variants are left
        out
        with a warning, unless they are selected.
        """
        from projector.engines.polars.lazy import lazy_frame

        readable = self._without_variants()
        return lazy_frame(readable._schema, readable._lazy_rows)

    def _lazy_rows(
        self,
        schema: Schema,
        implied: Expression,
        change: Callable[[pl.LazyFrame], pl.LazyFrame] | None,
        batch_size: int,
    ) -> Iterator[pl.DataFrame]:
        from projector.engines.polars.convert import from_batches
        from projector.engines.polars.scan import scan_frames

        if self.limit is not None:  # the limit applies before the frame's own filter
            limited = from_batches(replace(self, _schema=schema)._batches("polars", batch_size), schema)
            yield limited if change is None else change(limited.lazy()).collect()
            return
        narrowed = replace(self, _schema=schema, row_filter=both(self.row_filter, implied))
        tasks = narrowed.plan_files().tasks
        request = narrowed._request(tasks)
        files = narrowed._projected_files(tasks, request)
        yield from scan_frames(files, request, batch_size, change, self.row_filter)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the rows as an Arrow C stream, which Polars, DuckDB and other libraries read directly."""
        return self.to_arrow_batch_reader().__arrow_c_stream__(requested_schema)

    def with_limit(self, limit: int | None) -> Scan:
        """Return the same scan, limited to `limit` rows."""
        return replace(self, limit=limit)

    def _request(self, tasks: Sequence[FileTask]) -> ScanRequest:
        request = self._source.request(self._schema, self.row_filter, tasks)
        return request if self.limit is None else replace(request, reads_ahead=False)

    def _projected_files(self, tasks: Iterable[FileTask], request: ScanRequest) -> Iterator[ProjectedFile]:
        cache = PlanCache(request.wide_schema, request.name_mapping)
        return _with_notes(project_files(tasks, cache, request.storage, ahead=request.reads_ahead))

    def _batches(
        self, engine: str, batch_size: int, tasks: Sequence[FileTask] | None = None
    ) -> Iterator[pa.RecordBatch]:
        scan_batches = executor(engine)
        left = self.limit
        if left is not None and left <= 0:
            return
        # Resolve all tasks first: an unreadable file must be rejected before rows of another file are returned.
        tasks = self.plan_files().tasks if tasks is None else tasks
        for portion in (tasks,) if left is None else enough_at_first(tasks, left):
            request = self._request(portion)
            for batch in scan_batches(self._projected_files(portion, request), request, batch_size):
                if left is None:
                    yield batch
                    continue
                yield batch.slice(0, left)
                left -= batch.num_rows
                if left <= 0:
                    return


def _with_notes(files: Iterable[ProjectedFile]) -> Iterator[ProjectedFile]:
    """Yield the files, and warn once of each note on how they are projected."""
    told: set[str] = set()
    for file in files:
        for note in file.plan.notes:
            text = f"{note.path}: {note.message}" if note.path else note.message
            if text not in told:
                told.add(text)
                warnings.warn(f"{text} (first seen in {file.task.file})", ProjectorWarning, stacklevel=2)
        yield file
