"""A table as its catalog holds it: the one seam between commits and the different kinds of catalogs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from projector.metadata.table_metadata import TableMetadata


@dataclass(frozen=True)
class LoadedTable:
    """A table's state, as its catalog gave it out.

    Parameters
    ----------
    metadata:
        The table's metadata.
    metadata_file:
        The location of its metadata file.
    storage:
        Settings of the store where the table's files are. They may hold secrets and are never shown.
    token:
        The table's own token, where the catalog has given one out with it.
    """

    metadata: TableMetadata
    metadata_file: str
    storage: Mapping[str, str] = field(default_factory=dict, repr=False)
    token: str | None = field(default=None, repr=False)


class RaceLostError(Exception):
    """The catalog refused a commit because the table has changed, or because it is too busy: nothing was done."""


class OutcomeUnknownError(Exception):
    """The catalog did not say whether a commit was done: it may have been."""


class CatalogTable(Protocol):
    """A table in a catalog, by name."""

    @property
    def name(self) -> str:
        """The table's name with its namespace and catalog, for messages."""

    @property
    def identifier(self) -> tuple[str, ...]:
        """The levels of the namespace, and the name."""

    def load(self) -> LoadedTable:
        """The table as it is now.

        Raises `NotFoundError` for a table that is not there, `ProjectorError` for a catalog that does not answer.
        """

    def post(self, current: LoadedTable, body: Mapping[str, Any], expected: TableMetadata) -> LoadedTable:
        """Commit, and return the table as it then is.

        Parameters
        ----------
        current:
            What the commit was prepared on.
        body:
            The request, as `schema_update_body` or `transaction_body` makes it.
        expected:
            The metadata that it is to lead to.

        Raises
        ------
        RaceLostError, OutcomeUnknownError
            As they say.
        ProjectorError
            Where the catalog refuses the commit for another reason; nothing was done.
        UnsupportedError
            For a change that cannot be committed to a catalog of this kind.
        """
