"""Parse and format ISO 8601 dates, times and timestamps, over the whole range of Iceberg's numbers.

`datetime` ends at the years 1 and 9999 and at microseconds; an Iceberg date reaches five million years either way and
nanosecond timestamps have nine digits. Text is read and written as Java's `ISO_LOCAL_*` formats do: four-digit years,
a sign before longer or negative ones, seconds optional on input, as many digits of the fraction as it needs on output.

Functions raise `ValueError` with a reason; callers name the field.
"""

from __future__ import annotations

import re

SECONDS_PER_DAY = 86_400
MICROS_PER_SECOND = 1_000_000
NANOS_PER_SECOND = 1_000_000_000

_DATE = r"(?P<year>[+-][0-9]{4,10}|[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_TIME = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{0,9}))?)?"
_OFFSET = r"(?P<offset>Z|[+-][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?"
_DATE_PATTERN = re.compile(_DATE)
_TIME_PATTERN = re.compile(_TIME)
_TIMESTAMP_PATTERN = re.compile(f"{_DATE}[Tt]{_TIME}{_OFFSET}")
_DAYS_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_MONTH_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS_PER_ERA = 146_097  # 400 years
_DAYS_TO_EPOCH = 719_162  # from 0001-01-01 to 1970-01-01


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_from_date(year: int, month: int, day: int) -> int:
    """Return the days from 1970-01-01 to a date of the proleptic Gregorian calendar; year 0 precedes year 1."""
    if not 1 <= month <= 12:
        raise ValueError(f"month {month} is not 1 to 12")
    leap = _is_leap(year)
    length = 29 if month == 2 and leap else _MONTH_LENGTHS[month - 1]
    if not 1 <= day <= length:
        raise ValueError(f"day {day} is not 1 to {length}")
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400
    return days + _DAYS_BEFORE_MONTH[month - 1] + (1 if leap and month > 2 else 0) + day - 1 - _DAYS_TO_EPOCH


def date_from_days(days: int) -> tuple[int, int, int]:
    """Return the year, month and day that is `days` after 1970-01-01, the reverse of `days_from_date`."""
    era, rest = divmod(days + _DAYS_TO_EPOCH, _DAYS_PER_ERA)
    # Within 400 years: guess the year, then step back: a leap day can make the guess one year too late.
    year = rest * 400 // _DAYS_PER_ERA
    while rest < year * 365 + year // 4 - year // 100:
        year -= 1
    rest -= year * 365 + year // 4 - year // 100
    year += 1
    leap = _is_leap(year)
    if rest >= (366 if leap else 365):
        rest -= 366 if leap else 365
        year += 1
        leap = _is_leap(year)
    month = 1
    for length in _MONTH_LENGTHS:
        length += 1 if month == 2 and leap else 0
        if rest < length:
            break
        rest -= length
        month += 1
    return era * 400 + year, month, rest + 1


def parse_date(text: str) -> int:
    """Return the days from 1970-01-01 to an ISO date, for example `2017-11-16`."""
    m = _DATE_PATTERN.fullmatch(text)
    if m is None:
        raise ValueError("not an ISO date like 2017-11-16")
    return _days(m)


def _days(m: re.Match[str]) -> int:
    return days_from_date(int(m["year"]), int(m["month"]), int(m["day"]))


def format_date(days: int) -> str:
    """Return the ISO text of a date in days from 1970-01-01."""
    year, month, day = date_from_days(days)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


def _ticks_of_day(m: re.Match[str], per_second: int) -> int:
    hour, minute, second = int(m["hour"]), int(m["minute"]), int(m["second"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError("not a time of day")
    digits = 6 if per_second == MICROS_PER_SECOND else 9
    fraction = (m["fraction"] or "").ljust(digits, "0")
    if fraction[digits:].strip("0"):
        raise ValueError(f"more than {digits} digits after the second")
    return (hour * 3600 + minute * 60 + second) * per_second + int(fraction[:digits])


def parse_time(text: str) -> int:
    """Return the microseconds from midnight of an ISO time, for example `22:31:08.123456`."""
    m = _TIME_PATTERN.fullmatch(text)
    if m is None:
        raise ValueError("not an ISO time like 22:31:08.123456")
    return _ticks_of_day(m, MICROS_PER_SECOND)


def _format_time(ticks: int, per_second: int) -> str:
    seconds, fraction = divmod(ticks, per_second)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if fraction:
        text += "." + f"{fraction:0{6 if per_second == MICROS_PER_SECOND else 9}d}".rstrip("0")
    return text


def format_time(micros: int) -> str:
    """Return the ISO text of a time in microseconds from midnight."""
    return _format_time(micros, MICROS_PER_SECOND)


def parse_timestamp(text: str, per_second: int) -> tuple[int, str | None]:
    """Return the ticks (`per_second` a second) of an ISO timestamp from 1970-01-01T00:00:00, and its offset as written.

    The ticks are UTC if the text has an offset, and local time if the offset is None.
    """
    m = _TIMESTAMP_PATTERN.fullmatch(text)
    if m is None:
        raise ValueError("not an ISO timestamp like 2017-11-16T22:31:08.123456")
    ticks = _days(m) * SECONDS_PER_DAY * per_second + _ticks_of_day(m, per_second)
    offset = m["offset"]
    return ticks - _offset_seconds(offset) * per_second, offset


def _offset_seconds(offset: str | None) -> int:
    if offset is None or offset == "Z":
        return 0
    hours, minutes, seconds = [int(part) for part in offset[1:].split(":")] + [0] * (2 - offset.count(":"))
    if hours > 18 or minutes > 59 or seconds > 59:
        raise ValueError(f"{offset} is not a zone offset")
    return (-1 if offset[0] == "-" else 1) * (hours * 3600 + minutes * 60 + seconds)


def format_timestamp(ticks: int, per_second: int) -> str:
    """Return the ISO text, without offset, of a timestamp in ticks from 1970-01-01T00:00:00."""
    days, rest = divmod(ticks, SECONDS_PER_DAY * per_second)
    return f"{format_date(days)}T{_format_time(rest, per_second)}"
