"""Load and commit a table in a REST catalog, over the session that pyiceberg has opened to it.

pyiceberg authenticates, signs and renews tokens. The requests are our own: they load the metadata as the catalog wrote
it, which pyiceberg's classes may not preserve, and post commits from `schema_update_body`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from projector.catalogs.catalog_table import LoadedTable, OutcomeUnknownError, RaceLostError
from projector.catalogs.secrets import redacted
from projector.catalogs.storage_properties import storage_properties, vended_properties
from projector.catalogs.suggestions import tables_like
from projector.errors import NotFoundError, ProjectorError, UnsupportedError
from projector.files.storage.locations import join
from projector.metadata.table_metadata import TableMetadata

CONNECT_SECONDS = 10.0
"""The most time that the catalog may take to accept a connection."""

ANSWER_SECONDS = 60.0
"""The most time that the catalog may take to answer a request."""

LOAD_ATTEMPTS = 5
"""How often to request a table, with growing waits, if the catalog does not answer."""

_ENDPOINT = "namespaces/{namespace}/tables/{table}"
_RENEW = (401, 419)


@dataclass(frozen=True)
class RestTable:
    """A table in a REST catalog; see `CatalogTable`.

    Parameters
    ----------
    catalog:
        pyiceberg's `RestCatalog`.
    identifier:
        The levels of the namespace, then the name.
    answer_seconds:
        The most time to wait for an answer.
    """

    catalog: Any = field(repr=False)
    identifier: tuple[str, ...]
    answer_seconds: float = ANSWER_SECONDS
    wait: Callable[[float], None] = field(default=time.sleep, repr=False)

    @property
    def name(self) -> str:
        """The table's name with its namespace and catalog."""
        return ".".join((self.catalog.name, *self.identifier))

    def load(self) -> LoadedTable:
        """See `CatalogTable.load`."""
        import requests

        for attempt in range(1, LOAD_ATTEMPTS + 1):
            try:
                response = self._request("GET", params={"snapshots": "all"})
                if response.status_code < 500 and response.status_code != 429:
                    break
                reason = self._answer(response)
            except requests.RequestException as error:
                reason = self._message(error)
            if attempt < LOAD_ATTEMPTS:
                self.wait(random.uniform(0.5, 1) * 0.2 * 2**attempt)
        else:
            raise ProjectorError(
                f"The catalog does not answer, after {LOAD_ATTEMPTS} attempts: {reason}", table=self.name
            )
        if response.status_code == 404:
            raise NotFoundError(
                f"No such table in catalog {self.catalog.name!r}: {'.'.join(self.identifier)}",
                hint=tables_like(self.catalog, self.identifier),
            )
        if not response.ok:
            raise ProjectorError(f"The catalog does not return the table: {self._answer(response)}", table=self.name)
        return self._loaded(_json(response))

    def post(self, current: LoadedTable, body: Mapping[str, Any], expected: TableMetadata) -> LoadedTable:
        """See `CatalogTable.post`."""
        import requests

        try:
            response = self._request("POST", current.token, json=body)
        except requests.RequestException as error:
            raise OutcomeUnknownError(self._message(error)) from None
        if response.ok:
            answer = _json(response)
            if not isinstance(answer.get("metadata"), dict):
                raise OutcomeUnknownError("the answer is not a table")
            committed = self._loaded(answer)
            return LoadedTable(committed.metadata, committed.metadata_file, current.storage, current.token)
        match response.status_code:
            case 409 | 429:
                raise RaceLostError(self._answer(response))
            case 404:
                raise NotFoundError(f"Cannot commit: {self._answer(response)}", table=self.name)
            case 501:
                raise UnsupportedError(
                    f"The catalog does not make this change: {self._answer(response)}", table=self.name
                )
            case code if code >= 500:
                raise OutcomeUnknownError(self._answer(response))
        raise ProjectorError(f"The catalog rejected the commit: {self._answer(response)}", table=self.name)

    def _request(self, method: str, token: str | None = None, **arguments: Any) -> Any:
        """Send a request. If it is rejected because a token has expired, renew the token and retry once."""
        url = self.catalog.url(_ENDPOINT, **self.catalog._split_identifier_for_path(self.identifier))
        if token is not None:
            arguments["auth"] = _Bearer(token)
        timeout = (CONNECT_SECONDS, self.answer_seconds)
        response = self.catalog._session.request(method, url, timeout=timeout, **arguments)
        if response.status_code in _RENEW and hasattr(self.catalog, "_refresh_token"):
            self.catalog._refresh_token()
            arguments.pop("auth", None)
            response = self.catalog._session.request(method, url, timeout=timeout, **arguments)
        return response

    def _loaded(self, answer: Mapping[str, Any]) -> LoadedTable:
        raw = answer.get("metadata")
        if not isinstance(raw, dict):
            raise ProjectorError("The catalog's answer is not a table", table=self.name)
        file = answer.get("metadata-location")
        metadata = TableMetadata.from_json(raw, file=file)
        settings = storage_properties(self.catalog.properties) | vended_properties(answer, metadata.location)
        config = answer.get("config")
        token = config.get("token") if isinstance(config, dict) else None
        return LoadedTable(metadata, file or join(metadata.location, "metadata/unknown.metadata.json"), settings, token)

    def _answer(self, response: Any) -> str:
        """Return the error message of a response, in one line."""
        error = _json(response).get("error")
        text = str(error.get("message") or "") if isinstance(error, dict) else ""
        return redacted(f"{text[:500] or response.reason} (HTTP {response.status_code})", self.catalog.properties)

    def _message(self, error: Exception) -> str:
        return redacted(f"{type(error).__name__}: {error}", self.catalog.properties)


@dataclass(frozen=True, slots=True)
class _Bearer:
    """Signs a request with a token, instead of the session's own authentication."""

    token: str = field(repr=False)

    def __call__(self, request: Any) -> Any:
        request.headers["Authorization"] = f"Bearer {self.token}"
        return request


def _json(response: Any) -> dict[str, Any]:
    """Return a response as a JSON object, {} if it is none or was cut off."""
    try:
        found = response.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
