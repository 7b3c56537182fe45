"""Read the settings of S3 from properties, in one place, so that Arrow, Polars, DuckDB and our own requests agree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from projector.errors import ProjectorError

_LONGEST_SECONDS = 2_147_483
"""The clients of the stores hold a timeout in milliseconds, as a signed 32-bit number."""

_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


@dataclass(frozen=True, slots=True)
class S3Settings:
    """Settings of S3. They may hold secrets.

    Parameters
    ----------
    endpoint:
        A URL, or a host to reach by HTTPS; None for AWS.
    virtual_hosted:
        Whether the bucket is part of the host name: by `s3.path-style-access`, else by `s3.force-virtual-addressing`.
        None if neither is set.
    connect_timeout, request_timeout:
        In seconds.
    """

    endpoint: str | None
    access_key: str | None
    secret_key: str | None
    session_token: str | None
    region: str | None
    role_arn: str | None
    role_session_name: str | None
    proxy_uri: str | None
    anonymous: bool
    virtual_hosted: bool | None
    connect_timeout: float | None
    request_timeout: float | None

    def __repr__(self) -> str:
        return f"S3Settings(endpoint={self.endpoint!r}, region={self.region!r})"

    @property
    def url(self) -> str | None:
        """The endpoint as a URL."""
        if self.endpoint is None or "://" in self.endpoint:
            return self.endpoint
        return f"https://{self.endpoint}"


def s3_settings(properties: Mapping[str, str]) -> S3Settings:
    """Return the settings of S3 among some properties, `s3.` ones before `client.` ones.

    Raises `ProjectorError` for a value that is not what its setting takes.
    """

    def first(*names: str) -> str | None:
        return next((str(properties[n]) for n in names if properties.get(n)), None)

    virtual: bool | None = None
    if first("s3.path-style-access") is not None:
        virtual = not truth(properties, "s3.path-style-access")
    elif first("s3.force-virtual-addressing") is not None:
        virtual = truth(properties, "s3.force-virtual-addressing")
    return S3Settings(
        endpoint=address(properties, "s3.endpoint"),
        access_key=first("s3.access-key-id", "client.access-key-id"),
        secret_key=first("s3.secret-access-key", "client.secret-access-key"),
        session_token=first("s3.session-token", "client.session-token"),
        region=first("s3.region", "client.region"),
        role_arn=first("s3.role-arn", "client.role-arn"),
        role_session_name=first("s3.role-session-name", "client.role-session-name"),
        proxy_uri=address(properties, "s3.proxy-uri"),
        anonymous=truth(properties, "s3.anonymous"),
        virtual_hosted=virtual,
        connect_timeout=number(properties, "s3.connect-timeout", _LONGEST_SECONDS),
        request_timeout=number(properties, "s3.request-timeout", _LONGEST_SECONDS),
    )


def truth(properties: Mapping[str, str], name: str) -> bool:
    """Return a setting that is on or off; off if it is not set. Raises `ProjectorError` for anything else."""
    value = str(properties.get(name) or "false").strip().lower()
    if value not in (*_TRUE, *_FALSE):
        raise ProjectorError(f"Invalid {name}: {properties[name]!r}", hint="give true or false")
    return value in _TRUE


def address(properties: Mapping[str, str], name: str) -> str | None:
    """Return a setting that is a URL or a host; None if it is not set. Raises `ProjectorError` for a wrong port."""
    value = properties.get(name)
    if not value:
        return None
    try:
        parts = urlsplit(value if "://" in value else f"https://{value}")
        wrong = None if parts.port != 0 else "the port is 0"
    except ValueError as error:
        wrong = str(error)
    if wrong is not None:  # without the value: the URL of a proxy may hold a password
        raise ProjectorError(f"Invalid {name}: {wrong}", hint="give a URL such as https://host:443")
    return value


def number(properties: Mapping[str, str], name: str, most: float) -> float | None:
    """Return a setting that is a positive number, at most `most`; None if it is not set.

    Raises `ProjectorError` for anything else.
    """
    value = properties.get(name)
    if value is None or value == "":
        return None
    try:
        found = float(value)
    except (ValueError, TypeError, OverflowError):
        found = math.nan
    if not 0 < found <= most:
        text = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:60]}..."
        raise ProjectorError(f"Invalid {name}: {text}", hint=f"give a positive number up to {most}")
    return found
