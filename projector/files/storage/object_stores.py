"""Make pyarrow's file systems of object stores from properties with pyiceberg's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from projector.files.storage.locations import Location
from projector.files.storage.s3_settings import address, number, s3_settings, truth

S3_ATTEMPTS = 5
"""How often the S3 client sends a request that fails or times out, with growing waits."""

LAST_INSTANT_MS = 253_402_300_799_000
"""The last second of the year 9999 in milliseconds from 1970-01-01 UTC, the unit of expiry times."""

_LAST_PORT = 65_535


def _s3(_: Location, properties: Mapping[str, str]) -> Any:
    from pyarrow import fs

    found = s3_settings(properties)
    options: dict[str, Any] = {
        "endpoint_override": found.endpoint,
        "access_key": found.access_key,
        "secret_key": found.secret_key,
        "session_token": found.session_token,
        "region": found.region,
        "role_arn": found.role_arn,
        "session_name": found.role_session_name,
        "proxy_options": found.proxy_uri,
        "connect_timeout": found.connect_timeout,
        "request_timeout": found.request_timeout,
        "force_virtual_addressing": found.virtual_hosted,
        "anonymous": found.anonymous or None,
        "retry_strategy": fs.AwsStandardS3RetryStrategy(max_attempts=S3_ATTEMPTS),
    }
    return fs.S3FileSystem(**{name: value for name, value in options.items() if value is not None})


def _gcs(_: Location, properties: Mapping[str, str]) -> Any:
    from datetime import UTC, datetime

    from pyarrow import fs

    options: dict[str, Any] = {}
    if token := properties.get("gcs.oauth2.token"):
        expires = number(properties, "gcs.oauth2.token-expires-at", LAST_INSTANT_MS) or LAST_INSTANT_MS
        options["access_token"] = token
        options["credential_token_expiration"] = datetime.fromtimestamp(expires / 1000, UTC)
    if project := properties.get("gcs.project-id"):
        options["project_id"] = project
    if host := address(properties, "gcs.service.host"):
        scheme, separator, rest = host.partition("://")
        options |= {"scheme": scheme, "endpoint_override": rest} if separator else {"endpoint_override": host}
    if truth(properties, "gcs.anonymous"):
        options["anonymous"] = True
    return fs.GcsFileSystem(**options)


def _azure(location: Location, properties: Mapping[str, str]) -> Any:
    from pyarrow import fs

    host = location.authority.partition("@")[2]
    options = {
        "account_name": properties.get("adls.account-name") or host.partition(".")[0],
        "account_key": properties.get("adls.account-key"),
        "sas_token": properties.get("adls.sas-token"),
        "tenant_id": properties.get("adls.tenant-id"),
        "client_id": properties.get("adls.client-id"),
        "client_secret": properties.get("adls.client-secret"),
        "blob_storage_authority": properties.get("adls.blob-storage-authority"),
        "dfs_storage_authority": properties.get("adls.dfs-storage-authority"),
        "blob_storage_scheme": properties.get("adls.blob-storage-scheme"),
        "dfs_storage_scheme": properties.get("adls.dfs-storage-scheme"),
    }
    return fs.AzureFileSystem(**{name: value for name, value in options.items() if value})


def _hdfs(location: Location, properties: Mapping[str, str]) -> Any:
    from pyarrow import fs

    host, _, port = location.authority.partition(":")
    return fs.HadoopFileSystem(
        host=properties.get("hdfs.host") or host or "default",
        port=int(number({"hdfs.port": properties.get("hdfs.port") or port}, "hdfs.port", _LAST_PORT) or 0),
        user=properties.get("hdfs.user"),
        kerb_ticket=properties.get("hdfs.kerberos_ticket"),
    )


STORES: dict[str, Callable[[Location, Mapping[str, str]], Any]] = {
    "s3": _s3,
    "gs": _gcs,
    "abfs": _azure,
    "wasb": _azure,
    "hdfs": _hdfs,
    "viewfs": _hdfs,
}
"""The supported stores, by the shortest name of their scheme."""
