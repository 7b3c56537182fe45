"""Read delete files: the deleted positions of a data file, and the deleted keys (spec: Delete Formats)."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.arrow.reader import read_batches
from projector.engines.deletes.keys import KeySet
from projector.engines.deletes.positions import DeletedPositions
from projector.errors import CorruptFileError
from projector.files.cache.lru import LruCache
from projector.files.deletion_vector import read_deletion_vector
from projector.planning.scan.path_index import ByPath
from projector.planning.scan.position_deletes import POSITION_DELETE_NAMES, POSITION_DELETE_SCHEMA
from projector.planning.scan.probes import Probe
from projector.planning.scan.projected_files import PlanCache, project_file
from projector.planning.scan.request import ScanRequest
from projector.planning.scan.tasks import DeleteFile, FileTask
from projector.schema.arrow_schema import arrow_schema
from projector.schema.schema import Schema

_MOST_KEPT = 8_000_000
"""How many positions, and keys, are cached for the next data file; one delete file of any size always is."""


@dataclass(frozen=True)
class EqualityDeletes:
    """Deletes by key: rows whose values of `field_ids`, in that order, are one of `keys`."""

    field_ids: tuple[int, ...]
    keys: KeySet


class DeleteReader:
    """Reads each delete file once for all the data files of a scan, if memory allows."""

    def __init__(self, request: ScanRequest) -> None:
        self._storage = request.storage
        self._probes = {p.field_id: p for p in request.probes}
        self._name_mapping = request.name_mapping
        self._data_files = request.data_files
        self._positions: LruCache[str, ByPath[list[pa.Int64Array]]] = LruCache(_MOST_KEPT)
        self._keys: LruCache[tuple[str, tuple[int, ...]], pa.Table] = LruCache(_MOST_KEPT)
        self._equality: LruCache[tuple[DeleteFile, ...], tuple[EqualityDeletes, ...]] = LruCache(_MOST_KEPT)
        self._latest: tuple[tuple[DeleteFile, ...], tuple[EqualityDeletes, ...]] | None = None
        self._plans: dict[tuple[int, ...], PlanCache] = {}

    def deleted_positions(self, task: FileTask, row_count: int) -> DeletedPositions | None:
        """Return the deleted positions of a data file of `row_count` rows; None if it has none.

        Raises `CorruptFileError` for a broken delete file, and for a position that the data file does not have.
        """
        parts: list[pa.Int64Array] = []
        for delete in task.position_deletes:
            if delete.is_vector:
                found = [[self._vector(delete, row_count)]]
            else:
                found = self._positions_in(delete).get(task.file, self._data_files)
            for part in chain.from_iterable(found):
                if len(part):
                    _check_range(part, delete, task.file, row_count)
                    parts.append(part)
        if not parts:
            return None
        joined = pc.unique(pa.concat_arrays(parts))
        return DeletedPositions(joined.take(pc.sort_indices(joined)))

    def _vector(self, delete: DeleteFile, row_count: int) -> pa.Int64Array:
        with self._storage.open(delete.location) as source:
            bitmap = read_deletion_vector(source, delete.file, *delete.vector_range, delete.record_count, row_count)
        positions = array("q", bitmap)
        return pa.Array.from_buffers(pa.int64(), len(positions), [None, pa.py_buffer(positions)])

    def _positions_in(self, delete: DeleteFile) -> ByPath[list[pa.Int64Array]]:
        found = self._positions.get(delete.file)
        if found is None:
            cache = self._plans.setdefault((), PlanCache(POSITION_DELETE_SCHEMA, POSITION_DELETE_NAMES))
            table = pa.Table.from_batches(self._batches(delete, cache), arrow_schema(cache.schema))
            lists = table.group_by("file_path").aggregate([("pos", "list")])
            found = ByPath()
            for path, positions in zip(lists["file_path"].to_pylist(), lists["pos_list"], strict=True):
                found.setdefault(path, []).append(positions.values)
            self._positions.put(delete.file, found, table.num_rows)
        return found

    def equality_deletes(self, task: FileTask) -> tuple[EqualityDeletes, ...]:
        """Return the deleted keys of a data file, one entry per set of fields."""
        applied = task.equality_deletes
        if not applied:
            return ()
        if self._latest is not None and self._latest[0] is applied:
            return self._latest[1]
        found = self._equality.get(applied)
        if found is None:
            groups: dict[tuple[int, ...], list[DeleteFile]] = {}
            for delete in applied:
                groups.setdefault(tuple(sorted(set(delete.equality_ids))), []).append(delete)
            found = tuple(EqualityDeletes(ids, self._key_set(ids, deletes)) for ids, deletes in groups.items())
            self._equality.put(applied, found, sum(len(deletes.keys) for deletes in found))
        self._latest = (applied, found)  # the next file usually has the same deletes: this avoids hashing
        return found

    def deleted_keys(self, task: FileTask) -> tuple[tuple[tuple[int, ...], pa.Table], ...]:
        """Return the deleted keys of a data file as tables, one per delete file, each with the ids of its columns."""
        ids = [tuple(sorted(set(delete.equality_ids))) for delete in task.equality_deletes]
        return tuple((i, self._keys_in(delete, i)) for delete, i in zip(task.equality_deletes, ids, strict=True))

    def _key_set(self, ids: tuple[int, ...], deletes: list[DeleteFile]) -> KeySet:
        keys = pa.concat_tables([self._keys_in(delete, ids) for delete in deletes]).combine_chunks()
        return KeySet([column.combine_chunks() for column in keys.columns])

    def _keys_in(self, delete: DeleteFile, ids: tuple[int, ...]) -> pa.Table:
        found = self._keys.get((delete.file, ids))
        if found is None:
            probes = [self._probes[i] for i in ids]
            schema = Schema(tuple(p.column for p in probes))
            cache = self._plans.setdefault(ids, PlanCache(schema, self._name_mapping))
            # An empty batch first, so that a delete file without rows has keys of the right types.
            batches = [pa.RecordBatch.from_pylist([], arrow_schema(schema)), *self._batches(delete, cache)]
            found = pa.Table.from_batches(
                pa.RecordBatch.from_arrays(
                    [probe_values(batch, n, p) for n, p in enumerate(probes)], [str(i) for i in ids]
                )
                for batch in batches
            )
            self._keys.put((delete.file, ids), found, found.num_rows)
        return found

    def _batches(self, delete: DeleteFile, cache: PlanCache) -> Iterator[pa.RecordBatch]:
        projected = project_file(FileTask(delete.file, delete.location), cache, self._storage)
        yield from read_batches(projected, self._storage)


def _check_range(positions: pa.Int64Array, delete: DeleteFile, file: str, row_count: int) -> None:
    bounds = pc.min_max(positions)
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    if low < 0 or high >= row_count:
        raise CorruptFileError(
            f"It deletes position {low if low < 0 else high} of a data file with {row_count} rows, {file}",
            file=delete.file,
        )


def probe_values(batch: pa.RecordBatch, index: int, probe: Probe) -> pa.Array:
    """Return the values of a probe, column `index` of a batch; null where a struct above is null."""
    values = batch.column(index)
    for _ in probe.path:
        values = pc.struct_field(values, [0])  # unlike StructArray.field, it has the nulls of the struct
    return values.storage if isinstance(values, pa.ExtensionArray) else values
