"""Find the delete files that apply to a data file (spec: Scan Planning, Delete Formats)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from projector.errors import InvalidMetadataError, UnsupportedError
from projector.files.storage.locations import PathResolver
from projector.metadata.manifests.read import DataFile, FileContent, ManifestEntry
from projector.metadata.partitioning import PartitionSpec
from projector.planning.scan.path_index import ByPath
from projector.planning.scan.tasks import DeleteFile

_Partition = tuple[int, tuple[Any, ...]]


class AppliedDeletes(NamedTuple):
    """The delete files that apply to one data file. A deletion vector is the only one among the positions."""

    positions: tuple[DeleteFile, ...]
    equality: tuple[DeleteFile, ...]


NO_DELETES = AppliedDeletes((), ())


@dataclass
class DeleteIndex:
    """The live delete files of a snapshot, indexed by the data files to which they may apply.

    By the spec, a deletion vector applies to the one file that it names, and replaces position deletes for that file. A
    position delete file applies to files of its partition that are not younger. An equality delete file applies to
    strictly
    older files of its partition, or of every partition if its own spec is unpartitioned.
    """

    _vectors: ByPath[DeleteFile] = field(default_factory=ByPath)
    _by_file: ByPath[list[DeleteFile]] = field(default_factory=ByPath)
    _by_partition: dict[_Partition, list[DeleteFile]] = field(default_factory=dict)
    _equality: dict[_Partition, list[DeleteFile]] = field(default_factory=dict)
    _global_equality: list[DeleteFile] = field(default_factory=list)
    _shared: dict[tuple[_Partition, int], AppliedDeletes] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._vectors or self._by_file or self._by_partition or self._equality or self._global_equality)

    def add(self, entry: ManifestEntry, spec: PartitionSpec, resolver: PathResolver) -> None:
        """Add a live delete file.

        Raises `UnsupportedError` for one that cannot be read, `InvalidMetadataError` for one that contradicts the spec.
        """
        file = entry.data_file
        delete = _delete_file(entry, resolver)
        partition = _partition_key(file)
        self._shared.clear()
        if file.content is FileContent.EQUALITY_DELETES:
            if spec.is_unpartitioned:
                self._global_equality.append(delete)
            else:
                self._equality.setdefault(partition, []).append(delete)
            return
        if delete.is_vector:
            if self._vectors.setdefault(delete.referenced_data_file or "", delete) is not delete:
                raise InvalidMetadataError(
                    "Two deletion vectors apply to one data file", file=delete.referenced_data_file
                )
            return
        if file.target_file:
            self._by_file.setdefault(file.target_file, []).append(delete)
        else:
            self._by_partition.setdefault(partition, []).append(delete)

    def for_file(self, entry: ManifestEntry) -> AppliedDeletes:
        """Return the delete files that apply to a data file.

        Raises `InvalidMetadataError` if that is undecidable because the file has no sequence number.
        """
        if not self:
            return NO_DELETES
        file, sequence = entry.data_file, _sequence_number(entry)
        scoped = self._in_scope(_partition_key(file), sequence)
        for vector in self._vectors.get(file.file_path)[:1]:
            if sequence <= vector.data_sequence_number:
                return AppliedDeletes((vector,), scoped.equality)
        named = tuple(
            delete
            for deletes in self._by_file.get(file.file_path)
            for delete in deletes
            if sequence <= delete.data_sequence_number
        )
        return AppliedDeletes((*named, *scoped.positions), scoped.equality) if named else scoped

    def _in_scope(self, partition: _Partition, sequence: int) -> AppliedDeletes:
        """Return the deletes that apply by partition and age alone: one tuple for all files of the same."""
        found = self._shared.get((partition, sequence))
        if found is None:
            positions = tuple(d for d in self._by_partition.get(partition, ()) if sequence <= d.data_sequence_number)
            candidates = (*self._global_equality, *self._equality.get(partition, ()))
            equality = tuple(d for d in candidates if sequence < d.data_sequence_number)
            found = self._shared[(partition, sequence)] = AppliedDeletes(positions, equality)
        return found


def _sequence_number(entry: ManifestEntry) -> int:
    if entry.data_sequence_number is None:
        raise InvalidMetadataError(
            "Its manifest gives it no sequence number, so it is unknown which deletes apply",
            file=entry.data_file.file_path,
        )
    return entry.data_sequence_number


def _delete_file(entry: ManifestEntry, resolver: PathResolver) -> DeleteFile:
    file = entry.data_file
    file_format = file.file_format.lower()
    is_equality = file.content is FileContent.EQUALITY_DELETES
    if file_format not in ("parquet",) if is_equality else file_format not in ("parquet", "puffin"):
        raise UnsupportedError(
            f"Delete files in {file.file_format} are not read",
            file=file.file_path,
            hint="only Parquet delete files and deletion vectors are",
        )
    if file.key_metadata is not None:
        raise UnsupportedError("Encrypted delete files are not read", file=file.file_path)
    if file.content is FileContent.DATA:
        raise InvalidMetadataError("A data file in a manifest of deletes", file=file.file_path)
    if is_equality and not file.equality_ids:
        raise InvalidMetadataError("An equality delete file without equality ids", file=file.file_path)
    if file_format == "puffin" and (
        file.referenced_data_file is None or file.content_offset is None or file.content_size_in_bytes is None
    ):
        raise InvalidMetadataError(
            "A deletion vector without referenced data file, content offset or content size", file=file.file_path
        )
    return DeleteFile(
        file=file.file_path,
        location=resolver.resolve(file.file_path),
        content="equality" if is_equality else "position",
        file_format=file_format,
        data_sequence_number=_sequence_number(entry),
        record_count=file.record_count,
        equality_ids=file.equality_ids or (),
        referenced_data_file=file.referenced_data_file,
        content_offset=file.content_offset,
        content_size=file.content_size_in_bytes,
    )


def _partition_key(file: DataFile) -> _Partition:
    return file.spec_id, tuple((i, _comparable(value)) for i, value in sorted(file.partition.items()))


def _comparable(value: Any) -> Any:
    # Partitions are compared bit by bit: NaN equals NaN, and 0.0 and -0.0 are two partitions.
    return struct.pack(">d", value) if isinstance(value, float) else value
