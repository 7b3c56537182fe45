"""Compare manifest entries with their files: rows, sizes, counts and bounds of columns.

Readers rely on them: Trino and DuckDB fail on a wrong size, all skip files by bounds, and some count rows by them. Rows
and sizes are compared for every file, since its footer is read anyway. Statistics need the whole footer, so level
`footers` compares those of some files of each shape, and caches the result on disk.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from projector.check.evidence.cache_keys import file_cache_keys
from projector.check.evidence.footers import Footers, LiveGroup
from projector.check.evidence.live_files import Files, LiveFile, LiveFiles
from projector.check.report.looked_at import Unreadable
from projector.errors import NotFoundError, ProjectorError
from projector.files.cache.database import CacheFile
from projector.files.cache.entries import Pieces
from projector.files.shapes.cache import Marks
from projector.files.storage.storage import Storage
from projector.projection.resolve import resolve
from projector.schema.binary_values import decode_bound
from projector.schema.schema import Schema

CELLS_COMPARED = 3_000
"""The most columns, over all files, whose statistics are compared, unless values are read as well."""

_LONG_TEXT = 32
"""Writers cut long text in statistics, some rounding up: such bounds are not exact."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A fact of a manifest entry that its file contradicts.

    Parameters
    ----------
    fact:
        `rows`, `size`, `nulls`, `values` or `bounds`.
    field_id:
        The column; None for a fact of the whole file.
    said, found:
        The value in the entry, and in the file.
    """

    file: LiveFile
    fact: str
    field_id: int | None
    said: str
    found: str


@dataclass(frozen=True, slots=True)
class EntryChecks:
    """The result of comparing entries with their files.

    Parameters
    ----------
    contradictions:
        Where they differ.
    missing_deletes:
        Delete files that do not exist, or cannot be opened.
    compared, not_compared:
        Data files whose statistics were, and were not, compared.
    without_size:
        Files whose store does not report their size.
    """

    contradictions: tuple[Contradiction, ...] = ()
    missing_deletes: tuple[Unreadable, ...] = ()
    compared: int = 0
    not_compared: int = 0
    without_size: int = 0


def check_entries(
    live: LiveFiles,
    footers: Footers,
    delete_footers: Footers,
    marks: Marks,
    schema: Schema,
    storage: Storage,
    cache: CacheFile | None,
    cells: int | None,
) -> EntryChecks:
    """Compare the entries of live files with the files.

    Parameters
    ----------
    schema:
        The current schema; bounds are decoded as its types.
    cells:
        The most columns, over all files, whose statistics are compared; None for all.
    """
    found = [*_rows(footers), *_rows(delete_footers)]
    sizes = list(_sizes(live.all, marks))
    found += (each for each in sizes if isinstance(each, Contradiction))
    chosen = list(_chosen(footers, schema, cells))
    found += _statistics(chosen, schema, storage, cache)
    without = sum(each is None for each in sizes)
    missing = (*(u for u in delete_footers.unreadable if u.error is not None), *_missing_vectors(live, marks, storage))
    return EntryChecks(tuple(found), missing, len(chosen), footers.file_count - len(chosen), without)


def _rows(footers: Footers) -> Iterator[Contradiction]:
    for group in footers.groups:
        start = 0
        for run in group.files.runs:
            end = start + len(run.indexes)
            said, counted = run.column(run.source.listing.row_counts), group.row_counts[start:end]
            if list(said) != list(counted):
                for index, one, other in zip(run.indexes, said, counted, strict=True):
                    if one != other:
                        yield Contradiction(LiveFile(run.source, index), "rows", None, f"{one} rows", f"{other} rows")
            start = end


def _sizes(files: Files, marks: Marks) -> Iterator[Contradiction | None]:
    """Yield a contradiction for each file of another size than its entry says, and None if the size is unknown."""
    by_path = marks.by_path
    for run in files.runs:
        said, locations = run.column(run.source.listing.sizes), run.column(run.source.locations)
        real = [None if (mark := by_path.get(location)) is None else mark[0] for location in locations]
        if real != list(said):
            for index, one, other in zip(run.indexes, said, real, strict=True):
                if other is None:
                    yield None
                elif one != other:
                    yield Contradiction(LiveFile(run.source, index), "size", None, f"{one} bytes", f"{other} bytes")


def _missing_vectors(live: LiveFiles, marks: Marks, storage: Storage) -> Iterator[Unreadable]:
    """Yield files of deletion vectors that do not exist."""
    checked: set[str] = set()
    for file in live.deletes:
        if file.kind.file_format.upper() != "PUFFIN" or file.location in marks.by_path or file.location in checked:
            continue
        checked.add(file.location)
        try:
            storage.read_tail(file.location, 8)
        except NotFoundError as error:
            yield Unreadable(file.path, str(error), error)
        except ProjectorError:
            continue


def _chosen(footers: Footers, schema: Schema, cells: int | None) -> Iterator[tuple[LiveGroup, LiveFile]]:
    """Yield the files whose statistics are compared, spread over the shapes.

    Only files with field ids count: statistics of others may be from before a change of the name mapping.
    """
    groups = [group for group in footers.groups if group.schema.has_field_ids]
    for group in groups:
        count = len(group.files)
        if cells is not None:
            count = min(count, max(1, cells // len(groups) // max(1, len(group.schema.columns))))
        step = len(group.files) / max(count, 1)
        for number in range(count):
            yield group, group.files[int(number * step)]


def _statistics(
    chosen: Sequence[tuple[LiveGroup, LiveFile]], schema: Schema, storage: Storage, cache: CacheFile | None
) -> Iterator[Contradiction]:
    digest = hashlib.sha256(schema.to_json().encode()).hexdigest()
    files = [file for _, file in chosen]
    cache_keys = file_cache_keys(
        "statistics", [f.location for f in files], storage, [f"{digest} {_entry(f)} {f.index}" for f in files]
    )
    cache_keys = [
        None if f.source.cache_key is None else cache_key for f, cache_key in zip(files, cache_keys, strict=True)
    ]
    pieces = Pieces(cache, cache_keys)
    for (group, file), cache_key in zip(chosen, cache_keys, strict=True):
        facts = pieces.get(cache_key, json.loads)
        if facts is None:
            try:
                facts = list(_of_file(group, file, schema, storage))
            except (ProjectorError, OSError):  # other rules report files and manifests that cannot be read
                continue
            pieces.add(cache_key, lambda facts=facts: json.dumps(facts).encode())  # type: ignore[misc]
        yield from (Contradiction(file, *fact) for fact in facts)
    pieces.save()


def _entry(file: LiveFile) -> str:
    return "" if file.source.cache_key is None else file.source.cache_key.hex()


def _of_file(
    group: LiveGroup, file: LiveFile, schema: Schema, storage: Storage
) -> Iterator[tuple[str, int | None, str, str]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from projector.engines.arrow.row_groups import leaf_statistics

    plan = resolve(schema, group.schema, partition_fields=group.identity_ids)
    with storage.open_arrow(file.location) as source:
        try:
            metadata = pq.read_metadata(source)
        except (pa.ArrowException, OSError):
            return
    rows = sum(metadata.row_group(i).num_rows for i in range(metadata.num_row_groups))
    if rows != metadata.num_rows:
        yield "rows", None, f"{metadata.num_rows} rows by its footer", f"{rows} rows in its row groups"
    names = ("value_counts", "null_value_counts", "lower_bounds", "upper_bounds")
    value_counts, null_counts, lower_bounds, upper_bounds = map(file.data_file.metrics.fresh, names)
    tops = {f.field_id for f in schema.fields}
    for field_id, found in leaf_statistics(metadata, plan).items():
        kind = schema.fields_by_id[field_id].field_type
        if field_id in tops:
            values, nulls = value_counts.get(field_id), null_counts.get(field_id)
            if values is not None and values != metadata.num_rows:
                yield "values", field_id, f"{values} values", f"{metadata.num_rows} values"
            if nulls is not None and found.null_count is not None and nulls != found.null_count:
                yield "nulls", field_id, f"{nulls} nulls", f"{found.null_count} nulls"
        low, high = lower_bounds.get(field_id), upper_bounds.get(field_id)
        lower = None if low is None else decode_bound(low, kind)
        upper = None if high is None else decode_bound(high, kind)
        if lower is not None and _is_exact(found.minimum, lower) and lower > found.minimum:
            yield "bounds", field_id, f"no value below {lower!r}", f"{found.minimum!r}"
        if upper is not None and _is_exact(found.maximum, upper) and upper < found.maximum:
            is_cut = isinstance(upper, str | bytes) and found.maximum.startswith(upper)  # and not rounded up
            if not is_cut:
                yield "bounds", field_id, f"no value above {upper!r}", f"{found.maximum!r}"


def _is_exact(value: Any, bound: Any) -> bool:
    """Return whether a footer's extreme can be compared with a bound: same type, not NaN, too short to be cut."""
    if type(value) is not type(bound) or value != value or isinstance(value, UUID):
        return False
    return not (isinstance(value, str | bytes) and len(value) >= _LONG_TEXT)


def by_fact(checks: EntryChecks) -> Mapping[tuple[str, int | None], list[Contradiction]]:
    """Return contradictions by fact and column."""
    found: dict[tuple[str, int | None], list[Contradiction]] = {}
    for each in checks.contradictions:
        found.setdefault((each.fact, each.field_id), []).append(each)
    return found
