"""A proposed change as rules see it: the table before and after, what was refused, and which operation did what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from projector.check.change.affected_columns import affected_columns
from projector.check.change.mapping_changes import MappingEffects, mapping_effects
from projector.check.change.operations_by_field import OperationsByField, operations_by_field
from projector.check.change.proposal import Proposal
from projector.check.change.trial import Trial, try_update
from projector.check.change.trial_transaction import try_transaction
from projector.check.evidence.state import TableFiles, TableState
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.check.report.refusal import Refusal
from projector.check.values.values_of import values_of
from projector.evolution.diff.schema_diff import Change as FieldChange
from projector.evolution.diff.schema_diff import Kind, SchemaDiff, diff_schemas
from projector.evolution.operations.schema import Operation, Source
from projector.evolution.updates.transaction import Transaction
from projector.evolution.updates.undelete import UndeleteColumn
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema
from projector.schema.types import NestedField

if TYPE_CHECKING:
    from projector.check.change.queries import QueryDifference
    from projector.check.values.state_values import ChangeValues
    from projector.planning.scan.source import SnapshotSource


@dataclass(frozen=True)
class Change:
    """A change and the table that it is proposed for.

    Parameters
    ----------
    proposal:
        What was asked for.
    before:
        The table as it is.
    after:
        The table with what of the proposal can be applied; `before` itself where nothing changes.
    trial:
        How the operations fared.
    queries:
        Downstream queries by their names.
    query_tables:
        Further tables that they may name.
    """

    proposal: Proposal
    before: TableState
    after: TableState
    trial: Trial = field(repr=False)
    queries: Mapping[str, str] = field(default_factory=dict, repr=False)
    query_tables: Mapping[str, SnapshotSource] = field(default_factory=dict, repr=False)

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """What cannot be applied, in the order of the operations."""
        return self.trial.refusals

    @property
    def incompatible_allowed(self) -> bool:
        """Whether the update itself allows incompatible changes (required columns, optional to required)."""
        return self.proposal.incompatible_allowed

    @cached_property
    def diff(self) -> SchemaDiff:
        """What differs between the schemas before and after, by field id."""
        return diff_schemas(self.before.schema, self.after.schema)

    def changes(self, *kinds: Kind) -> Iterator[FieldChange]:
        """The differences of some kinds."""
        return (change for change in self.diff.changes if change.kind in kinds)

    def added_fields(self) -> Iterator[NestedField]:
        """Every field at every depth that only the schema after has."""
        known = self.before.schema.fields_by_id
        return (f for field_id, f in self.after.schema.fields_by_id.items() if field_id not in known)

    def added_tops(self) -> Iterator[NestedField]:
        """The added fields whose parent was there before: those inside an added field are not counted again."""
        known, parents = self.before.schema.fields_by_id, self.after.schema.parents_by_id
        return (f for f in self.added_fields() if f.field_id not in parents or parents[f.field_id] in known)

    def dropped_fields(self) -> Iterator[NestedField]:
        """Every field at every depth that only the schema before has."""
        known = self.after.schema.fields_by_id
        return (f for field_id, f in self.before.schema.fields_by_id.items() if field_id not in known)

    @cached_property
    def undeleted(self) -> frozenset[int]:
        """Ids of the fields that come back under the id they had, with everything in them."""
        found: set[int] = set()
        for other in self.trial.others:
            if isinstance(other.operation, UndeleteColumn):
                before, after = (m.current_schema.fields_by_id.keys() for m in (other.before, other.after))
                found |= after - before
        return frozenset(found & self.after.schema.fields_by_id.keys())

    @cached_property
    def mapping_effects(self) -> MappingEffects:
        """What becomes of columns of files without field ids by a change of the name mapping."""
        return mapping_effects(self.before, self.after)

    @cached_property
    def operations_by_field(self) -> OperationsByField:
        """Which operation touched which field."""
        return operations_by_field(self.trial.applied, self.trial.others)

    @cached_property
    def values(self) -> ChangeValues | None:
        """The values before and after; None below level `values`, and where nothing changes."""
        after = values_of(self.after)
        if after is None or self.before is self.after:
            return None
        from projector.check.values.state_values import ChangeValues

        # What is seen again is meant to differ, with the column that holds it.
        back = {*self.undeleted, *self.mapping_effects.gained}
        return ChangeValues(after, frozenset(_top(self.after.schema, i) for i in back))

    @cached_property
    def query_differences(self) -> tuple[QueryDifference, ...]:
        """The queries that the change affects."""
        if not self.queries or self.before is self.after:
            return ()
        from projector.check.change.queries import compare_queries

        return tuple(compare_queries(self.queries, self.before, self.after, self.query_tables))

    def source(self, field_id: int | None, *kinds: type[Operation]) -> Source | None:
        """Where the operation is written that touched a field, or the nearest of its parents.

        Parameters
        ----------
        kinds:
            The kinds of operation that count; all of them unless given.

        For None it is the one operation on anything but columns, where there is one only.
        """
        if field_id is None:
            sources = {o.operation.source for o in self.trial.others if not kinds or isinstance(o.operation, kinds)}
            return next(iter(sources)) if len(sources) == 1 else None
        parents: Mapping[int, int] = {**self.before.schema.parents_by_id, **self.after.schema.parents_by_id}
        while field_id is not None:
            found = self.operations_by_field.find(field_id, kinds)
            if found is not None:
                return found.source
            field_id = parents.get(field_id)
        return None

    def refused(self, refusal: Refusal, message: str, **more: Any) -> Finding:
        """The finding that says why something cannot be applied."""
        facts: dict[str, Any] = {"path": refusal.path, "field_id": refusal.field_id, "source": refusal.source, **more}
        return Finding(message, Direction.CANNOT_APPLY, explains=refusal, **facts)

    def place(self, finding: Finding, *kinds: type[Operation]) -> Finding:
        """A finding with the source of the operation that touched its field."""
        return finding.filled(source=self.source(finding.field_id, *kinds))


def _top(schema: Schema, field_id: int) -> int:
    """The top-level column that a field is in."""
    while field_id in schema.parents_by_id:
        field_id = schema.parents_by_id[field_id]
    return field_id


def make_change(metadata: TableMetadata, proposal: Proposal, files: TableFiles, *, all_columns: bool = False) -> Change:
    """Try a proposal on a table; `all_columns`: look at the values of all columns, not of those involved alone."""
    before = TableState(metadata, metadata.current_schema, files)
    update = proposal.update
    trial = try_transaction(metadata, update) if isinstance(update, Transaction) else try_update(metadata, update)
    if proposal.refused:
        refused = tuple(Refusal(error, None, metadata.current_schema) for error in proposal.refused)
        trial = replace(trial, refusals=(*refused, *trial.refusals))
    if trial.metadata.raw == metadata.raw:
        return Change(proposal, before, before, trial)
    after = TableState(trial.metadata, trial.schema, files, before=before)
    if files.level >= Level.VALUES:
        columns = None if all_columns else affected_columns(before, after)
        before = replace(before, columns=columns)
        after = replace(after, columns=columns, before=before)
    return Change(proposal, before, after, trial)
