"""Retry requests to an object store that fail for a passing reason, a few times and with growing waits."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

ATTEMPTS = 3
"""How often a request is made. The store's own client retries within each."""

_FIRST_WAIT_SECONDS = 0.2
_TRANSIENT = re.compile(
    r"NETWORK_CONNECTION|SLOW_DOWN|THROTTLING|INTERNAL_FAILURE|SERVICE_UNAVAILABLE|REQUEST_TIMEOUT|REQUEST_TIME_TOO_SKEWED"
    r"|HTTP status (?:429|5\d\d)|curlCode|[Tt]imed? ?out|[Tt]imeout|Connection (?:reset|refused|closed|aborted)"
    r"|[Cc]ouldn't connect|temporarily unavailable|Broken pipe"
)
_STORES = re.compile(r"\b(?:AWS Error|google::cloud\b|GcsFileSystem|Azure|HDFS)|\bin bucket '")
"""The names by which the errors of pyarrow's file systems can be recognised."""

_DENIED = re.compile(
    r"ACCESS_DENIED|EXPIRED_TOKEN|ExpiredToken|INVALID_ACCESS_KEY_ID|INVALID_CLIENT_TOKEN_ID|TokenRefreshRequired"
    r"|UNRECOGNIZED_CLIENT|HTTP status 40[13]|[Ff]orbidden|[Uu]nauthori[sz]ed|AuthenticationFailed|token.{0,20}expired"
)


def is_transient(error: Exception) -> bool:
    """Return whether a store failed to answer, so that the same request may succeed later. A rejection is an answer."""
    if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError | NotADirectoryError):
        return False
    return isinstance(error, OSError) and _TRANSIENT.search(str(error)) is not None


def is_of_store(error: Exception) -> bool:
    """Return whether a store or a disk failed to deliver the bytes of a file, which may be sound."""
    if not isinstance(error, OSError):
        return False
    return error.errno is not None or is_transient(error) or is_denied(error) or _STORES.search(str(error)) is not None


def is_denied(error: Exception) -> bool:
    """Return whether a store rejected the credentials."""
    return isinstance(error, PermissionError) or (isinstance(error, OSError) and bool(_DENIED.search(str(error))))


def with_retries(
    work: Callable[[], T], *, renew: Callable[[], bool] | None = None, wait: Callable[[float], None] = time.sleep
) -> T:
    """Call `work` and return its result. Retry if the store does not answer.

    Parameters
    ----------
    renew:
        Gets new credentials and returns whether they changed. Called once at most, if the store rejects the old ones.
    wait:
        Waits for some seconds.

    Raises what `work` raises, at the last attempt or if a retry cannot help.
    """
    failures, renewed = 0, renew is None
    while True:
        try:
            return work()
        except OSError as error:
            if not renewed and renew is not None and is_denied(error):
                renewed = True
                if renew():
                    continue
            failures += 1
            if failures >= ATTEMPTS or not is_transient(error):
                raise
        wait(random.uniform(0.5, 1) * _FIRST_WAIT_SECONDS * 2 ** (failures - 1))
