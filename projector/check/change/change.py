"""A proposed change as rules see it: the table before and after, the refusals, and the operation behind each field."""

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
    """A proposed change and its table before and after.

    Parameters
    ----------
    proposal:
        The proposal.
    before:
        The table as it is.
    after:
        The table with everything applied that can be; `before` itself if nothing changes.
    trial:
        Which operations were applied, and which were refused.
    queries:
        Downstream queries by name.
    query_tables:
        Further tables that the queries may name.
    """

    proposal: Proposal
    before: TableState
    after: TableState
    trial: Trial = field(repr=False)
    queries: Mapping[str, str] = field(default_factory=dict, repr=False)
    query_tables: Mapping[str, SnapshotSource] = field(default_factory=dict, repr=False)

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """The parts that cannot be applied, in the order of the operations."""
        return self.trial.refusals

    @property
    def incompatible_allowed(self) -> bool:
        """Whether the update itself allows incompatible changes (required columns, optional to required)."""
        return self.proposal.incompatible_allowed

    @cached_property
    def diff(self) -> SchemaDiff:
        """The differences between the schemas before and after, by field id."""
        return diff_schemas(self.before.schema, self.after.schema)

    def changes(self, *kinds: Kind) -> Iterator[FieldChange]:
        """Yield the schema differences of some kinds."""
        return (change for change in self.diff.changes if change.kind in kinds)

    def added_fields(self) -> Iterator[NestedField]:
        """Yield every field, at any depth, that only the schema after has."""
        known = self.before.schema.fields_by_id
        return (f for field_id, f in self.after.schema.fields_by_id.items() if field_id not in known)

    def added_tops(self) -> Iterator[NestedField]:
        """Yield the added fields whose parent existed before: fields inside an added field are left out."""
        known, parents = self.before.schema.fields_by_id, self.after.schema.parents_by_id
        return (f for f in self.added_fields() if f.field_id not in parents or parents[f.field_id] in known)

    def dropped_fields(self) -> Iterator[NestedField]:
        """Yield every field, at any depth, that only the schema before has."""
        known = self.after.schema.fields_by_id
        return (f for field_id, f in self.before.schema.fields_by_id.items() if field_id not in known)

    @cached_property
    def undeleted(self) -> frozenset[int]:
        """The ids of fields that are restored under their old id, and of all fields inside them."""
        found: set[int] = set()
        for other in self.trial.others:
            if isinstance(other.operation, UndeleteColumn):
                before, after = (m.current_schema.fields_by_id.keys() for m in (other.before, other.after))
                found |= after - before
        return frozenset(found & self.after.schema.fields_by_id.keys())

    @cached_property
    def mapping_effects(self) -> MappingEffects:
        """The effects of a changed name mapping on files without field ids."""
        return mapping_effects(self.before, self.after)

    @cached_property
    def operations_by_field(self) -> OperationsByField:
        """The operations by the fields that they change."""
        return operations_by_field(self.trial.applied, self.trial.others)

    @cached_property
    def values(self) -> ChangeValues | None:
        """The values before and after; None below level `values`, and if nothing changes."""
        after = values_of(self.after)
        if after is None or self.before is self.after:
            return None
        from projector.check.values.state_values import ChangeValues

        # Fields that become visible again are meant to differ, and so are the columns that hold them.
        restored = {*self.undeleted, *self.mapping_effects.gained}
        return ChangeValues(after, frozenset(_top(self.after.schema, i) for i in restored))

    @cached_property
    def query_differences(self) -> tuple[QueryDifference, ...]:
        """The queries that the change affects, and those that do not run."""
        if not self.queries or self.before is self.after:
            return ()
        from projector.check.change.queries import compare_queries

        return tuple(compare_queries(self.queries, self.before, self.after, self.query_tables))

    def source(self, field_id: int | None, *kinds: type[Operation]) -> Source | None:
        """Return the place in the text of the operation that changed a field, or its nearest parent.

        For None, return the place of the operation on something other than columns, if there is only one.

        Parameters
        ----------
        kinds:
            The kinds of operation that count; all of them if none are given.
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
        """Return the finding that says why something cannot be applied."""
        facts: dict[str, Any] = {"path": refusal.path, "field_id": refusal.field_id, "source": refusal.source, **more}
        return Finding(message, Direction.CANNOT_APPLY, explains=refusal, **facts)

    def place(self, finding: Finding, *kinds: type[Operation]) -> Finding:
        """Return a finding with the source of the operation that changed its field."""
        return finding.filled(source=self.source(finding.field_id, *kinds))


def _top(schema: Schema, field_id: int) -> int:
    """Return the id of the top-level column that contains a field."""
    while field_id in schema.parents_by_id:
        field_id = schema.parents_by_id[field_id]
    return field_id


def make_change(metadata: TableMetadata, proposal: Proposal, files: TableFiles, *, all_columns: bool = False) -> Change:
    """Try a proposal on a table.

    Parameters
    ----------
    all_columns:
        Read the values of all columns, not only of those that the change can affect.
    """
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
