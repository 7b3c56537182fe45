"""`Transaction`: several updates of a table as one commit, all of them or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from projector.errors import SchemaUpdateError
from projector.evolution.apply.name_mapping_update import SetNameMapping, change_name_mapping
from projector.evolution.apply.next_metadata import stamped
from projector.evolution.updates.conflict_resolution import without_columns_that_others_added
from projector.evolution.updates.schema_commit import apply_update, change_schema
from projector.evolution.updates.spec_commit import change_spec
from projector.evolution.updates.undelete import UndeleteColumn, undelete
from projector.evolution.updates.update_properties import UpdateProperties, change_properties
from projector.evolution.updates.update_schema import Names, UpdateSchema
from projector.evolution.updates.update_sort_order import UpdateSortOrder, change_sort_order
from projector.evolution.updates.update_spec import UpdateSpec
from projector.evolution.updates.upgrade import UpgradeFormatVersion, upgrade
from projector.metadata.table_metadata import TableMetadata
from projector.schema.name_mapping import NameMapping

Update = (
    UpdateSchema
    | UpdateSpec
    | UpdateSortOrder
    | UpdateProperties
    | UpgradeFormatVersion
    | UndeleteColumn
    | SetNameMapping
)
"""The updates that a transaction can hold."""


class Transaction:
    """Records several updates, each of which sees the outcome of those before it, and commits them as one change.

    Parameters
    ----------
    case_sensitive:
        Whether column names must match in case.
    allow_incompatible_changes:
        Allow schema changes that old data may violate.
    """

    def __init__(self, *, case_sensitive: bool = True, allow_incompatible_changes: bool = False) -> None:
        self.case_sensitive = case_sensitive
        self.allow_incompatible_changes = allow_incompatible_changes
        self._updates: list[Update] = []

    @property
    def updates(self) -> tuple[Update, ...]:
        """The recorded updates, in order."""
        return tuple(self._updates)

    def record(self, *updates: Update) -> Transaction:
        """Record updates that were made elsewhere."""
        self._updates.extend(updates)
        return self

    def withdraw(self, update: Update) -> None:
        """Remove a recorded update."""
        self._updates = [known for known in self._updates if known is not update]

    def update_schema(self) -> UpdateSchema:
        """Begin a change of the schema; what is recorded in it later belongs to the transaction."""
        update = UpdateSchema(
            case_sensitive=self.case_sensitive, allow_incompatible_changes=self.allow_incompatible_changes
        )
        self._updates.append(update)
        return update

    def update_spec(self) -> UpdateSpec:
        """Begin a change of the partition spec."""
        update = UpdateSpec(case_sensitive=self.case_sensitive)
        self._updates.append(update)
        return update

    def update_sort_order(self) -> UpdateSortOrder:
        """Begin a sort order that replaces the present one."""
        update = UpdateSortOrder(case_sensitive=self.case_sensitive)
        self._updates.append(update)
        return update

    def set_properties(self, properties: Mapping[str, str] | None = None, **more: str) -> Transaction:
        """Set table properties; `format-version` raises the table's format version."""
        update = UpdateProperties()
        for key, value in {**(properties or {}), **more}.items():
            update.set(key, value)
        return self.record(update)

    def remove_properties(self, *keys: str) -> Transaction:
        """Remove table properties that exist."""
        update = UpdateProperties()
        for key in keys:
            update.remove(key)
        return self.record(update)

    def upgrade_table_version(self, format_version: int) -> Transaction:
        """Raise the table's format version."""
        return self.record(UpgradeFormatVersion(format_version))

    def undelete_column(self, path: Names, new_name: str | None = None, *, as_optional: bool = False) -> Transaction:
        """Bring a dropped column back under its old id."""
        where = path if isinstance(path, str) else tuple(path)
        return self.record(UndeleteColumn(where, new_name, as_optional=as_optional))

    def set_name_mapping(self, mapping: NameMapping | None = None) -> Transaction:
        """Set the table's name mapping; None is the mapping of every column by its present name."""
        return self.record(SetNameMapping(mapping))

    def __repr__(self) -> str:
        return f"Transaction([{', '.join(map(repr, self._updates))}])"


@dataclass(frozen=True, slots=True)
class Step:
    """One update of a transaction, and the metadata before and after it; the same object if it changes nothing."""

    update: Update
    before: TableMetadata
    after: TableMetadata


@dataclass(frozen=True, slots=True)
class TransactionCommit:
    """A prepared transaction. Nothing of it has been written.

    Parameters
    ----------
    metadata:
        The table's metadata after the commit; the given object itself if nothing changes.
    steps:
        What each update does, in order. Commit time and metadata log change only at the end.
    changed:
        Whether there is anything to commit.
    """

    metadata: TableMetadata
    steps: tuple[Step, ...]
    changed: bool


def prepare_transaction(
    metadata: TableMetadata,
    transaction: Transaction,
    *,
    metadata_file: str | None = None,
    timestamp_ms: int | None = None,
    lost: TransactionCommit | None = None,
) -> TransactionCommit:
    """Apply all updates of a transaction to a table's metadata.

    Parameters
    ----------
    metadata_file, timestamp_ms:
        As in `prepare_schema_update`.
    lost:
        The same transaction as prepared before it lost a race. Columns that the winner added identically are not added
        again.

    Raises
    ------
    SchemaUpdateError
        The first update that cannot be applied. None of the others is applied either.
    """
    steps: list[Step] = []
    after = metadata
    for place, update in enumerate(transaction.updates):
        left = update if lost is None else _left_of(update, lost.steps[place].before, after)
        steps.append(Step(update, after, apply_one(after, left)))
        after = steps[-1].after
    if after is metadata:
        return TransactionCommit(metadata, tuple(steps), changed=False)
    done = stamped(metadata, after, metadata_file=metadata_file, timestamp_ms=timestamp_ms)
    return TransactionCommit(done, tuple(steps), changed=True)


def _left_of(update: Update, before: TableMetadata, now: TableMetadata) -> Update:
    if not isinstance(update, UpdateSchema):
        return update
    return without_columns_that_others_added(
        update, apply_update(before, update), before.current_schema, now.current_schema
    )


def apply_one(metadata: TableMetadata, update: Any) -> TableMetadata:
    """Return the metadata after one update, without commit time and log; the same object if nothing changes.

    Raises `SchemaUpdateError`.
    """
    match update:
        case UpdateSchema():
            return change_schema(metadata, update).metadata
        case UpdateSpec():
            return change_spec(metadata, update).metadata
        case UpdateSortOrder():
            return change_sort_order(metadata, update).metadata
        case UpdateProperties():
            return change_properties(metadata, update)
        case UpgradeFormatVersion(version=version):
            return upgrade(metadata, version)
        case UndeleteColumn():
            return undelete(metadata, update).metadata
        case SetNameMapping(mapping=mapping):
            return change_name_mapping(metadata, mapping)
    raise SchemaUpdateError(f"Not an update of a table: {update!r}")
