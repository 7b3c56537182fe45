"""The interface between commits and the different kinds of catalogs: a table in a catalog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from projector.metadata.table_metadata import TableMetadata


@dataclass(frozen=True)
class LoadedTable:
    """The state of a table, as its catalog returned it.

    Parameters
    ----------
    metadata:
        The table's metadata.
    metadata_file:
        The location of its metadata file.
    storage:
        Settings of the store of the table's files. They may hold secrets and are never printed.
    token:
        The token for this table, if the catalog returned one.
    """

    metadata: TableMetadata
    metadata_file: str
    storage: Mapping[str, str] = field(default_factory=dict, repr=False)
    token: str | None = field(default=None, repr=False)


class RaceLostError(Exception):
    """The catalog rejected a commit because the table has changed, or because it is too busy. Nothing was done."""


class OutcomeUnknownError(Exception):
    """The catalog did not answer whether a commit was done. It may have been."""


class CatalogTable(Protocol):
    """A table in a catalog, by name."""

    @property
    def name(self) -> str:
        """The table's name with its namespace and catalog, for messages."""

    @property
    def identifier(self) -> tuple[str, ...]:
        """The levels of the namespace, then the name."""

    def load(self) -> LoadedTable:
        """Load the current state of the table.

        Raises `NotFoundError` if the table does not exist, `ProjectorError` if the catalog does not answer.
        """

    def post(self, current: LoadedTable, body: Mapping[str, Any], expected: TableMetadata) -> LoadedTable:
        """Commit, and return the new state of the table.

        Parameters
        ----------
        current:
            The state that the commit was prepared from.
        body:
            The request, from `schema_update_body` or `transaction_body`.
        expected:
            The metadata that it should result in.

        Raises
        ------
        RaceLostError, OutcomeUnknownError
            See there.
        ProjectorError
            If the catalog rejects the commit for another reason. Nothing was done.
        UnsupportedError
            If the change cannot be committed to a catalog of this kind.
        """
