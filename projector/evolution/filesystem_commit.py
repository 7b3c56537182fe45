"""Commits to a table whose metadata are `vN.metadata.json` files in a local folder, without a catalog.

A version becomes visible in one step: its file is written whole under a hidden name that no reader looks at, and then
linked to the name `vN+1.metadata.json`, which fails where another writer has made that version. Killed before the link,
a writer leaves the old table; killed after it, the new one, with a version hint from which readers go on. Who loses a
race applies the update to the schema that won.
"""

from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass

from projector.errors import CommitConflictError, SchemaUpdateError, UnsupportedError
from projector.evolution.races import without_columns_that_others_added
from projector.evolution.schema_commit import SchemaCommit, apply_update, prepare_schema_update
from projector.evolution.update_schema import UpdateSchema
from projector.evolution.version_files import VersionFiles, version_of
from projector.files.locations import base_name, join, parent, parse_location
from projector.files.storage import Storage
from projector.metadata.loading import LoadedMetadata, load_metadata

MAX_ATTEMPTS = 100
"""How often a commit is tried before it gives up."""

_LONGEST_WAIT_SECONDS = 0.5
_FIRST_WAIT_SECONDS = 0.01
_CATALOG_NAME = re.compile(
    r"\d+-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\.(?:gz\.)?metadata\.json(?:\.gz)?"
)


@dataclass(frozen=True, slots=True)
class CommittedUpdate:
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

    commit: SchemaCommit
    metadata_file: str
    attempts: int


def commit_schema_update(location: str, update: UpdateSchema, *, max_attempts: int = MAX_ATTEMPTS) -> CommittedUpdate:
    """Commit a schema update to a table on the local file system.

    Parameters
    ----------
    location:
        The table's root or one of its metadata files, as a path or a `file:` URI.
    update:
        What to change. It is applied to the schema that is current when it is committed.
    max_attempts:
        Races to lose before giving up; between them it waits at random, up to half a second.

    Raises
    ------
    UnsupportedError
        A table that belongs to a catalog, that is not on a local disk, or whose file system has no hard links.
    SchemaUpdateError
        An update that the table's schema does not allow.
    CommitConflictError
        A race lost for good: every attempt was lost, or the update cannot be applied to the schema that won.
    """
    loaded = first = load_for_commit(location)
    commit = _prepare(loaded, update)
    for attempt in range(1, max_attempts + 1):
        if not commit.changed:
            return CommittedUpdate(commit, loaded.metadata_file, attempt)
        files = VersionFiles(parse_location(parent(loaded.metadata_file)).path)
        made = files.make_next(version_of(base_name(loaded.metadata_file)), commit.metadata)
        if made is not None:
            return CommittedUpdate(commit, made, attempt)
        time.sleep(random.uniform(0, min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2 ** min(attempt, 20))))
        loaded = load_for_commit(location)
        if loaded.metadata.table_uuid != first.metadata.table_uuid:
            raise CommitConflictError("Cannot commit: the table was replaced by another one", table=location)
        left = without_columns_that_others_added(
            update,
            apply_update(first.metadata, update),
            first.metadata.current_schema,
            loaded.metadata.current_schema,
        )
        commit = _prepare_again(loaded, left)
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
    of_catalog = [name for name in storage.list(folder) if _CATALOG_NAME.fullmatch(name)]
    name = base_name(loaded.metadata_file)
    if of_catalog or version_of(name, default=None) is None:
        raise UnsupportedError(
            f"Cannot commit to {location}: its metadata is named by a catalog ({max(of_catalog, default=name)})",
            hint="only the catalog knows which file is current; commit through it",
        )
    if location == loaded.metadata_file:
        return load_metadata(folder, storage)  # the version asked for may not be the current one
    return loaded


def _prepare(loaded: LoadedMetadata, update: UpdateSchema) -> SchemaCommit:
    """The next metadata; its log names the present file by the location that the table records for itself."""
    folder, name = parent(loaded.metadata_file), base_name(loaded.metadata_file)
    recorded = loaded.metadata.location
    if base_name(folder) == "metadata":
        recorded = join(recorded, "metadata")
    return prepare_schema_update(loaded.metadata, update, metadata_file=join(recorded, name))


def _prepare_again(loaded: LoadedMetadata, update: UpdateSchema) -> SchemaCommit:
    try:
        return _prepare(loaded, update)
    except SchemaUpdateError as error:
        raise CommitConflictError(
            f"Cannot commit: another writer has changed the table, and the update no longer applies: {error.message}",
            table=loaded.metadata.location,
            hint=error.hint,
        ) from error
