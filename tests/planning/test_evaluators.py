"""Evaluators over facts: a file, row group, partition or manifest that holds a matching row is never skipped.

The properties make up rows, describe them as a writer would (at the column's type or an earlier one, with maps missing,
strings cut), and hold what the evaluators say against every row.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field, replace
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projector.metadata.partitioning import PartitionField, PartitionSpec
from projector.metadata.transforms import (
    Bucket,
    Day,
    Hour,
    Identity,
    Month,
    Truncate,
    Void,
    Year,
    accepts,
    apply,
    result_type,
)
from projector.planning.filters.bind import bind
from projector.planning.filters.evaluate import evaluate_row
from projector.planning.filters.expressions import FALSE, TRUE
from projector.planning.filters.parser import parse_filter
from projector.planning.pruning.metrics_facts import (
    ColumnStatistics,
    file_facts,
    row_group_facts,
)
from projector.planning.pruning.outcomes import Outcomes, matches, might_match, outcomes, residual
from projector.planning.pruning.partition_facts import partition_filter
from projector.schema.binary_values import encode_bound
from projector.schema.promotions import promote_value
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    UUIDType,
)
from tests.planning import filters

_EARLIER = {
    LongType: IntegerType(),
    DoubleType: FloatType(),
    TimestampType: DateType(),
    TimestampNanoType: DateType(),
    DecimalType: DecimalType(3, 2),
}
_OUTCOME = {True: Outcomes.TRUE, False: Outcomes.FALSE, None: Outcomes.NULL}


@dataclass
class Metrics:
    record_count: int | None = 2
    value_counts: dict[int, int] | None = field(default_factory=dict)
    null_value_counts: dict[int, int] | None = field(default_factory=dict)
    nan_value_counts: dict[int, int] | None = field(default_factory=dict)
    lower_bounds: dict[int, bytes] | None = field(default_factory=dict)
    upper_bounds: dict[int, bytes] | None = field(default_factory=dict)


@dataclass
class Summary:
    contains_null: bool | None = False
    contains_nan: bool | None = False
    lower_bound: bytes | None = None
    upper_bound: bytes | None = None


def _is_nan(value):
    return isinstance(value, float) and math.isnan(value)


def _written_type(data, iceberg_type):
    """The column's type when the file was written."""
    earlier = _EARLIER.get(type(iceberg_type))
    if isinstance(iceberg_type, DecimalType) and iceberg_type.scale != 2:
        earlier = None
    return earlier if earlier is not None and data.draw(st.booleans(), "promoted since") else iceberg_type


def _in_range(value, written, requested):
    ticks = filters.TICKS_PER_DAY.get(type(requested))
    return not (isinstance(written, DateType) and ticks) or abs(value * ticks) < 2**63


def _promote(value, written, requested):
    return None if value is None else promote_value(value, written, requested)


def _draw_rows(data, requested, written):
    """Rows as they were written, and as they are read."""
    value = st.none() | filters.values(written).filter(lambda v: _in_range(v, written, requested))
    drawn = st.fixed_dictionaries({"c": value, "s": st.none() | st.fixed_dictionaries({"x": value})})
    stored = data.draw(st.lists(drawn, min_size=1, max_size=4), "rows")
    read = [
        {
            "c": _promote(r["c"], written, requested),
            "s": None if r["s"] is None else {"x": _promote(r["s"]["x"], written, requested)},
        }
        for r in stored
    ]
    return stored, read


def _bounds(values, written, data):
    """Lower and upper bound as a writer would store them, strings cut to two characters or bytes."""
    plain = [v for v in values if v is not None and not _is_nan(v)]
    if not plain:
        return None, None
    low, high = min(plain), max(plain)
    if isinstance(written, (StringType, BinaryType)) and data.draw(st.booleans(), "cut"):
        low = low[:2]
        if len(high) > 2:
            high = _above(high[:2])
    return low, high


def _above(cut):
    """The least string or bytes of this length, or less, above all that start with `cut`; None where there is none."""
    for at in range(len(cut) - 1, -1, -1):
        if isinstance(cut, bytes) and cut[at] < 255:
            return cut[:at] + bytes([cut[at] + 1])
        if isinstance(cut, str) and ord(cut[at]) < 0xD000:
            return cut[:at] + chr(ord(cut[at]) + 1)
    return None


def _check(bound, lookup, might, read):
    actual = [evaluate_row(bound, row) for row in read]
    possible = outcomes(bound, lookup)
    for outcome in actual:
        assert _OUTCOME[outcome] in possible
    assert might or True not in actual
    if matches(bound, lookup):
        assert all(outcome is True for outcome in actual)
    rest = residual(bound, lookup)
    assert [evaluate_row(rest, row) for row in read] == actual


@settings(deadline=None)
@given(st.data())
def test_file_metrics_never_skip_a_matching_row(data):
    requested = data.draw(st.sampled_from(filters.TYPES))
    written = _written_type(data, requested)
    stored, read = _draw_rows(data, requested, written)
    columns = {1: [r["c"] for r in stored], 3: [r["s"] and r["s"]["x"] for r in stored]}
    if data.draw(st.booleans(), "null structs not counted"):
        columns[3] = [r["s"]["x"] for r in stored if r["s"] is not None]
    metrics = Metrics(record_count=len(stored))
    for field_id, values in columns.items():
        low, high = _bounds(values, written, data)
        if low is not None and data.draw(st.booleans()):
            metrics.lower_bounds[field_id] = encode_bound(low, written)
        if high is not None and data.draw(st.booleans()):
            metrics.upper_bounds[field_id] = encode_bound(high, written)
        if data.draw(st.booleans()):
            metrics.value_counts[field_id] = len(values)
        if data.draw(st.booleans()):
            metrics.null_value_counts[field_id] = values.count(None)
        if data.draw(st.booleans()):
            metrics.nan_value_counts[field_id] = sum(map(_is_nan, values))
    bound = bind(data.draw(filters.filters(requested), "filter"), filters.schema_of(requested))
    _check(bound, file_facts(metrics), might_match(bound, file_facts(metrics)), read)


@settings(deadline=None)
@given(st.data())
def test_absent_columns_are_their_constant(data):
    iceberg_type = data.draw(st.sampled_from(filters.TYPES))
    value = st.none() | filters.values(iceberg_type)
    top, nested = data.draw(value), data.draw(value)
    struct = st.sampled_from([None, {"x": nested}])
    read = [{"c": top, "s": s} for s in data.draw(st.lists(struct, min_size=1, max_size=3))]
    bound = bind(data.draw(filters.filters(iceberg_type)), filters.schema_of(iceberg_type))
    metrics = Metrics(record_count=len(read))
    absent = {1: top, 3: nested}
    _check(bound, file_facts(metrics, absent), might_match(bound, file_facts(metrics, absent)), read)


@settings(deadline=None)
@given(st.data())
def test_row_group_statistics_never_skip_a_matching_row(data):
    requested = data.draw(st.sampled_from(filters.TYPES))
    written = _written_type(data, requested)
    stored, read = _draw_rows(data, requested, written)
    statistics = {}
    for field_id, values in {1: [r["c"] for r in stored], 3: [r["s"] and r["s"]["x"] for r in stored]}.items():
        low, high = _bounds(values, written, data)
        nulls = data.draw(st.sampled_from([None, values.count(None)]))
        statistics[field_id] = ColumnStatistics(low, high, nulls, written)
    bound = bind(data.draw(filters.filters(requested), "filter"), filters.schema_of(requested))
    might = might_match(bound, row_group_facts(statistics, len(read)))
    _check(bound, row_group_facts(statistics, len(read)), might, read)


_TRANSFORMS = (
    Identity(), Bucket(1), Bucket(3), Truncate(1), Truncate(2), Truncate(10), Year(), Month(), Day(), Hour(), Void(),
)  # fmt: skip


def _spec(*transforms, source_id=1):
    named = enumerate(transforms)
    return PartitionSpec(0, tuple(PartitionField((source_id,), 1000 + i, f"p{i}", str(t)) for i, t in named))


@settings(deadline=None)
@given(st.data())
def test_partitions_never_skip_a_matching_row(data):
    requested = data.draw(st.sampled_from(filters.TYPES))
    written = _written_type(data, requested)
    usable = [t for t in _TRANSFORMS if accepts(t, requested) and accepts(t, written)]
    transforms = data.draw(st.lists(st.sampled_from(usable), min_size=1, max_size=2))
    source_id = data.draw(st.sampled_from([1, 3]))
    stored, read = _draw_rows(data, requested, written)
    spec = _spec(*transforms, source_id=source_id)
    bound = bind(data.draw(filters.filters(requested), "filter"), filters.schema_of(requested))
    judge = partition_filter(bound, spec)
    groups = defaultdict(list)
    for before, now in zip(stored, read, strict=True):
        value = before["c"] if source_id == 1 else before["s"] and before["s"]["x"]
        # partitions are equal when the bits are; 0.0 and -0.0 are two of them
        key = tuple(apply(t, value, written) for t in transforms)
        groups[str(key)].append((key, now))
    types = data.draw(st.sampled_from([None, {1000 + i: result_type(t, written) for i, t in enumerate(transforms)}]))
    tuples = []
    for members in groups.values():
        key = members[0][0]
        tuples.append(key)
        partition = {1000 + i: value for i, value in enumerate(key)}
        might = judge.might_match(partition, types)
        _check(bound, judge.facts(partition, types), might, [row for _, row in members])
    summaries = []
    for i, transform in enumerate(transforms):
        column = [key[i] for key in tuples]
        plain = [v for v in column if v is not None and not _is_nan(v)]
        type_ = result_type(transform, written)
        order = None if not isinstance(type_, UUIDType) or data.draw(st.booleans(), "bytes order") else _java_uuid_order
        summary = Summary(None in column, data.draw(st.sampled_from([None, any(map(_is_nan, column))])))
        if plain:
            summary.lower_bound = encode_bound(min(plain, key=order), type_)
            summary.upper_bound = encode_bound(max(plain, key=order), type_)
        summaries.append(summary)
    if any(evaluate_row(bound, row) for row in read):
        assert judge.manifest_might_match(summaries)


def _java_uuid_order(value):
    high, low = divmod(value.int, 2**64)
    return (high - 2**64 if high >= 2**63 else high, low - 2**64 if low >= 2**63 else low)


# ----------------------------------------------------------------------------------------------- what is skipped


def _bind(text, iceberg_type, null_parents=False):
    return bind(parse_filter(text), filters.schema_of(iceberg_type))


def _int_file(**changes):
    whole = Metrics(10, {1: 10}, {1: 0}, {}, {1: encode_bound(10, IntegerType())}, {1: encode_bound(20, IntegerType())})
    return replace(whole, **changes)


@pytest.mark.parametrize(
    ("text", "might", "must"),
    [
        ("c < 10", False, False),
        ("c <= 10", True, False),
        ("c < 21", True, True),
        ("c > 20", False, False),
        ("c >= 20", True, False),
        ("c >= 10", True, True),
        ("c = 9", False, False),
        ("c = 10", True, False),
        ("c != 9", True, True),
        ("c in (1, 9, 21)", False, False),
        ("c in (1, 15)", True, False),
        ("c not in (1, 9)", True, True),
        ("c is null", False, False),
        ("c is not null", True, True),
        ("c between 12 and 13", True, False),
        ("c < 10 or c > 20", False, False),
        ("not (c >= 10 and c <= 20)", False, False),
        ("c < 2147483648", True, True),
        ("c > 2147483648", False, False),
        ("c != 2147483648", True, True),
        ("c > 9.5 and c < 20.5", True, True),
        ("c = NULL", False, False),
        ("c > 100 or s.x = 1", True, False),
        ("c > 100 and s.x = 1", False, False),
    ],
)
def test_file_bounds(text, might, must):
    for iceberg_type in (IntegerType(), LongType()):  # the bounds are those of an int file
        bound = _bind(text, iceberg_type)
        assert might_match(bound, file_facts(_int_file())) is might
        assert (matches(bound, file_facts(_int_file())) is True) is must


@pytest.mark.parametrize(
    "changes",
    [
        {"lower_bounds": {1: encode_bound(21, IntegerType())}},  # inverted
        {"lower_bounds": {}, "upper_bounds": {}},
        {"lower_bounds": None, "upper_bounds": None, "value_counts": None, "null_value_counts": None},
        {"lower_bounds": {1: b"\x01"}, "upper_bounds": {1: b""}},  # no type has such lengths
        {"lower_bounds": {1: b"\xff" * 4 + b"\x7f" * 9}, "upper_bounds": {1: b"\x00" * 7}},
        {"null_value_counts": {1: 10}},  # all null, yet bounds
        {"null_value_counts": {1: 11}, "lower_bounds": {}, "upper_bounds": {}},  # more nulls than values
        {"null_value_counts": {1: -1}, "lower_bounds": {}, "upper_bounds": {}},
        {"value_counts": {1: -1}, "null_value_counts": {1: 0}, "lower_bounds": {}, "upper_bounds": {}},
        {"value_counts": {1: 99}, "null_value_counts": {1: 99}, "lower_bounds": {}, "upper_bounds": {}},
        {
            "record_count": None,
            "lower_bounds": {},
            "upper_bounds": {},
            "value_counts": {},
            "null_value_counts": {1: 10},
        },
    ],
)
def test_impossible_metrics_are_unknown(changes):
    bound = _bind("c = 5", IntegerType())
    assert might_match(bound, file_facts(_int_file(**changes)))


def test_missing_null_counts_are_unknown():
    metrics = _int_file(null_value_counts=None)
    assert might_match(_bind("c is null", IntegerType()), file_facts(metrics))
    assert might_match(_bind("c is not null", IntegerType()), file_facts(metrics))
    assert not might_match(_bind("c = 5", IntegerType()), file_facts(metrics))


def test_all_null_columns():
    metrics = _int_file(null_value_counts={1: 10}, lower_bounds={}, upper_bounds={})
    assert not might_match(_bind("c = 5", IntegerType()), file_facts(metrics))
    assert not might_match(_bind("c != 5", IntegerType()), file_facts(metrics))
    assert not might_match(_bind("not c = 5", IntegerType()), file_facts(metrics))
    assert not might_match(_bind("c is not null", IntegerType()), file_facts(metrics))
    assert matches(_bind("c is null", IntegerType()), file_facts(metrics))


def test_a_record_count_of_zero_rules_nothing_out():
    """Some writers leave it out: it must not lose rows."""
    assert might_match(_bind("c is null", IntegerType()), file_facts(_int_file(record_count=0)))


def test_float_widened_to_double_is_compared_as_double():
    tenth = encode_bound(0.1, FloatType())  # 0.10000000149011612
    metrics = Metrics(1, {1: 1}, {1: 0}, {1: 0}, {1: tenth}, {1: tenth})
    assert matches(_bind("c > 0.1", DoubleType()), file_facts(metrics))
    assert not might_match(_bind("c = 0.1", DoubleType()), file_facts(metrics))
    assert matches(_bind("c = 0.1", FloatType()), file_facts(metrics))


def test_nan_counts():
    bounds = {1: encode_bound(1.0, DoubleType())}
    none = Metrics(2, {1: 2}, {1: 0}, {1: 0}, bounds, bounds)
    some = replace(none, nan_value_counts={1: 1})
    unknown = replace(none, nan_value_counts=None)
    only = replace(none, nan_value_counts={1: 2}, lower_bounds=None, upper_bounds=None)
    for text, expected in {
        "c > 5": (False, True, True, True),
        "c < 5": (True, True, True, False),
        "c = 1": (True, True, True, False),
        "c != 1": (False, True, True, True),
        "c is nan": (False, True, True, True),
        "c is not nan": (True, True, True, False),
        "c is not null": (True, True, True, True),
    }.items():
        bound = _bind(text, DoubleType())
        assert tuple(might_match(bound, file_facts(m)) for m in (none, some, unknown, only)) == expected, text
    nan_bound = {1: b"\x00" * 6 + b"\xf8\x7f"}
    assert might_match(
        _bind("c = 7", DoubleType()), file_facts(replace(none, lower_bounds=nan_bound, upper_bounds=nan_bound))
    )


def test_negative_zero_is_zero():
    zero, negative = ({1: encode_bound(v, DoubleType())} for v in (0.0, -0.0))
    for low, high in ((zero, zero), (negative, negative), (negative, zero), (zero, negative)):
        metrics = Metrics(1, {1: 1}, {1: 0}, {1: 0}, low, high)
        for text in ("c = 0", "c in (0, 1)", "c >= 0", "c <= -0.0"):
            assert matches(_bind(text, DoubleType()), file_facts(metrics)), text
    spec = _spec(Identity())
    for value in (0.0, -0.0):
        assert partition_filter(_bind("c in (0, 1)", DoubleType()), spec).might_match({1000: value})


def test_cut_strings():
    metrics = Metrics(2, {1: 2}, {1: 0}, {}, {1: b"abc"}, {1: b"abd"})
    for text, expected in {
        "c like 'ab%'": True,
        "c like 'abc%'": True,
        "c like 'abcx%'": True,
        "c like 'abdx%'": False,
        "c like 'abb%'": False,
        "c like 'b%'": False,
        "c = 'abcz'": True,
        "c = 'abdz'": False,
        "c not like 'ab%'": False,
        "c not like 'abc%'": True,
    }.items():
        assert might_match(_bind(text, StringType()), file_facts(metrics)) is expected, text


def test_an_upper_bound_that_was_cut_and_not_rounded_up():
    cut = "a" * 16
    metrics = Metrics(2, {1: 2}, {1: 0}, {}, {1: b"a"}, {1: cut.encode()})
    assert might_match(_bind(f"c = '{cut}zzz'", StringType()), file_facts(metrics))
    assert might_match(_bind(f"c > '{cut}'", StringType()), file_facts(metrics))
    assert not might_match(_bind("c = 'b'", StringType()), file_facts(metrics))
    summary = Summary(lower_bound=b"a", upper_bound=cut.encode())
    judge = partition_filter(_bind(f"c = '{cut}zzz'", StringType()), _spec(Identity()))
    assert judge.manifest_might_match([summary])


def test_decimals_of_38_digits():
    low, high = Decimal("0." + "7" * 38), Decimal("0.9" + "0" * 37)
    type_ = DecimalType(38, 38)
    metrics = Metrics(2, {1: 2}, {1: 0}, {}, {1: encode_bound(low, type_)}, {1: encode_bound(high, type_)})
    assert matches(_bind("c >= 0.5", type_), file_facts(metrics))
    assert not might_match(_bind("c > 0.9", type_), file_facts(metrics))


def test_dates_under_timestamp():
    day = encode_bound(20454, DateType())  # 2026-01-01
    metrics = Metrics(1, {1: 1}, {1: 0}, {}, {1: day}, {1: day})
    for iceberg_type in (TimestampType(), TimestampNanoType()):
        assert matches(_bind("c = DATE '2026-01-01'", iceberg_type), file_facts(metrics))
        assert not might_match(_bind("c > TIMESTAMP '2026-01-01 00:00:00'", iceberg_type), file_facts(metrics))
        assert might_match(_bind("c < TIMESTAMP '2026-01-01 00:00:01'", iceberg_type), file_facts(metrics))


def test_metrics_of_a_dropped_column_do_not_speak_for_its_successor():
    schema = Schema((NestedField(7, "c", IntegerType()),))  # c was id 1 once
    bound = bind(parse_filter("c = 15"), schema)
    assert might_match(bound, file_facts(_int_file()))
    assert not might_match(bound, file_facts(_int_file(), {7: None}))
    assert might_match(bind(parse_filter("c is null"), schema), file_facts(_int_file(), {7: None}))
    assert might_match(bound, file_facts(_int_file(), {7: 15}))


def test_absent_columns_answer_like_stored_nulls():
    metrics = _int_file()
    for text in ("c != 5", "c not in (5, 6)", "c = 5", "not c = 5"):
        assert not might_match(_bind(text, IntegerType()), file_facts(metrics, {1: None}))
    for text, expected in (("c = 'US'", True), ("c != 'US'", False), ("c is not null", True), ("c is null", False)):
        assert might_match(_bind(text, StringType()), file_facts(metrics, {1: "US"})) is expected


def test_a_nested_default_under_null_structs():
    metrics = Metrics(record_count=5)
    facts = file_facts(metrics, {3: 0})
    bound = _bind("s.x = 0", IntegerType())
    assert outcomes(bound, facts) == Outcomes.TRUE | Outcomes.NULL
    assert outcomes(_bind("s.x is null", IntegerType()), facts) == Outcomes.TRUE | Outcomes.FALSE
    assert not might_match(_bind("s.x = 1", IntegerType()), file_facts(metrics, {3: 0}))
    required = Schema((NestedField(2, "s", StructType((NestedField(3, "x", IntegerType()),)), required=True),))
    assert matches(bind(parse_filter("s.x = 0"), required), file_facts(metrics, {3: 0}))


def test_nested_null_counts_may_leave_out_null_structs():
    metrics = Metrics(3, {3: 1}, {3: 0}, {}, {3: encode_bound(1, IntegerType())}, {3: encode_bound(1, IntegerType())})
    assert might_match(_bind("s.x is null", IntegerType()), file_facts(metrics))
    assert not matches(_bind("s.x = 1", IntegerType()), file_facts(metrics))
    assert not might_match(_bind("s.x = 2", IntegerType()), file_facts(metrics))


def test_residual():
    facts = file_facts(_int_file())
    bound = _bind("c > 5 and s.x = 1 or c > 100", IntegerType())
    assert str(residual(bound, facts)) == "s.x = 1"
    assert residual(_bind("c > 5", IntegerType()), facts) == TRUE
    assert residual(_bind("c > 50", IntegerType()), facts) == FALSE
    assert residual(_bind("s.x = 1", IntegerType()), facts) == _bind("s.x = 1", IntegerType())


def test_row_group_statistics():
    wide = {1: ColumnStatistics(1, 3, 0, IntegerType())}
    for text, expected in (("c < 2147483648", True), ("c > -2147483649", True), ("c = 2147483648", False)):
        assert might_match(_bind(text, LongType()), row_group_facts(wide, 3)) is expected
    dates = {1: ColumnStatistics(20454, 20454, 0, DateType())}
    assert might_match(_bind("c = DATE '2026-01-01'", TimestampType()), row_group_facts(dates, 3))
    assert not might_match(_bind("c = DATE '2026-01-02'", TimestampType()), row_group_facts(dates, 3))
    beyond = {1: ColumnStatistics(2**31 - 1, 2**31 - 1, 0, DateType())}  # out of the timestamp's range
    assert might_match(_bind("c = DATE '2026-01-02'", TimestampType()), row_group_facts(beyond, 3))
    odd = {1: ColumnStatistics("a", "b", 0, StringType())}
    assert might_match(_bind("c = 5", IntegerType()), row_group_facts(odd, 3))
    assert might_match(_bind("c = 5", IntegerType()), row_group_facts({}, 3))
    assert not might_match(_bind("c is null", IntegerType()), row_group_facts({}, 0))


# ----------------------------------------------------------------------------------------------------- partitions


def _partition(text, iceberg_type, transform, value, **kwargs):
    return partition_filter(_bind(text, iceberg_type), _spec(transform)).might_match({1000: value}, **kwargs)


@pytest.mark.parametrize(
    ("transform", "iceberg_type", "value", "kept", "skipped"),
    [
        (Identity(), IntegerType(), 5, ["c = 5", "c > 4", "c in (1, 5)", "c is not null"], ["c != 5", "c is null"]),
        (Identity(), StringType(), "us", ["c like 'u%'"], ["c = 'us-east'", "c not like 'u%'"]),
        (Identity(), BooleanType(), True, ["c"], ["not c", "c is null"]),
        (Identity(), DoubleType(), math.nan, ["c is nan", "c > 5"], ["c < 5", "c is not nan", "c is null"]),
        (Identity(), IntegerType(), None, ["c is null"], ["c = 5", "c != 5", "c is not null"]),
        (Truncate(10), IntegerType(), 10, ["c = 19", "c > 18", "c < 11"], ["c = 20", "c = 9", "c > 19", "c < 10"]),
        (Truncate(10), IntegerType(), -10, ["c = -1", "c = -10"], ["c = 0", "c = -11"]),
        (Truncate(10), LongType(), None, ["c is null"], ["c = 0"]),
        (Truncate(50), DecimalType(9, 2), Decimal("10.50"), ["c = 10.99", "c = 10.5"], ["c = 11", "c = 10.49"]),
        (Truncate(3), StringType(), "ice", ["c = 'iceberg'", "c like 'icebe%'"], ["c = 'ic'", "c like 'icy%'"]),
        (Truncate(3), StringType(), "ic", ["c = 'ic'"], ["c = 'iceberg'", "c like 'ice%'", "c != 'ic'"]),
        (Truncate(2), BinaryType(), b"\x01\x02", ["c = X'010203'"], ["c = X'01'", "c = X'0103'"]),
        (Year(), DateType(), 56, ["c = DATE '2026-12-31'"], ["c = DATE '2027-01-01'", "c < DATE '2026-01-01'"]),
        (Month(), TimestampType(), 672, ["c < '2026-01-01T00:00:01'"], ["c >= '2026-02-01'", "c < '2026-01-01'"]),
        (Day(), TimestampType(), 20454, ["c > '2026-01-01T23:59:59'"], ["c > '2026-01-01T23:59:59.999999'"]),
        (Day(), DateType(), -1, ["c = DATE '1969-12-31'"], ["c = DATE '1969-12-30'", "c = DATE '1970-01-01'"]),
        (Hour(), TimestampNanoType(), 1, ["c = '1970-01-01T01:59:59.999999999'"], ["c = '1970-01-01T02:00'"]),
        # up to 0.10.0 Java rounded times before 1970 up: 0 may stand for -1
        (Day(), TimestampType(), 0, ["c = '1969-12-31T10:00'", "c = '1970-01-01'"], ["c = '1969-12-30T23:00'"]),
        (Year(), DateType(), -1, ["c = DATE '1968-05-01'", "c = DATE '1969-05-01'"], ["c = DATE '1970-01-01'"]),
        (Void(), IntegerType(), None, ["c = 5", "c is not null", "c is null"], []),
    ],
)
def test_partition_values(transform, iceberg_type, value, kept, skipped):
    assert [_partition(text, iceberg_type, transform, value) for text in kept] == [True] * len(kept)
    assert [_partition(text, iceberg_type, transform, value) for text in skipped] == [False] * len(skipped)


def test_buckets():
    bucket = apply(Bucket(16), 34, LongType())
    for iceberg_type in (IntegerType(), LongType()):
        kept = [b for b in range(16) if _partition("c = 34", iceberg_type, Bucket(16), b)]
        assert kept == [bucket]
        others = {bucket, apply(Bucket(16), 35, LongType())}
        assert {b for b in range(16) if _partition("c in (34, 35)", iceberg_type, Bucket(16), b)} == others
        assert all(_partition("c > 34 and c != 7", iceberg_type, Bucket(16), b) for b in range(16))
        assert not _partition("c is null", iceberg_type, Bucket(16), 3)
        assert not _partition("c = 34", iceberg_type, Bucket(16), None)


def test_bucket_of_a_date_that_was_promoted():
    days = 20454
    bucket = apply(Bucket(1000), days, DateType())
    assert bucket != apply(Bucket(1000), days * filters.DAY_MICROS, TimestampType())
    assert _partition("c = '2026-01-01'", TimestampType(), Bucket(1000), bucket)


def test_identity_of_a_date_that_was_promoted():
    text = "c = '2026-01-01'"
    assert _partition(text, TimestampType(), Identity(), 20454)  # days or microseconds: nobody said
    assert _partition(text, TimestampType(), Identity(), 20454, value_types={1000: DateType()})
    assert not _partition(text, TimestampType(), Identity(), 20455, value_types={1000: DateType()})
    assert not _partition(text, TimestampType(), Identity(), 20454, value_types={1000: TimestampType()})
    assert not _partition(text, TimestampType(), Identity(), 20455 * filters.DAY_MICROS)


def test_truncate_next_to_the_smallest_int():
    wrapped = apply(Truncate(10), filters.INT_MIN, IntegerType())
    for iceberg_type in (IntegerType(), LongType()):
        assert _partition(f"c = {filters.INT_MIN}", iceberg_type, Truncate(10), wrapped)
        assert _partition(f"c = {filters.INT_MIN}", iceberg_type, Truncate(10), filters.INT_MIN - 2)
    low, high = encode_bound(0, IntegerType()), encode_bound(wrapped, IntegerType())
    judge = partition_filter(_bind(f"c = {filters.INT_MIN}", IntegerType()), _spec(Truncate(10)))
    assert judge.manifest_might_match([Summary(lower_bound=low, upper_bound=high)])


def test_several_fields_on_one_source():
    spec = _spec(Year(), Bucket(4))
    bound = _bind("c = '2026-01-01'", TimestampType())
    bucket = apply(Bucket(4), 20454 * filters.DAY_MICROS, TimestampType())
    judge = partition_filter(bound, spec)
    dates = apply(Bucket(4), 20454, DateType())
    assert judge.might_match({1000: 56, 1001: bucket})
    assert not judge.might_match({1000: 55, 1001: bucket})
    assert [judge.might_match({1000: 56, 1001: b}) for b in range(4)] == [b in (bucket, dates) for b in range(4)]


def test_fields_that_say_nothing():
    bound = _bind("c = 5", IntegerType())
    spec = PartitionSpec(
        0,
        (
            PartitionField((1,), 1000, "a", "zorder[2]"),  # unknown
            PartitionField((99,), 1001, "b", "identity"),  # its column is gone
            PartitionField((1, 2), 1002, "c", "bucket[4]"),  # of several columns
            PartitionField((1,), 1003, "d", "day"),  # not of this type
        ),
    )
    judge = partition_filter(bound, spec)
    assert not judge.sources
    assert judge.might_match({1000: 1, 1001: 7, 1002: 3, 1003: 0})
    assert judge.might_match({})
    assert judge.manifest_might_match([Summary()] * 4)
    assert partition_filter(bound, PartitionSpec(1)).might_match({})
    identity = partition_filter(bound, _spec(Identity()))
    assert identity.might_match({})  # a tuple shorter than the spec
    assert identity.might_match({1000: "not an int"})
    assert not identity.might_match({1000: 6, 2000: 5})


def test_files_of_an_older_spec_are_not_decided_by_a_newer_one():
    bound = _bind("c = 'a'", StringType())
    old, new = PartitionSpec(0), replace(_spec(Identity()), spec_id=1)
    assert partition_filter(bound, old).might_match({})
    assert residual(bound, partition_filter(bound, old).facts({})) == bound
    assert residual(bound, partition_filter(bound, new).facts({1000: "a"})) == TRUE


@pytest.mark.parametrize(
    ("summary", "kept", "skipped"),
    [
        (Summary(False, False, b"\x05\0\0\0", b"\x09\0\0\0"), ["c = 5", "c > 8"], ["c = 4", "c > 9", "c is null"]),
        (Summary(True, False, b"\x05\0\0\0", b"\x09\0\0\0"), ["c is null", "c = 5"], ["c = 4"]),
        (Summary(True, False), ["c is null"], ["c = 5", "c is not null", "c != 5"]),
        (Summary(False, False), ["c = 5", "c is not null"], []),  # impossible: a manifest has files
        (Summary(None, None), ["c = 5", "c is null"], []),
        (Summary(False, False, b"\x09\0\0\0", b"\x05\0\0\0"), ["c = 1", "c = 7", "c = 11"], ["c is null"]),
        (Summary(False, False, None, b"\x05\0\0\0"), ["c = 1"], ["c = 7"]),
        (Summary(False, False, b"\x05", b"\x09"), ["c = 1"], []),
    ],
)
def test_manifest_summaries(summary, kept, skipped):
    for iceberg_type in (IntegerType(), LongType()):
        for text in kept:
            assert partition_filter(_bind(text, iceberg_type), _spec(Identity())).manifest_might_match([summary]), text
        for text in skipped:
            assert not partition_filter(_bind(text, iceberg_type), _spec(Identity())).manifest_might_match([summary])


def test_manifest_summaries_that_do_not_fit_the_spec():
    judge = partition_filter(_bind("c = 1", IntegerType()), _spec(Identity(), Void()))
    fits = Summary(False, False, b"\x05\0\0\0", b"\x09\0\0\0")
    assert not judge.manifest_might_match([fits, Summary(True)])
    assert judge.manifest_might_match([fits])
    assert judge.manifest_might_match([fits, fits, fits])
    assert judge.manifest_might_match(None)


def test_manifest_summaries_of_transforms():
    autumn = Summary(False, False, *(encode_bound(v, IntegerType()) for v in (668, 669)))  # September, October 2025
    judge = partition_filter(_bind("c >= '2025-11-01'", TimestampType()), _spec(Month()))
    assert not judge.manifest_might_match([autumn])
    judge = partition_filter(_bind("c >= '2025-10-31'", TimestampType()), _spec(Month()))
    assert judge.manifest_might_match([autumn])
    buckets = Summary(False, False, *(encode_bound(v, IntegerType()) for v in (3, 5)))
    kept = [
        v
        for v in range(100)
        if partition_filter(_bind(f"c = {v}", LongType()), _spec(Bucket(8))).manifest_might_match([buckets])
    ]
    assert kept == [v for v in range(100) if 3 <= apply(Bucket(8), v, LongType()) <= 5]


def test_manifest_summary_of_nan():
    only_nan = Summary(False, True)
    assert partition_filter(_bind("c > 5", DoubleType()), _spec(Identity())).manifest_might_match([only_nan])
    assert not partition_filter(_bind("c < 5", DoubleType()), _spec(Identity())).manifest_might_match([only_nan])
    one = encode_bound(1.0, FloatType())
    for nan, expected in ((None, True), (True, True), (False, False)):
        judge = partition_filter(_bind("c > 5", DoubleType()), _spec(Identity()))
        assert judge.manifest_might_match([Summary(False, nan, one, one)]) is expected


def test_uuids_in_two_orders():
    low, high = UUID(int=1), UUID(int=2**128 - 1)
    for bounds in ((low, high), (high, low)):  # by bytes, by Java's signed halves
        summary = Summary(False, False, *(encode_bound(v, UUIDType()) for v in bounds))
        judge = partition_filter(_bind(f"c = '{low}'", UUIDType()), _spec(Identity()))
        assert judge.manifest_might_match([summary])
    same = Summary(False, False, *(encode_bound(low, UUIDType()) for _ in range(2)))
    assert not partition_filter(_bind(f"c = '{high}'", UUIDType()), _spec(Identity())).manifest_might_match([same])


def test_a_partition_that_contradicts_the_metrics_skips_nothing_by_itself():
    bound = _bind("c > 0", IntegerType())
    assert partition_filter(bound, _spec(Identity(), Truncate(10))).might_match({1000: 5, 1001: 90})
