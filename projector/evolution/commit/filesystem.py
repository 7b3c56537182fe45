"""Commit to a table whose metadata are `vN.metadata.json` files in a local folder, without a catalog.

A version becomes visible in one step: its file is written completely under a hidden name that readers ignore, and then
linked to the name `vN+1.metadata.json`. The link fails if another writer has made that version. A writer killed before
the link leaves the old table; a writer killed after it leaves the new one, with a version hint from which readers find
it. A writer that loses a race applies its update to the metadata that won.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, overload

from projector.errors import CommitConflictError, SchemaUpdateError, UnsupportedError
from projector.evolution.commit.version_files import VersionFiles, version_of
from projector.evolution.updates.conflict_resolution import without_columns_that_others_added
from projector.evolution.updates.schema_commit import SchemaCommit, apply_update, prepare_schema_update
from projector.evolution.updates.transaction import Transaction, TransactionCommit, prepare_transaction
from projector.evolution.updates.update_schema import UpdateSchema
from projector.files.storage.locations import base_name, join, parent, parse_location
from projector.files.storage.storage import Storage
from projector.metadata.loading import VERSION_HINT, LoadedMetadata, load_metadata
from projector.metadata.table_metadata import TableMetadata

MAX_ATTEMPTS = 100
"""How often a commit is attempted before it gives up."""

_PATIENCE = 5
"""Races lost without a newer version, after which another writer cannot be the cause."""

_LONGEST_WAIT_SECONDS = 0.5
_FIRST_WAIT_SECONDS = 0.01
_CATALOG_NAME = re.compile(
    r"\d+-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\.(?:gz\.)?metadata\.json(?:\.gz)?"
)


class Prepared(Protocol):
    """A prepared commit: the next metadata, and whether it differs from the present one."""

    @property
    def metadata(self) -> TableMetadata:
        """The table's metadata after the commit."""

    @property
    def changed(self) -> bool:
        """Whether there is anything to commit."""


C = TypeVar("C", bound=Prepared)


@dataclass(frozen=True, slots=True)
class Committed(Generic[C]):
    """The outcome of a commit.

    Parameters
    ----------
    commit:
        What was written; nothing if `commit.changed` is False.
    metadata_file:
        Path of the table's metadata file after the commit.
    attempts:
        How many attempts it took: more than one if other writers were faster.
    """

    commit: C
    metadata_file: str
    attempts: int


CommittedUpdate = Committed[SchemaCommit]
"""The outcome of a schema update."""


@dataclass(frozen=True, slots=True)
class Base(Generic[C]):
    """The metadata that a commit is prepared on.

    Parameters
    ----------
    metadata:
        The table's present metadata.
    metadata_file:
        The location by which the metadata log names its file.
    first_metadata, first_commit:
        After a lost race: the metadata that the commit was first prepared on, and the commit prepared then; else None.
    """

    metadata: TableMetadata
    metadata_file: str
    first_metadata: TableMetadata | None = None
    first_commit: C | None = None


Recheck = Callable[[TableMetadata, str], None]
"""Checks again what a commit is about to change. Called with the metadata and its file; stops the commit by raising."""


def commit_schema_update(
    location: str, update: UpdateSchema, *, recheck: Recheck | None = None, max_attempts: int = MAX_ATTEMPTS
) -> CommittedUpdate:
    """Commit a schema update to a table on the local file system.

    It is applied to the schema that is current at the time of the commit. Parameters and errors are those of
    `commit_on`.
    """
    return commit_on(location, preparation_of(update), recheck=recheck, max_attempts=max_attempts)


def commit_transaction(
    location: str, transaction: Transaction, *, recheck: Recheck | None = None, max_attempts: int = MAX_ATTEMPTS
) -> Committed[TransactionCommit]:
    """Commit a transaction to a table on the local file system.

    All its updates are applied to the metadata that is current at the time of the commit, or none. Parameters and
    errors
    are those of `commit_on`.
    """
    return commit_on(location, preparation_of(transaction), recheck=recheck, max_attempts=max_attempts)


@overload
def preparation_of(update: UpdateSchema) -> Callable[[Base[SchemaCommit]], SchemaCommit]: ...
@overload
def preparation_of(update: Transaction) -> Callable[[Base[TransactionCommit]], TransactionCommit]: ...
def preparation_of(update: UpdateSchema | Transaction) -> Callable[[Base[Any]], Any]:
    """Return a function that prepares the commit of an update on the current metadata, also after lost races."""

    def prepare_schema(base: Base[SchemaCommit]) -> SchemaCommit:
        assert isinstance(update, UpdateSchema)
        left = update
        if base.first_metadata is not None:
            left = without_columns_that_others_added(
                update,
                apply_update(base.first_metadata, update),
                base.first_metadata.current_schema,
                base.metadata.current_schema,
            )
        return prepare_schema_update(base.metadata, left, metadata_file=base.metadata_file)

    def prepare_all(base: Base[TransactionCommit]) -> TransactionCommit:
        assert isinstance(update, Transaction)
        return prepare_transaction(base.metadata, update, metadata_file=base.metadata_file, lost=base.first_commit)

    return prepare_all if isinstance(update, Transaction) else prepare_schema


def commit_on(
    location: str,
    prepare: Callable[[Base[C]], C],
    *,
    recheck: Recheck | None = None,
    max_attempts: int = MAX_ATTEMPTS,
) -> Committed[C]:
    """Commit whatever `prepare` makes of the metadata to a table on the local file system.

    Parameters
    ----------
    location:
        The table's root or one of its metadata files, as a path or a `file:` URI.
    prepare:
        Prepares the commit from the current metadata. It is called again after each lost race.
    recheck:
        Called before each attempt. An exception that it raises ends the commit.
    max_attempts:
        How many races to lose before giving up; after each the writer waits a random time, up to half a second.

    Raises
    ------
    UnsupportedError
        The table belongs to a catalog, is not on a local disk, or its file system has no hard links.
    SchemaUpdateError
        The table does not allow the update.
    CommitConflictError
        Every attempt lost a race, or the update cannot be applied to the metadata that won.
    """
    loaded = first = load_for_commit(location)
    commit = first_commit = prepare(Base(loaded.metadata, _recorded_file(loaded)))
    for attempt in range(1, max_attempts + 1):
        if not commit.changed:
            return Committed(commit, loaded.metadata_file, attempt)
        if recheck is not None:
            recheck(loaded.metadata, loaded.metadata_file)
        files = VersionFiles(parse_location(parent(loaded.metadata_file)).path)
        made = files.make_next(version_of(base_name(loaded.metadata_file)), commit.metadata)
        if made is not None:
            return Committed(commit, made, attempt)
        time.sleep(random.uniform(0, min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2 ** min(attempt, 20))))
        loaded = load_for_commit(location)
        if loaded.metadata.table_uuid != first.metadata.table_uuid:
            raise CommitConflictError("Cannot commit: the table was replaced by another one", table=location)
        if attempt >= _PATIENCE and loaded.metadata_file == first.metadata_file:
            raise CommitConflictError(
                f"Cannot commit: a version after {base_name(loaded.metadata_file)} exists, but is not used",
                table=location,
                hint=f"see what {VERSION_HINT} says: it may hold the number of the newest version, or be deleted",
            )
        try:
            commit = prepare(Base(loaded.metadata, _recorded_file(loaded), first.metadata, first_commit))
        except SchemaUpdateError as error:
            raise CommitConflictError(
                "Cannot commit: another writer has changed the table, and the update no longer applies:"
                f" {error.message}",
                table=loaded.metadata.location,
                hint=error.hint,
            ) from error
    raise CommitConflictError(
        f"Cannot commit: other writers were faster {max_attempts} times", table=location, hint="try again later"
    )


def load_for_commit(location: str) -> LoadedMetadata:
    """Return the table as it is now. Raises `UnsupportedError` if it cannot be committed to without a catalog."""
    if not parse_location(location).is_local:
        raise UnsupportedError(
            f"Cannot commit to {location}: only tables on a local file system are committed to without a catalog"
        )
    storage = Storage()
    loaded = load_metadata(location, storage)
    folder = parent(loaded.metadata_file)
    of_catalog = [name for name in storage.listing(folder).files if _CATALOG_NAME.fullmatch(name)]
    name = base_name(loaded.metadata_file)
    if of_catalog or version_of(name, default=None) is None:
        raise UnsupportedError(
            f"Cannot commit to {location}: its metadata is named by a catalog ({max(of_catalog, default=name)})",
            hint="only the catalog knows which file is current; commit through it",
        )
    if location == loaded.metadata_file:
        return load_metadata(folder, storage)  # the requested version may not be the current one
    return loaded


def _recorded_file(loaded: LoadedMetadata) -> str:
    """Return the present metadata file by the location that the table records for itself."""
    folder, name = parent(loaded.metadata_file), base_name(loaded.metadata_file)
    recorded = loaded.metadata.location
    if base_name(folder) == "metadata":
        recorded = join(recorded, "metadata")
    return join(recorded, name)
