"""A scan: one pinned state of a table, or a list of files, read under one schema."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from projector.api.explanation import Explanation, explain_files
from projector.errors import ProjectorWarning, UnsupportedError
from projector.files.storage import Storage
from projector.planning.projected_files import PlanCache, ProjectedFile, project_files
from projector.planning.scan_plan import ScanPlan
from projector.schema.name_mapping import NameMapping
from projector.schema.schema import Schema

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

DEFAULT_BATCH_SIZE = 131_072
"""Rows in a batch at most, unless the caller says otherwise."""


@dataclass(frozen=True)
class Scan:
    """What is read, and as what. Made by `Table.scan` and `read_files`; nothing is opened until a method asks for it.

    A scan is pinned: it goes on reading the snapshot that was current when it was made.
    """

    _schema: Schema
    _planner: Callable[[], ScanPlan] = field(repr=False)
    _storage: Storage = field(repr=False)
    _name_mapping: NameMapping | None = field(default=None, repr=False)
    limit: int | None = None

    def schema(self) -> Schema:
        """The schema of the rows, as selected."""
        return self._schema

    def plan_files(self) -> ScanPlan:
        """The data files to read, and what was skipped and why. No data file is opened."""
        return self._planner()

    def count(self) -> int:
        """The number of rows, from metadata where that is exact. No data file is opened then."""
        total = sum(_known_count(task.record_count, task.file) for task in self.plan_files())
        return total if self.limit is None else min(total, self.limit)

    def explain(self) -> Explanation:
        """Where every field comes from, for each shape of file. Reads the footers of the files, no rows."""
        return explain_files(self._projected_files(), self._schema)

    def to_arrow_batch_reader(self, engine: str = "arrow", *, batch_size: int = DEFAULT_BATCH_SIZE) -> pa.RecordBatchReader:
        """The rows as a stream of batches of one Arrow schema; memory stays bounded by the batches.

        Parameters
        ----------
        engine:
            `arrow`, or `rows`: the slow reference that every engine is compared with.
        batch_size:
            Rows in a batch at most.

        Raises
        ------
        ProjectionError
            While batches are drawn, for the first file that cannot be read under the schema.
        NotFoundError, CorruptFileError, UnsupportedError
            For the first file that cannot be read at all.
        """
        import pyarrow as pa

        from projector.schema.arrow_schema import arrow_schema

        batches = self._batches(engine, batch_size)
        return pa.RecordBatchReader.from_batches(arrow_schema(self._schema), batches)

    def to_arrow(self, engine: str = "arrow") -> pa.Table:
        """All rows as one Arrow table. See `to_arrow_batch_reader`."""
        import pyarrow as pa

        from projector.schema.arrow_schema import arrow_schema

        return pa.Table.from_batches(self._batches(engine, DEFAULT_BATCH_SIZE), arrow_schema(self._schema))

    def to_pandas(self, **options: Any) -> pd.DataFrame:
        """All rows as a pandas DataFrame; `options` go to `pyarrow.Table.to_pandas`."""
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise UnsupportedError(
                "pandas is not installed", hint="install it with: pip install 'iceberg-projector[pandas]'"
            ) from None
        return self.to_arrow().to_pandas(**options)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as an Arrow C stream, which Polars, DuckDB and others take as it is."""
        return self.to_arrow_batch_reader().__arrow_c_stream__(requested_schema)

    def with_limit(self, limit: int | None) -> Scan:
        """The same scan, giving `limit` rows at most."""
        return replace(self, limit=limit)

    def _projected_files(self) -> Iterator[ProjectedFile]:
        cache = PlanCache(self._schema, self._name_mapping)
        told: set[str] = set()
        # All tasks first: a file that is not read by name must be refused before a row of another one is.
        for file in project_files(self.plan_files().tasks, cache, self._storage):
            for note in file.plan.notes:
                text = f"{note.path}: {note.message}" if note.path else note.message
                if text not in told:
                    told.add(text)
                    warnings.warn(f"{text} (first seen in {file.task.file})", ProjectorWarning, stacklevel=2)
            yield file

    def _batches(self, engine: str, batch_size: int) -> Iterator[pa.RecordBatch]:
        execute = _executor(engine)
        left = self.limit
        if left is not None and left <= 0:
            return
        for file in self._projected_files():
            for batch in execute(file, self._storage, batch_size):
                if left is None:
                    yield batch
                    continue
                yield batch.slice(0, left)
                left -= batch.num_rows
                if left <= 0:
                    return


def _executor(engine: str) -> Callable[[ProjectedFile, Storage, int], Iterator[pa.RecordBatch]]:
    match engine:
        case "arrow":
            from projector.engines.arrow import read_batches

            return read_batches
        case "rows":
            from projector.engines.rows import read_batches as read_rows

            return read_rows
        case _:
            raise UnsupportedError(f"Unknown engine: {engine!r}", hint="choose one of: arrow, rows")


def _known_count(record_count: int | None, file: str) -> int:
    if record_count is None:
        raise UnsupportedError("The number of rows is not known", file=file)
    return record_count
