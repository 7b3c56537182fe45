"""Paths in the form in which Polars opens them, and store settings by the names that Polars knows."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from projector.files.storage.locations import parse_location
from projector.files.storage.s3_settings import S3Settings, s3_settings

_PLAIN_KEY = re.compile(r"[A-Za-z0-9/_.=+,@ -]*")
"""Object keys that clients neither decode nor encode."""

_GCS = {"gcs.oauth2.token": "bearer_token", "gcs.service.host": "base_url"}
_AZURE = {
    "adls.account-name": "azure_storage_account_name",
    "adls.account-key": "azure_storage_account_key",
    "adls.sas-token": "azure_storage_sas_token",
    "adls.tenant-id": "azure_storage_tenant_id",
    "adls.client-id": "azure_storage_client_id",
    "adls.client-secret": "azure_storage_client_secret",
}
_NAMES: Mapping[str, Mapping[str, str]] = {"s3": {}, "gs": _GCS, "abfs": _AZURE}


def polars_path(location: str) -> str | None:
    """Return a location in the form in which Polars opens it; None if it cannot, or might open another one."""
    if location.startswith("/"):
        return location
    parsed = parse_location(location)
    if parsed.is_local:
        return None if parsed.authority else os.path.abspath(parsed.path)
    if parsed.scheme not in _NAMES or not _PLAIN_KEY.fullmatch(parsed.path):
        return None
    scheme = location.partition(":")[0].lower() if parsed.scheme == "abfs" else parsed.scheme
    return f"{scheme}://{parsed.authority}{parsed.path}"


def storage_options(scheme: str, properties: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a store by Polars' names, from properties by pyiceberg's. They may hold secrets.

    `s3.` properties override `client.` ones. Settings without a name in Polars are dropped.
    """
    if scheme == "s3":
        return _s3_options(s3_settings(properties))
    found: dict[str, str] = {}
    for name, theirs in _NAMES.get(scheme, {}).items():
        value = properties.get(name)
        if value:
            found.setdefault(theirs, value)
    return found


def _s3_options(settings: S3Settings) -> dict[str, str]:
    options = {
        "aws_endpoint_url": settings.url,
        "aws_access_key_id": settings.access_key,
        "aws_secret_access_key": settings.secret_key,
        "aws_session_token": settings.session_token,
        "aws_region": settings.region,
        "aws_allow_http": "true" if (settings.url or "").startswith("http://") else None,
        "aws_virtual_hosted_style_request": _spelled(settings.virtual_hosted),
        "aws_skip_signature": "true" if settings.anonymous else None,
    }
    return {name: value for name, value in options.items() if value}


def _spelled(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()
