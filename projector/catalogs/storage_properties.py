"""The settings of object stores among those of a catalog, and those that it vends for one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from projector.errors import UnsupportedError
from projector.files.storage.locations import canonical, relative_to

_PREFIXES = ("s3.", "client.", "gcs.", "adls.", "hdfs.")
_KEYS = ("s3.access-key-id", "client.access-key-id")


def storage_properties(settings: Mapping[str, Any]) -> dict[str, str]:
    """Those settings that are about object stores. What is not text, such as a session, stays behind."""
    return {
        key: value
        for key, value in settings.items()
        if isinstance(value, str) and (key.startswith(_PREFIXES) or key == "expiration-time")
    }


def vended_properties(response: Mapping[str, Any], location: str) -> dict[str, str]:
    """The settings that a REST catalog gives out with a table, for the files of the table.

    Of credentials for several places, those with the longest prefix of the table's location count; they go before what
    `config` says (REST specification, LoadTableResult).

    Raises `UnsupportedError` where the catalog wants to sign every request to the store itself.
    """
    found = storage_properties(_strings(response.get("config")))
    listed = response.get("storage-credentials")
    best = _best(listed if isinstance(listed, Sequence) else (), location)
    found.update(storage_properties(best))
    if _signs_remotely(_strings(response.get("config"))) and not any(found.get(key) for key in _KEYS):
        raise UnsupportedError(
            f"The catalog signs requests to {location} itself (s3.remote-signing-enabled), which is not supported",
            hint="let it vend credentials, or give s3.access-key-id and s3.secret-access-key",
        )
    return found


def _strings(found: Any) -> dict[str, str]:
    return {k: str(v) for k, v in found.items() if v is not None} if isinstance(found, Mapping) else {}


def _best(listed: Sequence[Any], location: str) -> dict[str, str]:
    best, length = {}, -1
    for credential in listed:
        if not isinstance(credential, Mapping):
            continue
        prefix = str(credential.get("prefix", ""))
        if _is_below(location, prefix) and len(prefix) > length:
            best, length = _strings(credential.get("config")), len(prefix)
    return best


def _is_below(location: str, prefix: str) -> bool:
    """Whether a prefix covers a location: `s3` and `s3://bucket/part` do as well as whole folders."""
    return canonical(location).startswith(canonical(prefix)) or relative_to(location, prefix) is not None


def _signs_remotely(config: Mapping[str, str]) -> bool:
    return config.get("s3.remote-signing-enabled", "").lower() == "true" or "s3.signer" in config
