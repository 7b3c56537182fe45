"""Live files grouped by what their footers say: the rules are run on groups, never on files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass

from projector.check.findings import Evidence, Sample
from projector.check.live_files import LiveFile, Unreadable
from projector.errors import ProjectorError
from projector.files.physical import FileColumn, FileSchema
from projector.files.shape_cache import ShapeCache
from projector.files.shape_reader import read_shapes
from projector.files.storage import Storage
from projector.projection.plan import PlanNode


@dataclass(frozen=True)
class ShapeGroup:
    """Live data files of one physical schema whose partition tuples hold the values of the same columns.

    Parameters
    ----------
    schema:
        Their physical schema; one object for all groups that have it.
    identity_ids:
        Ids of the columns whose value the partition tuple holds.
    files, row_counts:
        The files, and the rows of each by its own footer.
    """

    schema: FileSchema
    identity_ids: frozenset[int]
    files: tuple[LiveFile, ...]
    row_counts: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Rows in all the files."""
        return sum(self.row_counts)

    def column(self, node: PlanNode) -> FileColumn | None:
        """The files' column that a node of their plan reads, or cannot read; None where they have none."""
        place = getattr(node, "place", None)
        return None if place is None else self.schema.at(place)

    @property
    def snapshots(self) -> frozenset[int]:
        """Ids of the snapshots that have some of the files."""
        return frozenset().union(*{file.snapshots for file in self.files})


@dataclass(frozen=True)
class Footers:
    """What the footers of all live data files say; `opened` counts the files that were not known already."""

    groups: tuple[ShapeGroup, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    opened: int = 0

    @property
    def file_count(self) -> int:
        """Files whose footers were read."""
        return sum(len(group.files) for group in self.groups)

    @property
    def row_count(self) -> int:
        """Rows in them."""
        return sum(group.rows for group in self.groups)

    @property
    def shape_count(self) -> int:
        """Distinct physical schemas."""
        return len({id(group.schema) for group in self.groups})

    def evidence(
        self,
        groups: Iterable[ShapeGroup],
        *facts: str,
        where: Callable[[LiveFile], bool] | None = None,
        samples: tuple[Sample, ...] = (),
    ) -> Evidence:
        """The evidence of some of these groups, or of those of their files that `where` picks."""
        chosen = list(groups)
        picked = [
            (file, rows)
            for group in chosen
            for file, rows in zip(group.files, group.row_counts, strict=True)
            if where is None or where(file)
        ]
        return Evidence(
            files=len(picked),
            of_files=self.file_count,
            rows=sum(rows for _, rows in picked),
            shapes=len({id(group.schema) for group in chosen}),
            first_file=picked[0][0].path if picked else None,
            facts=facts,
            samples=samples,
        )


def read_footers(
    files: Iterable[LiveFile],
    storage: Storage,
    cache: ShapeCache | None = None,
    executor: Executor | None = None,
) -> Footers:
    """Read the footers of live data files and group them. A file that cannot be read is listed as unreadable.

    Parameters
    ----------
    cache:
        Shapes on disk; files that it knows are not opened.
    executor:
        Where to read footers, unless in this process.
    """
    wanted: list[LiveFile] = []
    unreadable: list[Unreadable] = []
    for file in files:
        reason = _reason_not_to_read(file)
        if reason is None:
            wanted.append(file)
        else:
            unreadable.append(Unreadable(file.path, reason))
    read = read_shapes([file.location for file in wanted], storage, cache=cache, executor=executor)
    groups: dict[tuple[int, frozenset[int]], tuple[FileSchema, list[LiveFile], list[int]]] = {}
    for file, schema, row_count in zip(wanted, read.schemas, read.row_counts, strict=True):
        if isinstance(schema, ProjectorError):
            unreadable.append(Unreadable(file.path, str(schema), schema))
            continue
        key = (id(schema), file.identity_ids)
        group = groups.get(key)
        if group is None:
            group = groups[key] = (schema, [], [])
        group[1].append(file)
        group[2].append(row_count)
    made = (
        ShapeGroup(schema, identity, tuple(members), tuple(rows))
        for (_, identity), (schema, members, rows) in groups.items()
    )
    return Footers(tuple(made), tuple(unreadable), read.opened)


def _reason_not_to_read(file: LiveFile) -> str | None:
    if file.data_file.file_format != "PARQUET":
        return f"its format is {file.data_file.file_format}; only Parquet is read"
    return None if file.data_file.key_metadata is None else "it is encrypted"
