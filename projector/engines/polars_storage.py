"""Where Polars reads: paths as it takes them, and the properties of object stores by the names that it knows."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from projector.files.locations import parse_location

_PLAIN_KEY = re.compile(r"[A-Za-z0-9/_.=+,@ -]*")
"""Object keys that no client decodes or encodes."""

_S3 = {
    "s3.endpoint": "aws_endpoint_url",
    "s3.access-key-id": "aws_access_key_id",
    "s3.secret-access-key": "aws_secret_access_key",
    "s3.session-token": "aws_session_token",
    "s3.region": "aws_region",
    "client.access-key-id": "aws_access_key_id",
    "client.secret-access-key": "aws_secret_access_key",
    "client.session-token": "aws_session_token",
    "client.region": "aws_region",
}
_GCS = {"gcs.oauth2.token": "bearer_token", "gcs.service.host": "base_url"}
_AZURE = {
    "adls.account-name": "azure_storage_account_name",
    "adls.account-key": "azure_storage_account_key",
    "adls.sas-token": "azure_storage_sas_token",
    "adls.tenant-id": "azure_storage_tenant_id",
    "adls.client-id": "azure_storage_client_id",
    "adls.client-secret": "azure_storage_client_secret",
}
_NAMES = {"s3": _S3, "gs": _GCS, "abfs": _AZURE}


def polars_path(location: str) -> str | None:
    """A location as Polars opens it; None where it cannot, or might open another one."""
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
    """The settings of a store, by Polars' names, from properties by pyiceberg's. They may hold secrets.

    `s3.` properties go before `client.` ones. Settings that Polars has no name for are left out.
    """
    names = _NAMES.get(scheme, {})
    found: dict[str, str] = {}
    for name, theirs in names.items():
        value = properties.get(name)
        if value:
            found.setdefault(theirs, value)
    if scheme == "s3":
        endpoint = found.get("aws_endpoint_url", "")
        if endpoint and "://" not in endpoint:
            found["aws_endpoint_url"] = endpoint = f"https://{endpoint}"
        if endpoint.startswith("http://"):
            found["aws_allow_http"] = "true"
        style = _virtual_hosted(properties)
        if style is not None:
            found["aws_virtual_hosted_style_request"] = style
        if _is_true(properties.get("s3.anonymous")):
            found["aws_skip_signature"] = "true"
    return found


def _virtual_hosted(properties: Mapping[str, str]) -> str | None:
    if "s3.path-style-access" in properties:
        return "false" if _is_true(properties["s3.path-style-access"]) else "true"
    if "s3.force-virtual-addressing" in properties:
        return "true" if _is_true(properties["s3.force-virtual-addressing"]) else "false"
    return None


def _is_true(value: object) -> bool:
    return str(value).strip().lower() in ("true", "1", "yes")
