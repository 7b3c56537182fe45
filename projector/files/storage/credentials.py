"""Settings of a store that expire: short-lived credentials from a catalog, renewed in time."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from threading import RLock

_EXPIRY = re.compile(r"(?:.*\.)?(?:.*expires-at(?:-ms)?(?:\..*)?|expiration-time)")
_MARGIN_SECONDS = 300.0
"""Credentials are renewed this long before they expire, or after four fifths of their lifetime if that is later."""


class ExpiringProperties(Mapping[str, str]):
    """A mapping that renews its values shortly before they expire. Its `repr` never contains a value.

    Parameters
    ----------
    properties:
        The current settings. A property such as `s3.session-token-expires-at-ms`, `gcs.oauth2.token-expires-at` or
        `adls.sas-token-expires-at-ms.<account>` says when they expire, in milliseconds from 1970-01-01 UTC. Without
        one they are renewed only if a store rejects them.
    fetch:
        Returns fresh settings. Its exceptions propagate to the caller of the mapping.
    clock:
        Returns the current time in seconds from 1970-01-01 UTC.
    """

    def __init__(
        self,
        properties: Mapping[str, str],
        fetch: Callable[[], Mapping[str, str]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self._lock = RLock()
        self._take(properties)

    def _take(self, properties: Mapping[str, str]) -> None:
        expiry = expires_at(properties)
        self._properties = dict(properties)
        if expiry is None:
            self._due: float | None = None
        else:
            now = self._clock()
            self._due = max(expiry - min(_MARGIN_SECONDS, max(expiry - now, 0.0) / 5), now)

    def current(self) -> dict[str, str]:
        """Return the settings, renewed if they are about to expire."""
        with self._lock:
            if self._due is not None and self._clock() >= self._due:
                self._take(self._fetch())
            return self._properties

    def renew(self) -> bool:
        """Renew the settings now. Return whether any of them changed."""
        with self._lock:
            before = self._properties
            self._take(self._fetch())
            return self._properties != before

    def __getitem__(self, key: str) -> str:
        return self.current()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.current())

    def __len__(self) -> int:
        return len(self._properties)

    def __repr__(self) -> str:
        return f"ExpiringProperties({', '.join(sorted(self._properties))})"


def expires_at(properties: Mapping[str, str]) -> float | None:
    """Return when the first of some properties expires, in seconds from 1970-01-01 UTC; None if none does."""
    # As floats: a number that is too large becomes infinity, which never expires.
    times = [float(v) / 1000 for k, v in properties.items() if _EXPIRY.fullmatch(k) and str(v).strip().isdecimal()]
    return min(times, default=None)
