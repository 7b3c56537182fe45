"""Updates of specs, sort orders and whole transactions as `with` blocks, in pyiceberg's style."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from projector.evolution.updates.pyiceberg_style import UpdateSchemaContext
from projector.evolution.updates.schema_commit import SchemaCommit
from projector.evolution.updates.transaction import Transaction, TransactionCommit, Update
from projector.evolution.updates.update_schema import Names, UpdateSchema
from projector.evolution.updates.update_sort_order import UpdateSortOrder
from projector.evolution.updates.update_spec import UpdateSpec
from projector.schema.name_mapping import NameMapping

Finish = Callable[[Transaction], TransactionCommit]
"""Commits a transaction or, for a dry run, only prepares it."""


class _Block:
    """A `with` block whose end commits or prepares what was recorded in it.

    Attributes
    ----------
    commit:
        The commit that the end of the block made; None before that, after an error, and inside a transaction.
    """

    def __init__(self, finish: Callable[[], TransactionCommit | None], abandon: Callable[[], None]) -> None:
        self.commit: TransactionCommit | None = None
        self._finish = finish
        self._abandon = abandon

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.commit = self._finish()
        else:
            self._abandon()


class UpdateSpecContext(_Block, UpdateSpec):
    """An `UpdateSpec` that the end of its block commits."""

    def __init__(
        self,
        finish: Callable[[Update], TransactionCommit | None],
        abandon: Callable[[Update], None],
        case_sensitive: bool,
    ) -> None:
        UpdateSpec.__init__(self, case_sensitive=case_sensitive)
        _Block.__init__(self, lambda: finish(self), lambda: abandon(self))


class UpdateSortOrderContext(_Block, UpdateSortOrder):
    """An `UpdateSortOrder` that the end of its block commits."""

    def __init__(
        self,
        finish: Callable[[Update], TransactionCommit | None],
        abandon: Callable[[Update], None],
        case_sensitive: bool,
    ) -> None:
        UpdateSortOrder.__init__(self, case_sensitive=case_sensitive)
        _Block.__init__(self, lambda: finish(self), lambda: abandon(self))

    def asc(self, column: Names, transform: Any = None, null_order: Any = "nulls-last") -> Self:
        """Sort by a column, ascending. Nulls come last by default, as in pyiceberg, whose method this is."""
        super().asc(column, transform, null_order)
        return self


class TransactionContext(_Block):
    """Records several updates inside a `with` block, and commits them as one change if the block ends without an
    error.

    An update with a block of its own counts only if that block ends without an error too.
    """

    def __init__(self, transaction: Transaction, finish: Finish) -> None:
        self.transaction = transaction
        super().__init__(lambda: finish(transaction), lambda: None)

    def update_schema(self) -> UpdateSchemaContext:
        """Change the schema, with pyiceberg's method names, in a block of its own or without one."""
        update = UpdateSchema(
            case_sensitive=self.transaction.case_sensitive,
            allow_incompatible_changes=self.transaction.allow_incompatible_changes,
        )
        self.transaction.record(update)
        return _SchemaPart(update, self.transaction)

    def update_spec(self) -> UpdateSpecContext:
        """Change the partition spec."""
        part = UpdateSpecContext(_nothing, self.transaction.withdraw, self.transaction.case_sensitive)
        self.transaction.record(part)
        return part

    def update_sort_order(self) -> UpdateSortOrderContext:
        """Change the table's sort order."""
        part = UpdateSortOrderContext(_nothing, self.transaction.withdraw, self.transaction.case_sensitive)
        self.transaction.record(part)
        return part

    def set_properties(self, properties: Mapping[str, str] | None = None, **more: str) -> Self:
        """Set table properties."""
        self.transaction.set_properties(properties, **more)
        return self

    def remove_properties(self, *keys: str) -> Self:
        """Remove table properties."""
        self.transaction.remove_properties(*keys)
        return self

    def upgrade_table_version(self, format_version: int) -> Self:
        """Raise the table's format version."""
        self.transaction.upgrade_table_version(format_version)
        return self

    def undelete_column(self, path: Names, new_name: str | None = None, *, as_optional: bool = False) -> Self:
        """Bring a dropped column back under its old id."""
        self.transaction.undelete_column(path, new_name, as_optional=as_optional)
        return self

    def set_name_mapping(self, mapping: NameMapping | None = None) -> Self:
        """Set the name mapping; None is the mapping of every column by its present name."""
        self.transaction.set_name_mapping(mapping)
        return self


class _SchemaPart(UpdateSchemaContext):
    """A schema update inside a transaction."""

    def __init__(self, update: UpdateSchema, transaction: Transaction) -> None:
        super().__init__(update, _no_commit)
        self._transaction = transaction

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is not None:
            self._transaction.withdraw(self.update)


def _nothing(_: Update) -> None:
    return None


def _no_commit(_: UpdateSchema) -> SchemaCommit:
    raise AssertionError("the transaction commits its parts")
