"""ISO text over the whole range of Iceberg's numbers, against Python's calendar where that reaches."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.schema import iso_text
from projector.schema.iso_text import MICROS_PER_SECOND, NANOS_PER_SECOND
from tests.schema.strategies import int64

EPOCH = datetime(1970, 1, 1)


@given(st.dates())
def test_dates_are_those_of_the_calendar(day: date) -> None:
    days = day.toordinal() - EPOCH.toordinal()
    assert iso_text.days_from_date(day.year, day.month, day.day) == days
    assert iso_text.date_from_days(days) == (day.year, day.month, day.day)
    assert iso_text.format_date(days) == day.isoformat()


@given(st.integers(-(2**40), 2**40))
def test_dates_go_round(days: int) -> None:
    year, month, day = iso_text.date_from_days(days)
    assert iso_text.days_from_date(year, month, day) == days


@given(st.integers(-(2**31), 2**31 - 1))
def test_the_calendar_repeats_every_400_years(days: int) -> None:
    year, month, day = iso_text.date_from_days(days)
    assert iso_text.date_from_days(days + 146_097) == (year + 400, month, day)


@given(st.datetimes())
def test_timestamps_are_those_of_the_calendar(moment: datetime) -> None:
    micros = (moment - EPOCH) // timedelta(microseconds=1)
    assert iso_text.parse_timestamp(moment.isoformat(), MICROS_PER_SECOND) == (micros, None)
    assert datetime.fromisoformat(iso_text.format_timestamp(micros, MICROS_PER_SECOND).ljust(19)) == moment


@given(int64, st.sampled_from([MICROS_PER_SECOND, NANOS_PER_SECOND]))
def test_timestamps_go_round(ticks: int, per_second: int) -> None:
    text = iso_text.format_timestamp(ticks, per_second)
    assert iso_text.parse_timestamp(text, per_second) == (ticks, None)


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00+00:00", 0),
        ("1970-01-01T02:00:00+02:00", 0),
        ("1969-12-31T19:00:00-05:00", 0),
        ("1970-01-01T05:30+05:30", 0),
        ("1970-01-01T00:19:32+00:19:32", 0),
    ],
)
def test_offsets_are_taken_off(text: str, micros: int) -> None:
    ticks, offset = iso_text.parse_timestamp(text, MICROS_PER_SECOND)
    assert ticks == micros
    assert offset is not None
    assert text.endswith(offset)


@pytest.mark.parametrize("text", ["1970-01-01T00:00:00+19:00", "1970-01-01T00:00:00+00:60", "1970-01-01T00:00:00+0000"])
def test_bad_offsets(text: str) -> None:
    with pytest.raises(ValueError, match=r"offset|ISO"):
        iso_text.parse_timestamp(text, MICROS_PER_SECOND)
