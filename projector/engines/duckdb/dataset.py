"""Files that the Arrow executor reads, as an Arrow dataset that DuckDB can query any number of times.

For each query DuckDB asks the dataset for a scanner over the columns that the query needs. Only those are read, and
nothing is cached between queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from projector.engines.arrow.scan import scan_batches
from projector.engines.duckdb.convert import duckdb_arrow_schema, duckdb_batch
from projector.planning.scan.probes import with_probes
from projector.planning.scan.projected_files import PlanCache, ProjectedFile
from projector.planning.scan.request import DEFAULT_BATCH_SIZE, ScanRequest
from projector.schema.reserved import DELETED
from projector.schema.schema import Schema


class ScanDataset(ds.Dataset):  # type: ignore[misc]
    """An Arrow dataset of the rows of some of a scan's files, with columns `c0`, `c1`, ..."""

    def __init__(self, files: Sequence[ProjectedFile], request: ScanRequest) -> None:
        self._files = tuple(files)
        self._request = request

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema."""
        return duckdb_arrow_schema(self._request.schema)

    def scanner(self, columns: Sequence[str] | None = None, filter: Any = None, **_: Any) -> ds.Scanner:
        """Return a scanner over the rows, with the columns named, or all."""
        if filter is not None or columns is None:
            wanted = list(range(len(self._request.schema.fields)))
        else:
            wanted = sorted(int(name[1:]) for name in columns) or [
                0
            ]  # a batch without columns would lose its row count
        whole = self.schema
        schema = pa.schema([whole.field(i) for i in wanted])
        reader = pa.RecordBatchReader.from_batches(schema, self._batches(wanted, schema))
        return ds.Scanner.from_batches(reader, columns=None if columns is None else list(columns), filter=filter)

    def count_rows(self, **options: Any) -> int:
        """Return the number of rows."""
        return int(self.scanner(columns=[], **options).count_rows())

    def _batches(self, wanted: list[int], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        fields = self._request.schema.fields
        # `_deleted` decides which rows are returned, whichever columns are selected.
        marks = [i for i, f in enumerate(fields) if f.field_id == DELETED and i not in wanted]
        chosen = Schema(tuple(fields[i] for i in (*wanted, *marks)))
        request = replace(self._request, schema=chosen)
        cache = PlanCache(with_probes(chosen, request.probes), request.name_mapping)
        files = (
            replace(f, plan=cache.plan(f.plan.file_schema, frozenset(f.task.identity_partition))) for f in self._files
        )
        for batch in scan_batches(files, request, DEFAULT_BATCH_SIZE):
            made = duckdb_batch(batch, chosen)
            yield pa.RecordBatch.from_arrays(made.columns[: len(wanted)], schema=schema)
