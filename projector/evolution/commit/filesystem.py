"""Commits to a table whose metadata are `vN.metadata.json` files in a local folder, without a catalog.

A version becomes visible in one step: its file is written whole under a hidden name that no reader looks at, and then
linked to the name `vN+1.metadata.json`, which fails where another writer has made that version. Killed before the link,
a writer leaves the old table; killed after it, the new one, with a version hint from which readers go on. Who loses a
race applies the update to the metadata that won.
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
"""How often a commit is tried before it gives up."""

_PATIENCE = 5
"""Races lost without a newer version in sight, after which no other writer can be the reason."""

_LONGEST_WAIT_SECONDS = 0.5
_FIRST_WAIT_SECONDS = 0.01
_CATALOG_NAME = re.compile(
    r"\d+-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\.(?:gz\.)?metadata\.json(?:\.gz)?"
)


class Prepared(Protocol):
    """What a commit has been prepared to: the next metadata, and whether it differs from the present one."""

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
        What was written; nothing, where `commit.changed` is False.
    metadata_file:
        Path of the table's metadata file after it.
    attempts:
        How often it was tried: more than once where other writers were faster.
    """

    commit: C
    metadata_file: str
    attempts: int


CommittedUpdate = Committed[SchemaCommit]
"""The outcome of a schema update."""


@dataclass(frozen=True, slots=True)
class Base(Generic[C]):
    """What a commit is prepared on.

    Parameters
    ----------
    metadata:
        The table's metadata as it is now.
    metadata_file:
        The location that the metadata log is to name it by.
    first_metadata, first_commit:
        What the commit was prepared on at first, and to what, where it has lost a race since; else None.
    """

    metadata: TableMetadata
    metadata_file: str
    first_metadata: TableMetadata | None = None
    first_commit: C | None = None


Recheck = Callable[[TableMetadata, str], None]
"""Looks again at what a commit is about to change: called with the metadata and its file, stops it by raising."""


def commit_schema_update(
    location: str, update: UpdateSchema, *, recheck: Recheck | None = None, max_attempts: int = MAX_ATTEMPTS
) -> CommittedUpdate:
    """Commit a schema update to a table on the local file system.

    It is applied to the schema that is current when it is committed. Parameters and errors are those of `commit_on`.
    """
    return commit_on(location, preparation_of(update), recheck=recheck, max_attempts=max_attempts)


def commit_transaction(
    location: str, transaction: Transaction, *, recheck: Recheck | None = None, max_attempts: int = MAX_ATTEMPTS
) -> Committed[TransactionCommit]:
    """Commit a transaction to a table on the local file system.

    All its updates are applied to the metadata that is current when it is committed, or none of them. Parameters and
    errors are those of `commit_on`.
    """
    return commit_on(location, preparation_of(transaction), recheck=recheck, max_attempts=max_attempts)


@overload
def preparation_of(update: UpdateSchema) -> Callable[[Base[SchemaCommit]], SchemaCommit]: ...
@overload
def preparation_of(update: Transaction) -> Callable[[Base[TransactionCommit]], TransactionCommit]: ...
def preparation_of(update: UpdateSchema | Transaction) -> Callable[[Base[Any]], Any]:
    """What prepares the commit of an update on the metadata that is current, after races that were lost as well."""

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
    """Commit whatever can be prepared from metadata to a table on the local file system.

    Parameters
    ----------
    location:
        The table's root or one of its metadata files, as a path or a `file:` URI.
    prepare:
        Makes the commit of the metadata that is current. After each race that is lost it is called again.
    recheck:
        Called before each attempt. What it raises ends the commit.
    max_attempts:
        Races to lose before giving up; between them it waits at random, up to half a second.

    Raises
    ------
    UnsupportedError
        A table that belongs to a catalog, that is not on a local disk, or whose file system has no hard links.
    SchemaUpdateError
        An update that the table does not allow.
    CommitConflictError
        A race lost for good: every attempt was lost, or the update cannot be applied to the metadata that won.
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
    """The table as it is now, if a commit without a catalog is possible at all. Raises `UnsupportedError` if not."""
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
        return load_metadata(folder, storage)  # the version asked for may not be the current one
    return loaded


def _recorded_file(loaded: LoadedMetadata) -> str:
    """The present metadata file by the location that the table records for itself."""
    folder, name = parent(loaded.metadata_file), base_name(loaded.metadata_file)
    recorded = loaded.metadata.location
    if base_name(folder) == "metadata":
        recorded = join(recorded, "metadata")
    return join(recorded, name)
