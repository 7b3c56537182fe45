"""Live files grouped by what their footers say: the rules are run on groups, never on files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from projector.check.findings import Evidence, Sample
from projector.check.live_files import LiveFile, Unreadable
from projector.errors import ProjectorError
from projector.files.locations import parse_location
from projector.files.physical import FileColumn, FileSchema
from projector.files.shapes import DEFAULT_WORKERS, FileShape, KnownShapes, read_shape
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
    """What the footers of all live data files say."""

    groups: tuple[ShapeGroup, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()

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


def read_footers(files: Iterable[LiveFile], storage: Storage) -> Footers:
    """Read the footers of live data files and group them. A file that cannot be read is listed as unreadable."""
    wanted = tuple(files)
    known = KnownShapes()

    def read(file: LiveFile) -> FileShape | Unreadable:
        if file.data_file.file_format.upper() != "PARQUET":
            return Unreadable(file.path, f"its format is {file.data_file.file_format}; only Parquet is read")
        if file.data_file.key_metadata is not None:
            return Unreadable(file.path, "it is encrypted")
        try:
            with storage.open(file.location) as source:
                return read_shape(source, file.location, known)
        except ProjectorError as error:
            return Unreadable(file.path, str(error), error)

    groups: dict[tuple[int, frozenset[int]], tuple[FileSchema, list[LiveFile], list[int]]] = {}
    unreadable: list[Unreadable] = []
    workers = 1 if all(parse_location(file.location).is_local for file in wanted) else DEFAULT_WORKERS
    with ThreadPoolExecutor(workers, thread_name_prefix="footers") as pool:
        shapes = map(read, wanted) if workers == 1 else pool.map(read, wanted)
        for file, shape in zip(wanted, shapes, strict=True):
            if isinstance(shape, Unreadable):
                unreadable.append(shape)
                continue
            key = (id(shape.schema), file.identity_ids)
            _, members, rows = groups.setdefault(key, (shape.schema, [], []))
            members.append(file)
            rows.append(shape.row_count)
    made = (
        ShapeGroup(schema, identity, tuple(members), tuple(rows))
        for (_, identity), (schema, members, rows) in groups.items()
    )
    return Footers(tuple(made), tuple(unreadable))
