"""Read a Parquet footer from the end of the file, check its bounds, and split it no further than necessary.

A footer is the struct `FileMetaData`, its length in four bytes, and the magic `PAR1`. Its first two fields are the
version and the schema, so the schema is part of a prefix of the footer. That prefix is the *fingerprint*, by which a
file's shape is recognised without parsing (see `shapes`). If a writer orders the fields otherwise, the fingerprint is
assembled from its parts.

Only the magic at the end is checked. Sizes and footer offsets that a manifest lists are never used.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from projector.errors import CorruptFileError, ProjectorError, UnsupportedError
from projector.files.parquet import thrift
from projector.files.storage.storage import ByteSource

TAIL_BYTES = 64 * 1024
"""How many bytes at the end of a file the first read requests. Most footers are shorter."""

MAX_FOOTER_BYTES = 512 * 1024 * 1024
"""If a footer claims to be longer, its length field is considered damaged."""

MAGIC = b"PAR1"
_ENCRYPTED_MAGIC = b"PARE"
SMALLEST_FILE = 12

_VERSION, _SCHEMA, _NUM_ROWS, _ROW_GROUPS, _CREATED_BY, _ENCRYPTION = 1, 2, 3, 4, 6, 8
_REQUIRED = {_VERSION: thrift.I32, _SCHEMA: thrift.LIST, _NUM_ROWS: thrift.I64, _ROW_GROUPS: thrift.LIST}
_VERSION_HEADER, _SCHEMA_HEADER, _NUM_ROWS_HEADER, _ROW_GROUPS_HEADER = (
    bytes([0x10 | kind]) for kind in (thrift.I32, thrift.LIST, thrift.I64, thrift.LIST)
)
_REWRITE = "write the file again, or take it out of the table"


@dataclass(frozen=True, slots=True)
class Footer:
    """The parts of a footer that describe the content of a file.

    Parameters
    ----------
    path:
        The file, as errors name it.
    data:
        The footer's bytes, without the length and the magic after it.
    fingerprint:
        The bytes of the version and the schema. Files with equal fingerprints have equal schemas.
    schema_at:
        Offset in `data` of the list of schema elements.
    num_rows:
        Rows in the file.
    created_by:
        The name and version of the writer; None if not given.
    """

    path: str
    data: bytes = field(repr=False)
    fingerprint: bytes = field(repr=False)
    schema_at: int
    num_rows: int
    created_by: str | None = None


def read_footer(source: ByteSource, path: str) -> Footer:
    """Read and check the footer of a Parquet file.

    Parameters
    ----------
    source:
        The open file.
    path:
        Its path, for errors.

    Raises
    ------
    CorruptFileError
        If the file is empty, cut off, not a Parquet file, or its footer is damaged.
    UnsupportedError
        If the file is encrypted, wholly or in some columns, or is an Avro or ORC file.
    """
    data, start = read_tail(source, path)
    return parse_footer(data[start:-8], path)


def read_tail(source: ByteSource, path: str) -> tuple[bytes, int]:
    """Read the end of a Parquet file, by one read if the footer is not longer than `TAIL_BYTES`.

    Returns
    -------
    tuple[bytes, int]
        Bytes up to the end of the file, and the offset of the footer in them.
    """
    size = source.size()
    if size < SMALLEST_FILE:
        what = "the file is empty" if size == 0 else f"the file is {size} bytes long, too short for a Parquet file"
        raise CorruptFileError(what, file=path, hint=_REWRITE)
    wanted = min(size, TAIL_BYTES)
    data = _read(source, size - wanted, wanted, path)
    if data[-4:] != MAGIC:
        raise _wrong_magic(source, data, path)
    length = int.from_bytes(data[-8:-4], "little")
    most = min(size - SMALLEST_FILE, MAX_FOOTER_BYTES)
    if length > most:
        raise damaged(path, f"it claims to be {length} bytes long, but {most} is the most it can be here")
    if length + 8 > wanted:
        wanted = length + 8
        data = _read(source, size - wanted, wanted, path)
    return data, len(data) - 8 - length


def parse_footer(data: bytes, path: str) -> Footer:
    """Parse the bytes of a footer; `path` names the file in errors. Raises like `read_footer`."""
    try:
        spans, _ = thrift.struct_spans(data, 0)
    except CorruptFileError as error:
        raise damaged(path, error.message) from None
    fields = {span.field_id: span for span in spans}
    if len(fields) < len(spans):
        raise damaged(path, "a field is given twice")
    if (algorithm := fields.get(_ENCRYPTION)) is not None and _is_algorithm(data, algorithm):
        raise UnsupportedError(
            "the file has encrypted columns (its footer names an encryption algorithm), which are not read",
            file=path,
            hint="decrypt it, or take it out of the table",
        )
    for field_id, kind in _REQUIRED.items():
        if field_id not in fields or fields[field_id].kind != kind:
            raise damaged(path, f"field {field_id} is missing or of another type")
    version, schema, rows = fields[_VERSION], fields[_SCHEMA], fields[_NUM_ROWS]
    if spans[0] is version and spans[1] is schema:
        fingerprint = data[: schema.end]
    else:
        fingerprint = _VERSION_HEADER + b"\x02" + _SCHEMA_HEADER + data[schema.start : schema.end]
    num_rows, _ = thrift.read_zigzag(data, rows.start)
    if num_rows < 0:
        raise damaged(path, f"it claims {num_rows} rows")
    groups = fields[_ROW_GROUPS]
    if num_rows and _is_empty_list(data[groups.start : groups.start + 1]):
        raise damaged(path, f"it claims {num_rows} rows, but has no row groups")
    if not num_rows and (found := _row_group_rows(data, groups.start)):
        raise damaged(path, f"it claims no rows, but its row groups have {found}")
    created_by = None
    if (writer := fields.get(_CREATED_BY)) is not None and writer.kind == thrift.BINARY:
        length, at = thrift.read_varint(data, writer.start)
        created_by = data[at : at + length].decode("utf-8", "backslashreplace")
    return Footer(path, data, fingerprint, schema.start, num_rows, created_by)


def leading_schema(data: bytes) -> int | None:
    """Return the offset of the schema elements if a footer starts with version and schema, else None."""
    if data[:1] != _VERSION_HEADER:
        return None
    at = 1
    while data[at : at + 1] >= b"\x80":
        at += 1
    return at + 2 if data[at + 1 : at + 2] == _SCHEMA_HEADER else None


def rows_after_schema(data: bytes, at: int) -> int | None:
    """Return the number of rows of a footer whose schema ends at offset `at`; None if it does not come next.

    Also return None if there are rows but no row groups, or the reverse: `parse_footer` raises the right error.
    """
    if data[at : at + 1] != _NUM_ROWS_HEADER:
        return None
    value = shift = 0
    for place in range(at + 1, min(at + 11, len(data))):
        byte = data[place]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            after = data[place + 1 : place + 3]
            is_odd = after[:1] == _ROW_GROUPS_HEADER and after[1:] and _is_empty_list(after[1:]) == (value > 0)
            return None if value & 1 or is_odd else value >> 1  # zigzag: odd numbers are negative
        shift += 7
    return None


def _row_group_rows(data: bytes, at: int) -> int:
    """Return the number of rows in all row groups."""
    _, count, at = thrift.read_list_header(data, at)
    rows = 0
    for _ in range(count):
        fields, at = thrift.read_struct(data, at)
        found = fields.get(_NUM_ROWS)
        rows += found if isinstance(found, int) else 0
    return rows


def _is_empty_list(header: bytes) -> bool:
    return header != b"" and header[0] >> 4 == 0


def damaged(path: str, what: str) -> CorruptFileError:
    """Return the error for a footer that violates the Parquet format."""
    return CorruptFileError(f"the Parquet footer is damaged: {what}", file=path, hint=_REWRITE)


def _is_algorithm(data: bytes, span: thrift.FieldSpan) -> bool:
    """Return whether a field is the union `EncryptionAlgorithm`, and not another field that was damaged."""
    return span.kind == thrift.STRUCT and set(thrift.read_struct(data, span.start)[0]) in ({1}, {2})


def _read(source: ByteSource, offset: int, length: int, path: str) -> bytes:
    data = source.read_at(offset, length)
    if len(data) != length:
        raise CorruptFileError(
            f"reading at byte {offset} returned {len(data)} bytes, not {length}: the file has changed",
            file=path,
            hint=_REWRITE,
        )
    return data


def _wrong_magic(source: ByteSource, tail: bytes, path: str) -> ProjectorError:
    """Return the error that best explains why a file does not end like a Parquet file."""
    if tail[-4:] == _ENCRYPTED_MAGIC:
        return UnsupportedError(
            "the file is encrypted (its footer is, it ends in PARE), and encrypted files are not read",
            file=path,
            hint="decrypt it, or take it out of the table",
        )
    head = _read(source, 0, 4, path)
    if head == b"Obj\x01":
        return UnsupportedError("the file is an Avro file; only Parquet data files are read", file=path)
    if tail[-4:-1] == b"ORC" or head[:3] == b"ORC":
        return UnsupportedError("the file is an ORC file; only Parquet data files are read", file=path)
    if head == MAGIC:
        what = "the file begins as a Parquet file but does not end as one: its end, with the footer, was cut off"
    else:
        what = f"not a Parquet file: it ends in {tail[-4:]!r}, not in {MAGIC!r}"
    return CorruptFileError(what, file=path, hint=_REWRITE)
