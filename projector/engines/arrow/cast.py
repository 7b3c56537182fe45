"""Cast leaf columns, as pyarrow returns them, to the Arrow type of the scan, and check values if needed.

A writer's `ARROW:schema` may restore dictionaries, large or view types, extensions, durations or other zones; all of
them are removed first. Then the plan's cast applies. Casts ignore hidden values (see `visibility`), for example those
under a null struct.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.arrow.compile import Step
from projector.engines.arrow.visibility import Above, first_bad
from projector.engines.errors import WHY_INEXACT, WHY_LENGTH, WHY_RANGE, WHY_UTF8, value_error
from projector.errors import ProjectionError, UnsupportedError
from projector.files.parquet.file_schema import FileLeaf
from projector.projection.plan import Cast

_PLAIN = frozenset(
    kind.id
    for kind in (pa.bool_(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.date32(), pa.string(), pa.binary())
)
"""Types to which an Arrow schema has added nothing, by far the most common ones."""

_INT32 = (-(2**31), 2**31 - 1)
_INT64 = (-(2**63), 2**63 - 1)
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_PER_DAY = 86_400


def cast_leaf(step: Step, array: pa.Array, exact: pa.Array | None, above: Above, file: str) -> pa.Array:
    """Return a leaf's column as the step's target type.

    `exact` is the second reading of an int96 column. Raises `ProjectionError` for the first value that does not fit.
    """
    array = plain_array(array)
    target = step.target
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), target)
    match step.cast:
        case Cast.NONE | Cast.STRING_TO_BYTES | Cast.BYTES_TO_STRING | Cast.BYTES_TO_UUID:
            return _as_is(step, array, above, file)
        case Cast.WIDEN_INTEGER | Cast.WIDEN_FLOAT:
            return array.cast(target)
        case Cast.CHECKED_INTEGER:
            low, high = _INT32 if pa.types.is_int32(target) else _INT64
            return _within(step, array, low, high, above, file).cast(target, safe=False)
        case Cast.WIDEN_DECIMAL:
            return _as_decimal(array, target)
        case Cast.DATE_TO_TIMESTAMP:
            days = array.view(pa.int32()).cast(pa.int64())
            return _multiply(step, days, _PER_DAY * _PER_SECOND[target.unit], above, file).view(target)
        case Cast.RESCALE_TIMESTAMP | Cast.RESCALE_TIME:
            return _rescale(step, array, above, file)
        case Cast.INT96_TO_TIMESTAMP:
            assert exact is not None
            return _from_int96(step, array, plain_array(exact), above, file)


def unwrap(array: pa.Array) -> pa.Array:
    """Return an extension's storage, and any other array unchanged."""
    while isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    return array


def plain_array(array: pa.Array) -> pa.Array:
    """Return a leaf column without what only an Arrow schema can add to it."""
    if array.type.id in _PLAIN:
        return array
    array = unwrap(array)
    kind = array.type
    if pa.types.is_dictionary(kind):
        return plain_array(array.dictionary_decode())
    if pa.types.is_run_end_encoded(kind):
        return plain_array(pc.run_end_decode(array))
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _narrow(array, pa.string())
    if pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return _narrow(array, pa.binary())
    if pa.types.is_duration(kind):
        return array.view(pa.int64())
    if pa.types.is_date64(kind):
        return array.cast(pa.date32())
    return array


def _narrow(array: pa.Array, target: pa.DataType) -> pa.Array:
    """Return a large or view array with 32-bit offsets."""
    try:
        return array.cast(target)
    except pa.ArrowInvalid:  # a slice whose offsets begin beyond 32 bits
        every = pc.cumulative_sum(pa.repeat(pa.scalar(1, pa.int64()), len(array)), start=-1)
        return array.take(every).cast(target)


def _as_is(step: Step, array: pa.Array, above: Above, file: str) -> pa.Array:
    """Return the stored values in the target's representation."""
    target, kind = step.target, array.type
    if pa.types.is_string(target) and (pa.types.is_string(kind) or pa.types.is_binary(kind)):
        return _as_text(step, array, above, file)
    if kind == target:
        return array
    if pa.types.is_binary(target) and pa.types.is_string(kind):
        return array.cast(target)
    if isinstance(target, pa.UuidType):
        return pa.ExtensionArray.from_storage(target, _as_uuid_bytes(step, array, above, file))
    if pa.types.is_decimal(target) and pa.types.is_decimal(kind) and kind.scale == target.scale:
        return _as_decimal(array, target)
    if (pa.types.is_timestamp(target) and pa.types.is_timestamp(kind)) or (
        pa.types.is_time(target) and pa.types.is_time(kind)
    ):
        return _rescale(step, array, above, file)
    raise UnsupportedError(
        f"pyarrow reads {kind} where the footer says {step.leaf}",
        file=file,
        path=step.node.path,
        field_id=step.node.field.field_id,
    )


def _as_text(step: Step, array: pa.Array, above: Above, file: str) -> pa.Array:
    # pyarrow does not validate strings, and other libraries crash if they are not UTF-8.
    stored = array.view(pa.binary()) if pa.types.is_string(array.type) else array
    if _is_ascii(stored):
        return stored.view(pa.string())
    try:
        return stored.cast(pa.string())
    except pa.ArrowInvalid:
        bad = pa.array([value is not None and not _is_utf8(value) for value in stored.to_pylist()], pa.bool_())
        _refuse(step, stored, bad, above, file, WHY_UTF8)
        return pc.if_else(bad, pa.scalar(b""), stored).cast(pa.string())


def _is_ascii(array: pa.BinaryArray) -> bool:
    """Return whether no value has a byte above 127, in one pass over all bytes. Most text has none."""
    _, offsets, content = array.buffers()
    if not len(array) or content is None:
        return True
    ends = memoryview(offsets).cast("i")
    first, last = ends[array.offset], ends[array.offset + len(array)]
    if first == last:
        return True
    return bool(pc.min(pa.Int8Array.from_buffers(pa.int8(), last - first, [None, content], 0, first)).as_py() >= 0)


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _as_uuid_bytes(step: Step, array: pa.Array, above: Above, file: str) -> pa.Array:
    sixteen = pa.binary(16)
    if array.type == sixteen:
        return array
    bad = pc.not_equal(pc.binary_length(array), 16)
    _refuse(step, array, bad, above, file, WHY_LENGTH)
    return pc.if_else(bad, pa.scalar(bytes(16), array.type), array).cast(sixteen)


def _as_decimal(array: pa.Array, target: pa.DataType) -> pa.Array:
    if pa.types.is_decimal128(array.type):  # 16 bytes for every precision
        return pa.Array.from_buffers(target, len(array), array.buffers(), array.null_count, array.offset)
    return array.cast(target)


def _rescale(step: Step, array: pa.Array, above: Above, file: str) -> pa.Array:
    target = step.target
    have, want = _PER_SECOND[array.type.unit], _PER_SECOND[target.unit]
    numbers = array.view(pa.int32()).cast(pa.int64()) if array.type.bit_width == 32 else array.view(pa.int64())
    if have <= want:
        return _multiply(step, numbers, want // have, above, file).view(target)
    factor = have // want
    quotient = pc.divide(numbers, factor)
    bad = pc.not_equal(pc.multiply(quotient, factor), numbers)
    if pc.any(bad).as_py():
        _refuse(step, numbers, bad, above, file, WHY_INEXACT)
    return quotient.view(target)


def _from_int96(step: Step, millis: pa.Array, nanos: pa.Array, above: Above, file: str) -> pa.Array:
    """Return exact int96 timestamps from two readings.

    No int96 overflows as milliseconds, but digits are lost; as nanoseconds no digits are lost, but the number wraps
    around at 64 bits. So the true value is `millis` plus the rest of `nanos`, less than a millisecond.

    Arrow C++ once wrote times before 1970 with negative nanoseconds of the day, which are read as unsigned, 2**64 too
    large: years 1677 to 1969 look like 2262 to 2554. Whole microseconds tell the two apart, since 2**64 is not one.
    """
    whole, wrapped = millis.view(pa.int64()), nanos.view(pa.int64())
    rest = pc.subtract(wrapped, pc.multiply(whole, 10**6))  # in nanoseconds, modulo 2**64
    late = pc.and_(pc.greater_equal(whole, 2**63 // 10**6), pc.less_equal(whole, 2**64 // 10**6))
    if pc.any(late).as_py():
        digits = pc.subtract(rest, pc.multiply(pc.divide(rest, 1000), 1000))
        early = pc.and_(late, pc.equal(digits, 2**64 % 1000))
        floor = pc.divide(pc.subtract(wrapped, 10**6 - 1), 10**6)  # of a negative number
        whole = pc.if_else(early, floor, whole)
        rest = pc.subtract(wrapped, pc.multiply(whole, 10**6))
    if pa.types.is_timestamp(step.target) and step.target.unit == "us":
        micros = pc.divide(rest, 1000)
        bad = pc.not_equal(pc.multiply(micros, 1000), rest)
        if pc.any(bad).as_py():
            _refuse_int96(step, whole, rest, bad, above, file, WHY_INEXACT)
        factor, rest_in_unit = 10**3, micros
    else:
        factor, rest_in_unit = 10**6, rest
    low, high = -(2**63 // factor), (2**63 - 1) // factor
    bad = pc.or_(pc.less(whole, low), pc.greater(whole, high))
    edge = (2**63 - 1) - high * factor
    bad = pc.or_(bad, pc.and_(pc.equal(whole, high), pc.greater(rest_in_unit, edge)))
    if pc.any(bad).as_py():
        _refuse_int96(step, whole, rest, bad, above, file, WHY_RANGE)
    return pc.add(pc.multiply(whole, factor), rest_in_unit).view(step.target)


def _multiply(step: Step, numbers: pa.Array, factor: int, above: Above, file: str) -> pa.Array:
    if factor == 1:
        return numbers
    low, high = -(2**63 // factor), (2**63 - 1) // factor
    return pc.multiply(_within(step, numbers, low, high, above, file), factor)


def _within(step: Step, numbers: pa.Array, low: int, high: int, above: Above, file: str) -> pa.Array:
    """`numbers`, all of which that count lie between the two bounds."""
    extremes = pc.min_max(numbers).as_py()
    if extremes["min"] is not None and (extremes["min"] < low or extremes["max"] > high):
        over = pc.greater(numbers, pa.scalar(high, numbers.type))
        unsigned = pa.types.is_unsigned_integer(numbers.type)
        bad = over if unsigned else pc.or_(over, pc.less(numbers, pa.scalar(low, numbers.type)))
        _refuse(step, numbers, bad, above, file, WHY_RANGE)
    return numbers


def _refuse(step: Step, stored: pa.Array, bad: pa.BooleanArray, above: Above, file: str, why: str) -> None:
    """Raise the error for the first value that is bad and counts, if any."""
    position = first_bad(bad, above)
    if position is not None:
        raise _error(step, file, stored[position].as_py(), why)


def _refuse_int96(
    step: Step, whole: pa.Array, rest: pa.Array, bad: pa.BooleanArray, above: Above, file: str, why: str
) -> None:
    position = first_bad(bad, above)
    if position is not None:
        raise _error(step, file, whole[position].as_py() * 10**6 + rest[position].as_py(), why)


def _error(step: Step, file: str, value: Any, why: str) -> ProjectionError:
    assert isinstance(step.leaf, FileLeaf)
    return value_error(step.node, file, step.leaf, value, why)
