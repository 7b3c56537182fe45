"""Read Avro object container files block by block, checking framing, sync markers and codecs.

fastavro decodes the records (see `schema`). The container is read here so that a file that is truncated, or does not
unpack to exactly the declared size, raises an error instead of being read as a shorter one.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from projector.errors import CorruptFileError, UnsupportedError
from projector.files.storage.storage import RandomAccess

_MAGIC = b"Obj\x01"
_ENCRYPTED_MAGIC = b"AGS1"
_SYNC_SIZE = 16
_CHUNK = 4 << 20
_MAX_BLOCK = 1 << 30
_LEAST_LIMIT, _MOST_RATIO = 64 << 20, 256
"""Limits on unpacked size: manifests compress to a fifth or a thirtieth."""
"""The most bytes of an unpacked block. Writers end blocks at about 64 KiB."""


@dataclass(frozen=True)
class AvroHeader:
    """The header of an Avro file."""

    metadata: Mapping[str, bytes]
    codec: str
    sync: bytes
    blocks_at: int

    def text(self, key: str) -> str | None:
        """Return a value of the key-value metadata as text; None if it is absent or not text."""
        value = self.metadata.get(key)
        try:
            return None if value is None else value.decode()
        except UnicodeDecodeError:
            return None


def read_header(source: RandomAccess) -> AvroHeader:
    """Read the header of an Avro file. Raises `CorruptFileError` if the file is not one."""
    reader = _Reader(source)
    magic = reader.take(min(4, source.size()))
    if magic == _ENCRYPTED_MAGIC:
        raise UnsupportedError(
            "The file is encrypted (AES GCM stream); encrypted tables are not read", file=source.path
        )
    if magic != _MAGIC:
        raise CorruptFileError(f"Not an Avro file: it begins with {magic!r}", file=source.path)
    metadata: dict[str, bytes] = {}
    while count := reader.varint():
        if count < 0:  # a negative count is followed by the size of the block in bytes
            count = -count
            reader.varint()
        for _ in range(count):
            key = reader.take(reader.varint())
            metadata[key.decode("utf-8", "replace")] = reader.take(reader.varint())
    sync = reader.take(_SYNC_SIZE)
    codec = metadata.get("avro.codec", b"null").decode("utf-8", "replace")
    if "avro.schema" not in metadata:
        raise CorruptFileError("Avro file without a schema", file=source.path)
    return AvroHeader(metadata, codec, sync, reader.position)


def read_blocks(source: RandomAccess, header: AvroHeader) -> Iterator[tuple[int, bytes]]:
    """Yield the number of records and the unpacked bytes of each block.

    Raises `CorruptFileError` if the file ends inside a block, a sync marker is wrong or a block does not unpack, and
    `UnsupportedError` for an unknown codec.
    """
    unpack = _unpacker(header.codec, source.path)
    reader = _Reader(source, header.blocks_at)
    while not reader.at_end():
        count, length = reader.varint(), reader.varint()
        packed = reader.take(length)
        if reader.take(_SYNC_SIZE) != header.sync:
            raise CorruptFileError(f"Wrong sync marker before byte {reader.position}", file=source.path)
        try:
            data = unpack(packed)
        except CorruptFileError as error:
            raise CorruptFileError(error.message, file=source.path) from None
        except Exception as error:  # each codec's library raises its own errors
            what = " ".join(str(error).split()) or type(error).__name__
            raise CorruptFileError(f"A block does not unpack ({header.codec}): {what}", file=source.path) from None
        if not 0 <= count <= len(data):
            raise CorruptFileError(f"A block of {len(data)} bytes cannot hold {count} records", file=source.path)
        yield count, data


@dataclass
class _Reader:
    """Reads a file from front to back in large pieces."""

    source: RandomAccess
    position: int = 0
    _buffer: bytes = b""
    _offset: int = 0
    _size: int = field(init=False)

    def __post_init__(self) -> None:
        self._size = self.source.size()

    def at_end(self) -> bool:
        return self.position >= self._size

    def take(self, length: int) -> bytes:
        """Return the next `length` bytes. Raises if the file has fewer."""
        if length < 0 or self.position + length > self._size:
            raise self._cut_off()
        start = self.position - self._offset
        if start + length > len(self._buffer):
            self._buffer = self.source.read_at(self.position, max(length, min(_CHUNK, self._size - self.position)))
            self._offset, start = self.position, 0
            if len(self._buffer) < length:
                raise self._cut_off()
        self.position += length
        return self._buffer[start : start + length]

    def varint(self) -> int:
        """Return the next zigzag long."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
            shift += 7
            if shift > 63:
                raise CorruptFileError(f"A number before byte {self.position} is too long", file=self.source.path)

    def _cut_off(self) -> CorruptFileError:
        return CorruptFileError(
            f"Avro file is cut off or damaged: no such piece at byte {self.position} of {self._size}",
            file=self.source.path,
        )


def _null(packed: bytes) -> bytes:
    return packed


def _deflate(packed: bytes) -> bytes:
    stream = zlib.decompressobj(-15)
    data = stream.decompress(packed, _limit(packed))
    if not stream.eof:
        raise CorruptFileError("A block does not unpack (deflate): it has no end, or is too large")
    return data


def _bzip2(packed: bytes) -> bytes:
    import bz2

    stream = bz2.BZ2Decompressor()
    data = stream.decompress(packed, _limit(packed))
    if not stream.eof:
        raise CorruptFileError("A block does not unpack (bzip2): it has no end, or is too large")
    return data


def _xz(packed: bytes) -> bytes:
    import lzma

    stream = lzma.LZMADecompressor()
    data = stream.decompress(packed, _limit(packed))
    if not stream.eof:
        raise CorruptFileError("A block does not unpack (xz): it has no end, or is too large")
    return data


def _snappy(packed: bytes) -> bytes:
    from pyarrow import Codec

    body, checksum = packed[:-4], packed[-4:]
    length = shift = 0
    for byte in body[:5]:
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    if length > min(_MAX_BLOCK, 64 * len(body)):  # no snappy element expands to more than 64 bytes
        raise CorruptFileError(f"A block does not unpack (snappy): {len(body)} bytes claim to be {length}")
    data = bytes(Codec("snappy").decompress(body, length, asbytes=True)) if length else b""
    if zlib.crc32(data).to_bytes(4, "big") != checksum:
        raise CorruptFileError("A block does not unpack (snappy): its checksum is wrong")
    return data


def _zstandard(packed: bytes) -> bytes:
    import pyarrow as pa

    parts: list[bytes] = []
    left = _limit(packed)
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
        while part := stream.read(1 << 20):
            parts.append(part)
            left -= len(part)
            if left < 0:
                raise CorruptFileError("A block does not unpack (zstandard): it is too large")
    return b"".join(parts)


def _limit(packed: bytes) -> int:
    """Return the bytes that a block may unpack to."""
    return min(_MAX_BLOCK, max(_LEAST_LIMIT, _MOST_RATIO * len(packed)))


_CODECS: dict[str, Callable[[bytes], bytes]] = {
    "null": _null,
    "deflate": _deflate,
    "snappy": _snappy,
    "zstandard": _zstandard,
    "bzip2": _bzip2,
    "xz": _xz,
}
_NEEDED = {"bzip2": "bz2", "xz": "lzma"}


def _unpacker(codec: str, path: str) -> Callable[[bytes], bytes]:
    if codec not in _CODECS:
        raise UnsupportedError(
            f"Avro codec {codec!r} is not known", file=path, hint=f"known are {', '.join(sorted(_CODECS))}"
        )
    missing: str | None = None
    if codec in _NEEDED:
        try:
            __import__(_NEEDED[codec])
        except ImportError:
            missing = f"this Python was built without {_NEEDED[codec]}"
    elif codec in ("snappy", "zstandard"):
        from pyarrow import Codec

        if not Codec.is_available({"zstandard": "zstd"}.get(codec, codec)):
            missing = f"this pyarrow was built without {codec}"
    if missing:
        raise UnsupportedError(f"Avro codec {codec!r} cannot be read: {missing}", file=path)
    return _CODECS[codec]
