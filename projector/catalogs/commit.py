"""Commits through a catalog: one atomic request, made anew for the metadata that won where a race was lost.

A request that the catalog did not answer is never just repeated. The table is loaded, and what it now holds tells
whether the request was carried out; only where it was not is a new one made, from the table as it is, and that one too
asks that nothing it rests on has changed: should the old one still arrive, one of the two is refused.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from projector.catalogs.catalog_table import CatalogTable, LoadedTable, OutcomeUnknownError, RaceLostError
from projector.catalogs.outcome import is_done, shown
from projector.errors import CommitConflictError, CommitUnknownError, ProjectorError, SchemaUpdateError
from projector.evolution.commit.filesystem import Base, Committed, Recheck, preparation_of
from projector.evolution.commit.rest_body import schema_update_body, transaction_body
from projector.evolution.updates.schema_commit import SchemaCommit
from projector.evolution.updates.transaction import Transaction, TransactionCommit
from projector.evolution.updates.update_schema import UpdateSchema
from projector.metadata.table_metadata import TableMetadata

MAX_ATTEMPTS = 50
"""How often a commit is tried before it gives up."""

MAX_UNANSWERED = 4
"""How many requests may stay without an answer before a commit gives up."""

RELOAD_SECONDS = 60.0
"""How long a catalog that left a request unanswered is asked for the table, before its outcome stays unknown."""

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
    """Commit a schema update or a transaction to a table of a catalog, on top of whatever metadata is current.

    Parameters
    ----------
    recheck:
        Called with the metadata, and its file, that each request is to be made from. What it raises ends the commit.
    max_attempts:
        Races to lose before giving up; between them it waits at random, up to some seconds.

    Raises
    ------
    SchemaUpdateError
        An update that the table does not allow.
    CommitConflictError
        A race lost for good: every attempt was lost, or the update cannot be applied to the metadata that won.
    CommitUnknownError
        A request without an answer, and the table cannot be loaded to look, or further requests fail as well.
    NotFoundError, UnsupportedError, ProjectorError
        As `CatalogTable` says.
    """
    prepare: Callable[[Base[Any]], Prepared] = preparation_of(update)
    loaded = first = home.load()
    commit = first_commit = prepare(Base(loaded.metadata, loaded.metadata_file))
    unanswered: list[tuple[dict[str, Any], TableMetadata]] = []
    said = ""
    for attempt in range(1, max_attempts + 1):
        if not commit.changed:
            return Committed(commit, loaded.metadata_file, attempt)
        if recheck is not None:
            recheck(loaded.metadata, loaded.metadata_file)
        body = _body(home, loaded.metadata, commit)
        try:
            made = home.post(loaded, body, commit.metadata)
        except RaceLostError as error:
            said = str(error)
        except OutcomeUnknownError as error:
            said = str(error)
            unanswered.append((body, loaded.metadata))
        else:
            return Committed(_as_made(commit, body, loaded, made, home), made.metadata_file, attempt)
        wait(random.uniform(0.1, 1) * min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2 ** min(attempt, 10)))
        loaded = _reload(home, unanswered, said, wait, clock)
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
            f" with {said}",
            table=home.name,
            hint=f"look whether the table gets {shown(unanswered[-1][0])} before trying again",
        )
    raise CommitConflictError(
        f"Cannot commit: other writers were faster {max_attempts} times; the catalog says: {said}",
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
    said: str,
    wait: Callable[[float], None],
    clock: Callable[[], float],
) -> LoadedTable:
    """The table as it is now. Where it has to tell an outcome, the catalog is asked for a good while."""
    if not unanswered:
        return home.load()
    deadline = clock() + RELOAD_SECONDS
    while True:
        try:
            return home.load()
        except ProjectorError as error:
            if clock() >= deadline:
                raise CommitUnknownError(
                    f"The commit got no answer ({said}), and whether it was done cannot be seen: {error.message}",
                    table=home.name,
                    hint=f"look whether the table has {shown(unanswered[-1][0])} before trying again",
                ) from None
        wait(1.0)


def _as_made(
    commit: Prepared, body: dict[str, Any], before: LoadedTable, made: LoadedTable, home: CatalogTable
) -> Prepared:
    """The commit with the metadata that the catalog made of it. Raises where that is not what was asked for."""
    if not is_done(body, before.metadata, made.metadata):
        raise ProjectorError(
            f"The catalog has committed something else than was asked for: {made.metadata_file} does not have"
            f" {shown(body)} as in the request",
            table=home.name,
            hint="look at the table before its next change",
        )
    return _with(commit, made.metadata)


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
            hint="look whether the update was made, by this commit or by another writer",
        )
    return CommitConflictError(
        f"Cannot commit: another writer has changed the table, and the update no longer applies: {error.message}",
        table=home.name,
        hint=error.hint,
    )
