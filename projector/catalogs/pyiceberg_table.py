"""Load and commit a table in a catalog other than REST (Glue, Hive, SQL, ...) through pyiceberg."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from projector.catalogs.catalog_table import LoadedTable, OutcomeUnknownError, RaceLostError
from projector.catalogs.fidelity import pyiceberg_request
from projector.catalogs.secrets import redacted
from projector.catalogs.storage_properties import storage_properties
from projector.catalogs.suggestions import tables_like
from projector.errors import NotFoundError, ProjectorError, UnsupportedError
from projector.files.storage.storage import Storage
from projector.metadata.loading import read_metadata
from projector.metadata.table_metadata import TableMetadata


@dataclass(frozen=True)
class PyIcebergTable:
    """A table in one of pyiceberg's catalogs; see `CatalogTable`."""

    catalog: Any = field(repr=False)
    identifier: tuple[str, ...]

    @property
    def name(self) -> str:
        """The table's name with its namespace and catalog."""
        return ".".join((self.catalog.name, *self.identifier))

    def load(self) -> LoadedTable:
        """See `CatalogTable.load`. Read the metadata from its file, as it was written."""
        return state_of(self._table())

    def post(self, current: LoadedTable, body: Mapping[str, Any], expected: TableMetadata) -> LoadedTable:
        """See `CatalogTable.post`. Raise `UnsupportedError` if pyiceberg would not write the expected metadata."""
        from pyiceberg.exceptions import CommitFailedException

        request = pyiceberg_request(current, body, expected, kind=type(self.catalog).__name__, table=self.name)
        table = self._table()
        try:
            self.catalog.commit_table(table, request.requirements, request.updates)
        except CommitFailedException as error:
            raise RaceLostError(self._message(error)) from None
        except NotImplementedError as error:
            reason = self._message(error)
            raise UnsupportedError(f"The catalog does not commit changes: {reason}", table=self.name) from None
        except Exception as error:
            raise OutcomeUnknownError(self._message(error)) from None
        return self.load()

    def _table(self) -> Any:
        from pyiceberg import exceptions

        missing = (exceptions.NoSuchTableError, exceptions.NoSuchNamespaceError, exceptions.NoSuchIdentifierError)
        try:
            return self.catalog.load_table(self.identifier)
        except missing:
            name = ".".join(self.identifier)
            raise NotFoundError(
                f"No such table in catalog {self.catalog.name!r}: {name}",
                hint=tables_like(self.catalog, self.identifier),
            ) from None
        except Exception as error:  # the client of each service raises other errors
            raise ProjectorError(f"pyiceberg cannot load the table: {self._message(error)}", table=self.name) from None

    def _message(self, error: Exception) -> str:
        return redacted(f"{type(error).__name__}: {error}"[:700], self.catalog.properties)


def state_of(table: Any) -> LoadedTable:
    """Return the state of a pyiceberg `Table`. Read its metadata from its file, as it was written."""
    settings = storage_properties({**table.catalog.properties, **own_settings(table)})
    metadata = read_metadata(table.metadata_location, Storage(settings))
    return LoadedTable(metadata, table.metadata_location, settings)


def own_settings(table: Any) -> dict[str, Any]:
    """Return the store settings of a pyiceberg `Table`, except those from the properties of the table itself.

    pyiceberg uses a table's properties as settings of the store too. A writer of the table could then send the
    credentials of its readers to another endpoint.
    """
    own, configured = (
        table.metadata.properties,
        {**table.catalog.properties, **dict(getattr(table, "config", None) or {})},
    )
    return {k: v for k, v in table.io.properties.items() if k not in own or own[k] != v or configured.get(k) == v}
