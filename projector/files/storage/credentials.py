"""Settings of a store that come from a catalog and run out: short-lived credentials, renewed before they do."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from threading import RLock

_EXPIRY = re.compile(r"(?:.*\.)?(?:.*expires-at(?:-ms)?(?:\..*)?|expiration-time)")
_MARGIN_SECONDS = 300.0
"""How long before credentials expire they are renewed, at most; of short-lived ones a fifth of their time."""


class ExpiringProperties(Mapping[str, str]):
    """A mapping whose values are asked for anew shortly before they expire. Never shows a value in its text.

    Parameters
    ----------
    properties:
        The settings at hand. When they expire is told by a property such as `s3.session-token-expires-at-ms`,
        `gcs.oauth2.token-expires-at` or `adls.sas-token-expires-at-ms.<account>`, in milliseconds from 1970-01-01 UTC;
        without one they are renewed only where a store refuses them.
    renewed:
        Gives the settings as they are now. What it raises is raised by whoever looks at the mapping.
    clock:
        The present time in seconds from 1970-01-01 UTC.
    """

    def __init__(
        self,
        properties: Mapping[str, str],
        renewed: Callable[[], Mapping[str, str]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._renewed = renewed
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
        """The settings, renewed where that is due."""
        with self._lock:
            if self._due is not None and self._clock() >= self._due:
                self._take(self._renewed())
            return self._properties

    def renew(self) -> bool:
        """Renew the settings now; whether any of them has changed."""
        with self._lock:
            before = self._properties
            self._take(self._renewed())
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
    """The time at which the first of some properties expires, in seconds from 1970-01-01 UTC; None where none does."""
    # A float: a number too large for one is infinite, and never comes.
    times = [float(v) / 1000 for k, v in properties.items() if _EXPIRY.fullmatch(k) and str(v).strip().isdecimal()]
    return min(times, default=None)
