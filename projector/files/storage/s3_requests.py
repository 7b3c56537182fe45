"""Read the end of an S3 object by a single signed request. pyarrow needs two: it looks up the size first.

This works only if the credentials are given outright, as properties or in the environment. pyarrow handles all other
ways to sign in and all other requests. Signatures follow AWS Signature Version 4.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import local
from urllib.parse import quote, urlsplit

from projector.files.storage.s3_settings import s3_settings
from projector.files.storage.tails import Tail

_EMPTY = hashlib.sha256(b"").hexdigest()
_PASSING = frozenset((429, 500, 502, 503, 504))


class Refused(Exception):
    """The store gave an answer that pyarrow may be able to handle, or to explain.

    `is_of_the_store` is set if the store would answer all requests so: a wrong signature, another region.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status} {reason}")
        self.is_of_the_store = status not in (200, 206, 404, 416)


class _Held:
    """The connection of a thread. Closed when the thread ends."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        self.connection.close()


@dataclass(frozen=True)
class S3Requests:
    """Sends signed requests to one endpoint, over one connection for each thread.

    Parameters
    ----------
    endpoint:
        `http://host:port` or `https://host`; the bucket goes into the path.
    """

    endpoint: str
    region: str
    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    _threads: local = field(default_factory=local, init=False, repr=False, compare=False)

    def tail(self, bucket: str, key: str, length: int) -> Tail:
        """Read the last bytes of an object.

        Raises `OSError` if the store does not answer, `Refused` if the answer is not the end of the object.
        """
        path = "/" + quote(f"{bucket}/{key}", safe="/-_.~")
        headers = {**self._signed(path), "Range": f"bytes=-{length}"}
        try:
            connection = self._connection()
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            data = response.read()
        except (OSError, http.client.HTTPException) as error:
            self._forget_connection()
            raise OSError(f"Connection closed: {type(error).__name__} {error}".strip()) from None
        if response.will_close:
            self._forget_connection()
        if response.status in _PASSING:
            raise OSError(f"HTTP status {response.status} {response.reason}")
        if response.status == 200:  # all of it: the object is shorter, or the store does not support ranges
            return Tail(data[-length:], len(data), None)
        size = (response.getheader("Content-Range") or "").rpartition("/")[2]
        if response.status != 206 or not size.isdecimal() or len(data) != min(length, int(size)):
            raise Refused(response.status, response.reason)
        return Tail(data, int(size), None)

    def _connection(self) -> http.client.HTTPConnection:
        found: _Held | None = getattr(self._threads, "held", None)
        if found is None:
            parts = urlsplit(self.endpoint)
            made: http.client.HTTPConnection
            if parts.scheme == "https":
                context = ssl.create_default_context()
                made = http.client.HTTPSConnection(parts.netloc, timeout=self.timeout, context=context)
            else:
                made = http.client.HTTPConnection(parts.netloc, timeout=self.timeout)
            found = self._threads.held = _Held(made)
        return found.connection

    def _forget_connection(self) -> None:
        found: _Held | None = getattr(self._threads, "held", None)
        if found is not None:
            found.connection.close()
            self._threads.held = None

    def _signed(self, path: str) -> dict[str, str]:
        """Return the headers of a GET request. The signature need not cover the range, and does not."""
        now = datetime.now(UTC)
        moment, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
        headers = {"host": urlsplit(self.endpoint).netloc, "x-amz-content-sha256": _EMPTY, "x-amz-date": moment}
        if self.session_token:
            headers["x-amz-security-token"] = self.session_token
        names = ";".join(sorted(headers))
        listed = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
        request = f"GET\n{path}\n\n{listed}\n{names}\n{_EMPTY}"
        scope = f"{day}/{self.region}/s3/aws4_request"
        text = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
        key = f"AWS4{self.secret_key}".encode()
        for part in (day, self.region, "s3", "aws4_request"):
            key = hmac.digest(key, part.encode(), "sha256")
        signature = hmac.digest(key, text.encode(), "sha256").hex()
        credential = f"Credential={self.access_key}/{scope}"
        authorization = f"AWS4-HMAC-SHA256 {credential}, SignedHeaders={names}, Signature={signature}"
        return {**headers, "Authorization": authorization}


def s3_requests(properties: Mapping[str, str]) -> S3Requests | None:
    """Return a client if credentials are given outright; None if pyarrow has to find out how to sign in."""
    found = s3_settings(properties)
    if found.role_arn or found.proxy_uri or found.anonymous or found.virtual_hosted:
        return None
    access, secret, token = found.access_key, found.secret_key, found.session_token
    if access is None and secret is None:
        env = os.environ.get
        access, secret, token = env("AWS_ACCESS_KEY_ID"), env("AWS_SECRET_ACCESS_KEY"), env("AWS_SESSION_TOKEN")
    region = found.region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if not access or not secret or (found.url is None and region is None):
        return None
    endpoint = found.url or f"https://s3.{region}.amazonaws.com"
    timeout = found.request_timeout or 60
    return S3Requests(endpoint.rstrip("/"), region or "us-east-1", access, secret, token, timeout)
