"""Columns of files and who wrote them, for the rules on files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.live_files import Files, LiveFile
from projector.check.evidence.state import TableState
from projector.files.parquet.file_schema import FileColumn, FileList, FileMap, FileSchema, FileVariant, Place
from projector.schema.reserved import METADATA_COLUMNS
from projector.schema.schema import Schema


def named_columns(schema: FileSchema) -> Iterator[tuple[Place, FileColumn]]:
    """Yield the columns that are found by their id or name: those of structs and the top.

    Elements, keys and values are not among them, nor is what is inside a variant, which has no ids by the spec.
    """
    for place, column in schema.walk():
        above = [schema.at(place[:depth]).type for depth in range(1, len(place))]
        if any(isinstance(kind, FileVariant) for kind in above):
            continue
        if not above or not isinstance(above[-1], FileList | FileMap):
            yield place, column


def table_ids(schema: FileSchema) -> frozenset[int]:
    """The field ids in a file, at every depth, but those of metadata columns."""
    found = {column.field_id for _, column in schema.walk() if column.field_id is not None}
    return frozenset(found - METADATA_COLUMNS)


def dotted(schema: FileSchema, place: Place) -> str:
    """The path of a file's column, in the names of the file."""
    return ".".join(schema.name_path(place))


def listed(names: Iterable[str], most: int = 5) -> str:
    """Some names in a row; of many only the first."""
    all_names = list(dict.fromkeys(names))
    rest = len(all_names) - most
    return ", ".join(all_names[:most]) + (f" and {rest} more" if rest > 0 else "")


def by_writing_schema(state: TableState, group: LiveGroup) -> Iterator[tuple[Schema, Files]]:
    """The schemas that the files of a group were added under, as their snapshots record, and the files of each.

    Files whose snapshot is not retained, or recorded no schema, are left out.
    """
    schema_ids: Mapping[int, int | None] = {s.snapshot_id: s.schema_id for s in state.metadata.snapshots}
    by_id = group.files.by(lambda _, kind: None if kind.snapshot_id is None else schema_ids.get(kind.snapshot_id))
    for schema_id, files in by_id.items():
        schema = None if schema_id is None else state.history.get(schema_id)
        if schema is not None:
            yield schema, files


def distinct(groups: Iterable[LiveGroup]) -> list[LiveGroup]:
    """Groups, each once."""
    return list({id(group): group for group in groups}.values())


def among(files: Iterable[Files]) -> Callable[[LiveFile], bool]:
    """Whether a file is one of some."""
    paths = frozenset(chain.from_iterable(each.paths for each in files))
    return lambda file: file.path in paths
