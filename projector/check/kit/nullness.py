"""Whether rows that are there can be null in a field, for the rules on nullability."""

from __future__ import annotations

from dataclasses import dataclass

from projector.check.change.change import Change
from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.state import TableState
from projector.check.level import Level
from projector.check.report.findings import Evidence
from projector.projection.plan import Fail, FailCode, Read


@dataclass(frozen=True, slots=True)
class Nulls:
    """What is known of the nulls of a required field.

    Parameters
    ----------
    evidence:
        The files that have nulls; where none is known to, those that may.
    counted:
        Whether some file certainly has nulls: it lacks the field, or its manifest counts them.
    excluded:
        Whether no file can have any.
    """

    evidence: Evidence
    counted: bool
    excluded: bool


def may_be_read_as_null(change: Change, field_id: int) -> bool:
    """Whether rows that were written before may have no value for a required field."""
    if not change.before.may_have_data:
        return False
    if change.after.level < Level.FOOTERS:
        return True
    return any(isinstance(n, Fail) and n.code is FailCode.REQUIRED for _, n in change.after.nodes(field_id))


def nulls_of(state: TableState, field_id: int) -> Nulls:
    """The nulls that live files have, or may have, in a field that the state's schema requires."""
    if state.level < Level.FOOTERS:
        return Nulls(Evidence(), counted=False, excluded=not state.may_have_data)
    missing: list[LiveGroup] = []
    optional: list[LiveGroup] = []
    for group, node in state.nodes(field_id):
        if isinstance(node, Fail) and node.code is FailCode.REQUIRED:
            missing.append(group)
        elif getattr(node, "check_null", False):
            optional.append(group)
    # Only a field that every row has exactly once can be judged by its null count, and only where the file has ids:
    # metrics of the others may have been recorded under another field's id.
    certain: set[str] = set()
    unknown: set[str] = set()
    plain = field_id not in state.schema.parents_by_id
    for group in optional:
        by_id = group.schema.has_field_ids and any(
            isinstance(node, Read) for held, node in state.nodes(field_id) if held is group
        )
        if not (plain and by_id):
            unknown.update(group.files.paths)
            continue
        counts = state.files.metric(group.files, "null_value_counts", field_id)
        for path, count in zip(group.files.paths, counts, strict=True):
            if count is None:
                unknown.add(path)
            elif count:
                certain.add(path)
    lacking = {path for group in missing for path in group.files.paths}
    groups = (*missing, *optional)
    if lacking or certain:
        facts = []
        if lacking:
            facts.append(f"{len(lacking)} of these files lack it")
        if certain:
            facts.append(f"in {len(certain)} of these files the manifest counts nulls")
        held = lacking | certain
        return Nulls(state.footers.evidence(groups, *facts, where=lambda f: f.path in held), True, False)
    if unknown:
        fact = "these files may hold nulls: the column is optional in them, and no null count is known"
        return Nulls(state.footers.evidence(optional, fact, where=lambda f: f.path in unknown), False, False)
    return Nulls(Evidence(), counted=False, excluded=not state.files.live.unreadable)
