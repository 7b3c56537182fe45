"""Let DuckDB read S3 itself, if its extension httpfs is installed and the settings hold static credentials.

projector never installs the extension. Credentials vended by a catalog expire and are renewed, but a DuckDB secret is
not: the Arrow executor reads files that need them, as it reads all files in S3 if the extension is missing.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from projector.engines.duckdb.storage import duckdb_path
from projector.engines.duckdb.types import identifier, text
from projector.files.storage.credentials import ExpiringProperties
from projector.files.storage.locations import parse_location
from projector.files.storage.s3_settings import s3_settings

if TYPE_CHECKING:
    import duckdb

_PLAIN_KEY = re.compile(r"[A-Za-z0-9/_.=-]+")
"""Object keys without characters that act as patterns, or that a request would escape."""

_SALT = os.urandom(16)
"""Keeps credentials from being guessed from the names of the secrets that hold them."""


def paths_on(
    connection: duckdb.DuckDBPyConnection, properties: Mapping[str, str], local_only: bool = False
) -> Callable[[str], str | None]:
    """Return a function from a location to the path by which a connection reads it; None if it cannot read it.

    The first location in a bucket creates the connection's secret for that bucket, if the settings allow one.
    """
    buckets: dict[str, bool] = {}

    def path(location: str) -> str | None:
        local = duckdb_path(location)
        if local is not None or local_only:
            return local
        parsed = parse_location(location)
        if parsed.scheme != "s3" or not _PLAIN_KEY.fullmatch(parsed.path):
            return None
        ready = buckets.get(parsed.authority)
        if ready is None:
            ready = buckets[parsed.authority] = _make_ready(connection, properties, parsed.authority)
        return f"s3://{parsed.authority}{parsed.path}" if ready else None

    return path


def _make_ready(connection: duckdb.DuckDBPyConnection, properties: Mapping[str, str], bucket: str) -> bool:
    """Prepare a connection to read a bucket, and return whether it can."""
    import duckdb

    if isinstance(properties, ExpiringProperties) or not _PLAIN_KEY.fullmatch(bucket):
        return False
    options = _secret(properties)
    if options is None:
        return False
    try:
        ((installed, loaded),) = connection.execute(
            "SELECT bool_or(installed), bool_or(loaded) FROM duckdb_extensions() WHERE extension_name = 'httpfs'"
        ).fetchall()
        if not (installed or loaded):
            return False
        if not loaded:
            connection.execute("LOAD httpfs")
        mark = hashlib.sha256(_SALT + repr((bucket, sorted(options.items()))).encode()).hexdigest()[:16]
        given = ", ".join(f"{name} {value}" for name, value in options.items())
        connection.execute(
            f"CREATE TEMPORARY SECRET IF NOT EXISTS {identifier(f'projector {mark}')} "
            f"(TYPE s3, PROVIDER config, SCOPE {text(f's3://{bucket}/')}, {given})"
        )
    except duckdb.Error:  # its message may contain the credentials
        return False
    return True


def _secret(properties: Mapping[str, str]) -> dict[str, str] | None:
    """Return the options of a secret; None if the settings lack credentials, or need more than a secret can express."""
    found = s3_settings(properties)
    if found.access_key is None or found.secret_key is None or found.role_arn or found.proxy_uri or found.anonymous:
        return None
    options = {"KEY_ID": text(found.access_key), "SECRET": text(found.secret_key)}
    if found.session_token:
        options["SESSION_TOKEN"] = text(found.session_token)
    if found.region:
        options["REGION"] = text(found.region)
    if found.url is not None:
        scheme, _, host = found.url.rstrip("/").partition("://")
        options["ENDPOINT"] = text(host)
        options["USE_SSL"] = "false" if scheme == "http" else "true"
    if found.url is not None or found.virtual_hosted is not None:
        options["URL_STYLE"] = text("vhost" if found.virtual_hosted else "path")
    return options
