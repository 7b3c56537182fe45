"""Whether any live row has a null in a field: by the counts in the manifests, and by reading where they do not tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from projector.files.storage.locations import PathResolver
from projector.files.storage.storage import Storage
from projector.metadata.snapshots import Snapshot
from projector.metadata.table_metadata import TableMetadata
from projector.planning.filters.bind import bind
from projector.planning.filters.expressions import Expression, IsNull, NotNull, all_of
from projector.planning.scan.planner import plan_snapshot
from projector.planning.scan.tasks import FileTask
from projector.schema.schema import Schema
from projector.schema.types import StructType

CountNulls = Callable[[Snapshot, FileTask, Expression], int]
"""Counts the rows of a file that pass a filter, its deletes applied."""


@dataclass(frozen=True, slots=True)
class FileNulls:
    """A file whose counts do not rule nulls out.

    Parameters
    ----------
    file:
        Its path, as the manifest spells it.
    rows:
        Rows in it, by its manifest.
    nulls:
        Live rows with a null there, by reading it; None where it was not read.
    """

    file: str
    rows: int | None
    nulls: int | None


@dataclass(frozen=True, slots=True)
class NullProof:
    """What is known of nulls in a field.

    Parameters
    ----------
    path, field_id:
        The field.
    proven_by_counts:
        Files of whose rows the manifests prove that none is null.
    others:
        The other files.
    unsupported:
        Why nothing can be said at all; None otherwise.
    """

    path: str
    field_id: int
    proven_by_counts: int
    others: tuple[FileNulls, ...]
    unsupported: str | None = None

    @property
    def proven(self) -> bool:
        """Whether no live row has a null there. False is no proof that there is one; see `nulls`."""
        return self.unsupported is None and all(file.nulls == 0 for file in self.others)

    @property
    def nulls(self) -> int:
        """Live rows that were found to have a null there."""
        return sum(file.nulls or 0 for file in self.others)

    @property
    def not_read(self) -> tuple[FileNulls, ...]:
        """Files that neither counts nor reading says anything about."""
        return tuple(file for file in self.others if file.nulls is None)


def prove_no_nulls(
    metadata: TableMetadata,
    path: str,
    storage: Storage,
    resolver: PathResolver,
    count_nulls: CountNulls | None = None,
    case_sensitive: bool = True,
) -> NullProof:
    """Look for nulls in a field of the current schema, in the files of every branch: those are read under that schema.

    A null in a struct above is none of the field's. A file is read by `count_nulls` where its counts are missing, where
    they say that there are nulls (which may be deleted), and where the file lacks the field; without it, such a file
    proves nothing.

    Raises `NotFoundError` for a field that the schema does not have, and what reading manifests raises.
    """
    schema = metadata.current_schema
    field = schema.find_field(path, case_sensitive)
    row_filter = _null_filter(schema, field.field_id)
    if row_filter is None:
        return NullProof(path, field.field_id, 0, (), "values inside lists and maps are not counted one by one")
    proven, others = 0, {}
    for snapshot in _heads(metadata):
        plan = plan_snapshot(metadata, snapshot, schema, row_filter, storage, resolver)
        for task in plan:
            nulls = 0 if task.record_count == 0 else None
            if nulls is None and count_nulls is not None:
                nulls = count_nulls(snapshot, task, row_filter)
            others[snapshot.snapshot_id, task.file] = FileNulls(task.file, task.record_count, nulls)
        proven += sum(total.files for total in plan.skipped)
    return NullProof(path, field.field_id, proven, tuple(others.values()))


def _heads(metadata: TableMetadata) -> tuple[Snapshot, ...]:
    ids = dict.fromkeys(ref.snapshot_id for ref in metadata.refs.values() if ref.is_branch)
    return tuple(metadata.snapshot(snapshot_id) for snapshot_id in ids)


def _null_filter(schema: Schema, field_id: int) -> Expression | None:
    """Rows in which a field is null although the structs above it are not; None inside a list or map."""
    above: list[int] = []
    parent = schema.parents_by_id.get(field_id)
    while parent is not None:
        if not isinstance(schema.fields_by_id[parent].field_type, StructType):
            return None
        above.append(parent)
        parent = schema.parents_by_id.get(parent)
    structs: list[Expression] = [NotNull(schema.paths_by_id[i]) for i in above if not schema.fields_by_id[i].required]
    return bind(all_of([*structs, IsNull(schema.paths_by_id[field_id])]), schema, True)
