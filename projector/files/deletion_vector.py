"""Read and check deletion vectors, which are blobs in Puffin files (spec: Deletion Vectors; Puffin spec)."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from projector.errors import CorruptFileError
from projector.files.storage.storage import ByteSource

if TYPE_CHECKING:
    from pyroaring import BitMap64

PUFFIN_MAGIC = b"PFA1"
_VECTOR_MAGIC = b"\xd1\xd3\x39\x64"
_LENGTH_BYTES = 4
_CHECKSUM_BYTES = 4
_FRAME_BYTES = _LENGTH_BYTES + len(_VECTOR_MAGIC) + _CHECKSUM_BYTES


def read_deletion_vector(
    source: ByteSource, path: str, offset: int, size: int, cardinality: int, row_count: int
) -> BitMap64:
    """Return the positions that a deletion vector deletes.

    Parameters
    ----------
    source:
        The open Puffin file.
    path:
        Its path, for errors.
    offset, size:
        The place of the blob in bytes, from the manifest.
    cardinality:
        The number of positions, from the manifest.
    row_count:
        The rows of its data file. Positions beyond them are rejected.

    Raises
    ------
    CorruptFileError
        If the file is not a Puffin file, the blob lies outside of it, or its length, magic, checksum, bitmap or number
        of positions is wrong.
    """
    magic = source.read_at(0, len(PUFFIN_MAGIC))
    if magic != PUFFIN_MAGIC:
        raise CorruptFileError(f"Not a Puffin file: it begins with {magic!r}", file=path)
    if offset < len(PUFFIN_MAGIC) or size < _FRAME_BYTES or offset + size > source.size():
        raise CorruptFileError(
            f"The deletion vector at {offset}, {size} bytes, lies outside of the file's {source.size()} bytes",
            file=path,
        )
    found = decode_deletion_vector(source.read_at(offset, size), path)
    if len(found) != cardinality:
        raise CorruptFileError(
            f"The deletion vector has {len(found)} positions, its manifest says {cardinality}", file=path
        )
    if found and found.max() >= row_count:
        raise CorruptFileError(f"It deletes position {found.max()} of a data file with {row_count} rows", file=path)
    return found


def decode_deletion_vector(blob: bytes, path: str) -> BitMap64:
    """Return the positions in a `deletion-vector-v1` blob. Raises `CorruptFileError`."""
    from pyroaring import BitMap64

    body = blob[_LENGTH_BYTES:-_CHECKSUM_BYTES]
    length = int.from_bytes(blob[:_LENGTH_BYTES], "big")
    if length != len(body):
        raise CorruptFileError(f"The deletion vector says {length} bytes and has {len(body)}", file=path)
    if not body.startswith(_VECTOR_MAGIC):
        raise CorruptFileError(f"The deletion vector begins with {body[:4]!r}", file=path)
    checksum = int.from_bytes(blob[-_CHECKSUM_BYTES:], "big")
    if zlib.crc32(body) != checksum:
        raise CorruptFileError("The deletion vector's checksum is wrong", file=path)
    bitmap = body[len(_VECTOR_MAGIC) :]
    try:
        found = BitMap64.deserialize(bitmap)
    except ValueError as error:
        raise CorruptFileError(f"The deletion vector's bitmap is broken: {error}", file=path) from None
    return found
