"""R103 takes-over-mapped-name.

What it does:
    Finds an added or renamed column that takes a name which the name mapping lists for another column.

Why it matters:
    In files without field ids the name is all there is, and Iceberg gives it to the newcomer: their values move to
    it, and the column that had them is null there.

Evidence:
    The live files without field ids that have a column of the name.

Example:
    ALTER TABLE imported RENAME COLUMN v TO w; ALTER TABLE imported ADD COLUMN v int

Instead:
    Take a name that the mapping does not list; or rewrite the files, so that they have field ids.

Reference:
    Spec, Column Projection; the ruling on a name taken over while a mapping lists it.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.evidence.footers import LiveGroup
from projector.check.kit.rule import Rule
from projector.check.kit.used_names import last_path, level_of
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding
from projector.evolution.operations.schema import AddColumn, RenameColumn
from projector.projection.plan import Fail, FailCode, PlanNode
from projector.schema.types import NestedField


def check(change: Change) -> Iterator[Finding]:
    """Every added or renamed field that finds values it did not have in a file without ids."""
    if change.before.name_mapping is None or not change.before.may_have_data:
        return
    renamed = {c.field_id for c in change.changes("renamed")}
    fields = [f for i, f in change.after.schema.fields_by_id.items() if i in renamed]
    for field in (*change.added_fields(), *fields):
        finding = _schema_only(change, field) if change.before.level < Level.FOOTERS else _in_files(change, field)
        if finding is not None:
            yield change.place(finding, AddColumn, RenameColumn)


def _listed_for(change: Change, field: NestedField) -> int | None:
    """The other id that the mapping lists a field's new name for, at the field's level."""
    mapping, level = change.before.name_mapping, level_of(change.after.schema, field.field_id)
    holder = mapping if level is None or mapping is None else mapping.find_by_id(level)
    entry = None if holder is None else holder.find(field.name)
    return None if entry is None or entry.field_id == field.field_id else entry.field_id


def _schema_only(change: Change, field: NestedField) -> Finding | None:
    owner = _listed_for(change, field)
    if owner is None:
        return None
    told = Evidence(facts=("whether live files have no field ids was not looked at",))
    return _finding(change, field, owner, told, Direction.OLD_DATA_AT_RISK)


def _in_files(change: Change, field: NestedField) -> Finding | None:
    before = {id(group): node for group, node in change.before.nodes(field.field_id)}
    groups = [
        group
        for group, node in change.after.nodes(field.field_id)
        if not group.schema.has_field_ids and _gained(group, before.get(id(group)), node)
    ]
    if not groups:
        return None
    evidence = change.before.footers.evidence(groups, f"these files have no field ids, and a column {field.name!r}")
    owner = _listed_for(change, field)
    return _finding(change, field, owner, evidence, Direction.ADVICE if owner is None else Direction.OLD_VALUES_CHANGE)


def _gained(group: LiveGroup, before: PlanNode | None, after: PlanNode) -> bool:
    """Whether a field finds a column of the files that it did not find before, beside its own or not."""
    if isinstance(after, Fail) and after.code is FailCode.DUPLICATE_ID:
        return not isinstance(before, Fail)
    column = group.column(after)
    return column is not None and (before is None or group.column(before) is not column)


def _finding(
    change: Change, field: NestedField, owner: int | None, evidence: Evidence, direction: Direction
) -> Finding:
    if owner is None:
        message = "files without field ids have a column of this name, whose values it will show"
    else:
        message = f"the name mapping lists this name for {last_path(change.before, owner) or 'another column'}" + (
            f" (id {owner}): its values in files without field ids move here"
        )
    path = change.after.dotted(field.field_id)
    return Finding(message, direction, path, field.field_id, evidence=evidence, help="take another name")


RULE = Rule(
    "R103",
    "takes-over-mapped-name",
    "Finds columns that take a name which the name mapping lists for another.",
    Level.SCHEMA,
    "Column Projection",
    on_change=check,
)
