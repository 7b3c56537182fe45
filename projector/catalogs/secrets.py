"""Remove secrets, such as those among a catalog's settings, from texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

HIDDEN = "***"
"""The replacement for a secret."""

_SECRET = re.compile(r"secret|token|password|passphrase|credential|sas|account-key|private|signature", re.IGNORECASE)
_NOT_SECRET = re.compile(r"expire|-ur[il]$|endpoint|enabled|provider|\brole", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)[^/@\s'\"]+(?=@)")
_HEADER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}")
_SHORTEST = 4


def redacted(text: str, settings: Mapping[str, Any]) -> str:
    """Return a text in one line, without the secrets of some settings and without passwords in URLs.

    Parameters
    ----------
    settings:
        Properties by name. They may be nested, as in a configuration file.
    """
    for secret in sorted(set(secrets_of(settings)), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    text = _HEADER.sub(lambda found: f"{found[1]} {HIDDEN}", text)
    return " ".join(_USER_INFO.sub(HIDDEN, text).split())


def secrets_of(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the values of settings whose names mark them as secret; of `id:secret`, the second part as well."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from secrets_of(value)
        elif is_secret(str(key)) and isinstance(value, str) and len(value) >= _SHORTEST:
            yield value
            last = value.rpartition(":")[2]
            if len(last) >= _SHORTEST:
                yield last


def is_secret(name: str) -> bool:
    """Return whether the name of a setting marks its value as secret."""
    return bool(_SECRET.search(name)) and not _NOT_SECRET.search(name)
