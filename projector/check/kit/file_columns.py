"""Find columns in groups of files, and the schemas that the files were written with."""

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
    """Yield the columns that readers find by id or name: top-level columns and fields of structs.

    Leave out elements, keys and values, and everything inside a variant, which has no ids by the spec.
    """
    for place, column in schema.walk():
        above = [schema.at(place[:depth]).type for depth in range(1, len(place))]
        if any(isinstance(kind, FileVariant) for kind in above):
            continue
        if not above or not isinstance(above[-1], FileList | FileMap):
            yield place, column


def table_ids(schema: FileSchema) -> frozenset[int]:
    """Return the field ids in a file, at every depth, except those of metadata columns."""
    found = {column.field_id for _, column in schema.walk() if column.field_id is not None}
    return frozenset(found - METADATA_COLUMNS)


def dotted(schema: FileSchema, place: Place) -> str:
    """Return the dotted path of a file's column, in the names of the file."""
    return ".".join(schema.name_path(place))


def listed(names: Iterable[str], most: int = 5) -> str:
    """Return names separated by commas, without duplicates; of more than `most` only the first ones."""
    all_names = list(dict.fromkeys(names))
    rest = len(all_names) - most
    return ", ".join(all_names[:most]) + (f" and {rest} more" if rest > 0 else "")


def by_writing_schema(state: TableState, group: LiveGroup) -> Iterator[tuple[Schema, Files]]:
    """Yield the schemas that files of a group were added under, as their snapshots record, and the files of each.

    Leave out files whose snapshot is not retained, or does not record a schema.
    """
    schema_ids: Mapping[int, int | None] = {s.snapshot_id: s.schema_id for s in state.metadata.snapshots}
    by_id = group.files.by(lambda _, kind: None if kind.snapshot_id is None else schema_ids.get(kind.snapshot_id))
    for schema_id, files in by_id.items():
        schema = None if schema_id is None else state.history.get(schema_id)
        if schema is not None:
            yield schema, files


def distinct(groups: Iterable[LiveGroup]) -> list[LiveGroup]:
    """Return the groups without duplicates."""
    return list({id(group): group for group in groups}.values())


def among(files: Iterable[Files]) -> Callable[[LiveFile], bool]:
    """Return a predicate: whether a file is one of these files."""
    paths = frozenset(chain.from_iterable(each.paths for each in files))
    return lambda file: file.path in paths
