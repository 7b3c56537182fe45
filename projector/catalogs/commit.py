"""Commit through a catalog by one atomic request. After a lost race, prepare it again from the metadata that won.

An unanswered request is never simply repeated. Instead, load the table and see from its state whether the request was
carried out. Only if it was not, send a new one, prepared from the current state. The new request also requires that
nothing it depends on has changed. So if the old one still arrives, the catalog rejects one of the two.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from projector.catalogs.catalog_table import CatalogTable, LoadedTable, OutcomeUnknownError, RaceLostError
from projector.catalogs.outcome import describe_request, is_done
from projector.errors import CommitConflictError, CommitUnknownError, ProjectorError, SchemaUpdateError
from projector.evolution.commit.filesystem import Base, Committed, Recheck, preparation_of
from projector.evolution.commit.rest_body import schema_update_body, transaction_body
from projector.evolution.updates.schema_commit import SchemaCommit
from projector.evolution.updates.transaction import Transaction, TransactionCommit
from projector.evolution.updates.update_schema import UpdateSchema
from projector.metadata.table_metadata import TableMetadata

MAX_ATTEMPTS = 50
"""How many attempts a commit makes before it gives up."""

MAX_UNANSWERED = 4
"""How many requests may stay unanswered before a commit gives up."""

RELOAD_SECONDS = 60.0
"""How long to try to load the table after an unanswered request, before its outcome counts as unknown."""

_FIRST_WAIT_SECONDS = 0.05
_LONGEST_WAIT_SECONDS = 3.0

Prepared = SchemaCommit | TransactionCommit


def commit_to_catalog(
    home: CatalogTable,
    update: UpdateSchema | Transaction,
    *,
    recheck: Recheck | None = None,
    max_attempts: int = MAX_ATTEMPTS,
    wait: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Committed[Any]:
    """Commit a schema update or a transaction to a table of a catalog, on top of the current metadata.

    Parameters
    ----------
    recheck:
        Called with the metadata that each request is prepared from, and its file. An exception ends the commit.
    max_attempts:
        Attempts before giving up, with random waits of up to some seconds between them.

    Raises
    ------
    SchemaUpdateError
        If the table does not allow the update.
    CommitConflictError
        If every attempt lost a race, or the update cannot be applied to the metadata that won.
    CommitUnknownError
        If a request got no answer, and the table cannot be loaded, or further requests fail as well.
    NotFoundError, UnsupportedError, ProjectorError
        See `CatalogTable`.
    """
    prepare: Callable[[Base[Any]], Prepared] = preparation_of(update)
    loaded = first = home.load()
    commit = first_commit = prepare(Base(loaded.metadata, loaded.metadata_file))
    unanswered: list[tuple[dict[str, Any], TableMetadata]] = []
    answer = ""
    for attempt in range(1, max_attempts + 1):
        if not commit.changed:
            return Committed(commit, loaded.metadata_file, attempt)
        if recheck is not None:
            recheck(loaded.metadata, loaded.metadata_file)
        body = _body(home, loaded.metadata, commit)
        try:
            committed = home.post(loaded, body, commit.metadata)
        except RaceLostError as error:
            answer = str(error)
        except OutcomeUnknownError as error:
            answer = str(error)
            unanswered.append((body, loaded.metadata))
        else:
            return Committed(_as_committed(commit, body, loaded, committed, home), committed.metadata_file, attempt)
        wait(random.uniform(0.1, 1) * min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2 ** min(attempt, 10)))
        loaded = _reload(home, unanswered, answer, wait, clock)
        if loaded.metadata.table_uuid != first.metadata.table_uuid:
            raise CommitConflictError("Cannot commit: the table was replaced by another one", table=home.name)
        for posted, before in unanswered:
            if is_done(posted, before, loaded.metadata):
                return Committed(_with(commit, loaded.metadata), loaded.metadata_file, attempt)
        if len(unanswered) >= MAX_UNANSWERED:
            break
        try:
            commit = prepare(Base(loaded.metadata, loaded.metadata_file, first.metadata, first_commit))
        except SchemaUpdateError as error:
            raise _no_longer_applies(error, home, bool(unanswered)) from error
    if unanswered:
        raise CommitUnknownError(
            f"Cannot commit: the catalog left {len(unanswered)} of {attempt} requests without an answer, the last one"
            f" with {answer}",
            table=home.name,
            hint=f"check whether the table gets {describe_request(unanswered[-1][0])} before trying again",
        )
    raise CommitConflictError(
        f"Cannot commit: other writers were faster {max_attempts} times; the catalog says: {answer}",
        table=home.name,
        hint="try again later",
    )


def _body(home: CatalogTable, current: TableMetadata, commit: Prepared) -> dict[str, Any]:
    *namespace, name = home.identifier
    if isinstance(commit, SchemaCommit):
        return schema_update_body(namespace, name, current, commit)
    return transaction_body(namespace, name, current, commit)


def _reload(
    home: CatalogTable,
    unanswered: list[tuple[dict[str, Any], TableMetadata]],
    answer: str,
    wait: Callable[[float], None],
    clock: Callable[[], float],
) -> LoadedTable:
    """Load the current state of the table. If it has to show the outcome of a request, retry for `RELOAD_SECONDS`."""
    if not unanswered:
        return home.load()
    deadline = clock() + RELOAD_SECONDS
    while True:
        try:
            return home.load()
        except ProjectorError as error:
            if clock() >= deadline:
                raise CommitUnknownError(
                    f"The commit got no answer ({answer}), and the table cannot be loaded to check whether it was done:"
                    f" {error.message}",
                    table=home.name,
                    hint=f"check whether the table has {describe_request(unanswered[-1][0])} before trying again",
                ) from None
        wait(1.0)


def _as_committed(
    commit: Prepared, body: dict[str, Any], before: LoadedTable, committed: LoadedTable, home: CatalogTable
) -> Prepared:
    """Return the commit with the metadata that the catalog wrote. Raise if that does not match the request."""
    if not is_done(body, before.metadata, committed.metadata):
        raise ProjectorError(
            f"The catalog committed something other than requested: {committed.metadata_file} does not have"
            f" {describe_request(body)} as in the request",
            table=home.name,
            hint="check the table before its next change",
        )
    return _with(commit, committed.metadata)


def _with(commit: Prepared, metadata: TableMetadata) -> Prepared:
    if isinstance(commit, SchemaCommit):
        return replace(commit, metadata=metadata, schema=metadata.current_schema)
    return replace(commit, metadata=metadata)


def _no_longer_applies(error: SchemaUpdateError, home: CatalogTable, unanswered: bool) -> ProjectorError:
    if unanswered:
        return CommitUnknownError(
            "Cannot commit: a request got no answer, the table has changed since, and the update does not apply to it:"
            f" {error.message}",
            table=home.name,
            hint="check whether the update was made, by this commit or by another writer",
        )
    return CommitConflictError(
        f"Cannot commit: another writer has changed the table, and the update no longer applies: {error.message}",
        table=home.name,
        hint=error.hint,
    )
