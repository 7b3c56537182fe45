"""Select the settings of object stores from those of a catalog, and from those that it vends for one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from projector.errors import UnsupportedError
from projector.files.storage.locations import canonical, relative_to
from projector.files.storage.s3_settings import truth

_PREFIXES = ("s3.", "client.", "gcs.", "adls.", "hdfs.")
_KEYS = ("s3.access-key-id", "client.access-key-id")


def storage_properties(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of object stores. Leave out values that are not text, such as a session."""
    return {
        key: value
        for key, value in settings.items()
        if isinstance(value, str) and (key.startswith(_PREFIXES) or key == "expiration-time")
    }


def vended_properties(response: Mapping[str, Any], location: str) -> dict[str, str]:
    """Return the settings that a REST catalog vends with a table, for the files of the table.

    If there are credentials for several prefixes, the longest prefix of the table's location wins. They take precedence
    over `config` (REST specification, LoadTableResult).

    Raises `UnsupportedError` if the catalog insists on signing every request to the store itself.
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
    """Return whether a prefix covers a location. It may be a folder, but also `s3` or `s3://bucket/part`."""
    return canonical(location).startswith(canonical(prefix)) or relative_to(location, prefix) is not None


def _signs_remotely(config: Mapping[str, str]) -> bool:
    return truth(config, "s3.remote-signing-enabled") or "s3.signer" in config
