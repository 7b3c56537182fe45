"""Read the footers of live files, and group files by schema: rules run on groups, never on single files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from projector.check.evidence.listings import EntryKind
from projector.check.evidence.live_files import Files, LiveFile, Run
from projector.check.report.findings import Evidence, Sample
from projector.check.report.looked_at import Unreadable
from projector.errors import ProjectorError
from projector.files.parquet.file_schema import FileColumn, FileSchema
from projector.files.shapes.batches import read_shape_batches
from projector.files.shapes.cache import Marks, ShapeCache
from projector.files.storage.storage import Storage
from projector.projection.plan import PlanNode


@dataclass(frozen=True)
class LiveGroup:
    """Live data files with one physical schema whose partition tuples hold values of the same columns.

    Parameters
    ----------
    schema:
        Their physical schema; one object for all groups with it.
    identity_ids:
        Ids of the columns whose value the partition tuple holds.
    files, row_counts:
        The files, and the rows of each by its footer.
    """

    schema: FileSchema
    identity_ids: frozenset[int]
    files: Files
    row_counts: Sequence[int] = field(repr=False)

    @property
    def rows(self) -> int:
        """The rows of all files."""
        return sum(self.row_counts)

    def column(self, node: PlanNode) -> FileColumn | None:
        """Return the files' column that a node of their plan reads, or fails to read; None if they have none."""
        return None if node.place is None else self.schema.at(node.place)

    @property
    def snapshots(self) -> frozenset[int]:
        """Ids of the snapshots that hold any of the files."""
        return frozenset().union(*self.files.snapshots)


@dataclass(frozen=True)
class Footers:
    """The groups of all live files, and files that cannot be read; `opened` counts the files that were not cached."""

    groups: tuple[LiveGroup, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    opened: int = 0

    @property
    def file_count(self) -> int:
        """The number of files whose footers were read."""
        return sum(len(group.files) for group in self.groups)

    @property
    def row_count(self) -> int:
        """The rows of these files."""
        return sum(group.rows for group in self.groups)

    @property
    def shape_count(self) -> int:
        """The number of distinct physical schemas."""
        return len({id(group.schema) for group in self.groups})

    def evidence(
        self,
        groups: Iterable[LiveGroup],
        *facts: str,
        where: Callable[[LiveFile], bool] | None = None,
        samples: tuple[Sample, ...] = (),
    ) -> Evidence:
        """Return the evidence of some groups, or only of their files that `where` accepts."""
        chosen = list(groups)
        shapes = len({id(group.schema) for group in chosen})
        if where is None:
            number, rows = sum(len(group.files) for group in chosen), sum(group.rows for group in chosen)
            first = chosen[0].files[0].path if chosen else None
        else:
            picked = [
                (file, rows)
                for group in chosen
                for file, rows in zip(group.files, group.row_counts, strict=True)
                if where(file)
            ]
            number, rows = len(picked), sum(rows for _, rows in picked)
            first = picked[0][0].path if picked else None
        return Evidence(number, self.file_count, rows, shapes, first, facts, samples)


def read_footers(
    files: Files,
    storage: Storage,
    cache: ShapeCache | None = None,
    executor: Executor | None = None,
    marks: Marks | None = None,
) -> Footers:
    """Read the footers of live files and group the files. A file that cannot be read is listed as unreadable.

    Parameters
    ----------
    cache:
        Cached shapes on disk; cached files are not opened.
    executor:
        The executor that reads footers; None reads in this process.
    marks:
        Sizes and times of change of the files, if they are already known.
    """
    by_reason = files.by(lambda _, kind: _reason_not_to_read(kind))
    wanted = by_reason.pop(None, Files())
    unreadable = [Unreadable(path, reason) for reason, others in by_reason.items() for path in others.paths if reason]
    read = read_shape_batches(
        [run.column(run.source.locations) for run in wanted.runs], storage, cache, executor, marks
    )
    groups: dict[tuple[int, frozenset[int]], tuple[FileSchema, list[Run], list[int]]] = {}
    start = 0
    for run in wanted.runs:
        end = start + len(run.indexes)
        for schema, identity, indexes, row_counts in _parted(run, read.schemas[start:end], read.row_counts[start:end]):
            part = Run(run.source, indexes)
            if isinstance(schema, ProjectorError):
                unreadable += (Unreadable(path, str(schema), schema) for path in Files((part,)).paths)
                continue
            group = groups.setdefault((id(schema), identity), (schema, [], []))
            group[1].append(part)
            group[2].extend(row_counts)
        start = end
    made = (
        LiveGroup(schema, identity, Files(runs), row_counts)
        for (_, identity), (schema, runs, row_counts) in groups.items()
    )
    return Footers(tuple(made), tuple(unreadable), read.opened)


def _parted(
    run: Run, schemas: Sequence[FileSchema | ProjectorError], row_counts: Sequence[int]
) -> Iterable[tuple[FileSchema | ProjectorError, frozenset[int], Sequence[int], Sequence[int]]]:
    """Return the files of a manifest by schema and columns in the partition tuple: indexes, and rows of each file."""
    identity, kind_of = run.source.identity_ids, run.source.listing.kind_of
    if len(set(map(id, schemas))) == 1 and len(set(identity)) == 1:
        return [(schemas[0], identity[0], run.indexes, row_counts)]
    found: dict[
        tuple[int, frozenset[int]], tuple[FileSchema | ProjectorError, frozenset[int], list[int], list[int]]
    ] = {}
    for index, schema, rows in zip(run.indexes, schemas, row_counts, strict=True):
        there = identity[0 if kind_of is None else kind_of[index]]
        part = found.setdefault((id(schema), there), (schema, there, [], []))
        part[2].append(index)
        part[3].append(rows)
    return found.values()


def _reason_not_to_read(kind: EntryKind) -> str | None:
    if kind.file_format != "PARQUET":
        return f"its format is {kind.file_format}; only Parquet is read"
    return "it is encrypted" if kind.is_encrypted else None
