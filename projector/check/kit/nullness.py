"""Whether a column holds nulls: by footers and null counts, and at level `values` by reading what these leave open."""

from __future__ import annotations

from dataclasses import dataclass, replace

from projector.check.change.change import Change
from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.state import TableState
from projector.check.level import Level
from projector.check.report.findings import Evidence
from projector.metadata.snapshots import Snapshot
from projector.planning.filters.expressions import Expression
from projector.planning.forecast.null_proof import NullProof, prove_no_nulls
from projector.planning.scan.tasks import FileTask
from projector.projection.plan import Fail, FailCode, Read, Stored
from projector.schema.schema import Schema


@dataclass(frozen=True, slots=True)
class Nulls:
    """What footers and manifests say about the nulls of a required field.

    Parameters
    ----------
    evidence:
        The files that have nulls; if none is known to, the files that may.
    counted:
        Whether some file certainly has nulls: it lacks the field, or its manifest counts them.
    excluded:
        Whether no file can have any.
    """

    evidence: Evidence
    counted: bool
    excluded: bool


def may_be_read_as_null(change: Change, field_id: int) -> bool:
    """Return whether rows written before a change may have no value for a required field."""
    if not change.before.may_have_data:
        return False
    if change.after.level < Level.FOOTERS:
        return True
    return any(isinstance(n, Fail) and n.code is FailCode.REQUIRED for _, n in change.after.nodes(field_id))


def nulls_of(state: TableState, field_id: int) -> Nulls:
    """Return the nulls that live files have, or may have, in a field that the state's schema requires."""
    if state.level < Level.FOOTERS:
        return Nulls(Evidence(), counted=False, excluded=not state.may_have_data)
    missing: list[LiveGroup] = []
    optional: list[LiveGroup] = []
    for group, node in state.nodes(field_id):
        if isinstance(node, Fail) and node.code is FailCode.REQUIRED:
            missing.append(group)
        elif isinstance(node, Stored) and node.check_null:
            optional.append(group)
    # A null count counts only for a field that every row has exactly once, and only in files with ids: metrics of other
    # files may have been recorded under another field's id.
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


@dataclass(frozen=True, slots=True)
class NullEvidence:
    """Whether a column that is to become required holds nulls, and how that is known.

    Parameters
    ----------
    evidence:
        The files that have nulls, or may have if none is known to; and how that is known.
    present:
        Whether some live row certainly is null.
    proven:
        Whether certainly no live row is null.
    """

    evidence: Evidence
    present: bool
    proven: bool


def null_evidence(before: TableState, after: TableState, field_id: int) -> NullEvidence:
    """Return whether a column holds nulls: from footers and counts, at level `values` by reading the other files.

    Parameters
    ----------
    before, after:
        The table with the column optional, and with it required.
    """
    if not before.may_have_data:
        return NullEvidence(Evidence(facts=("proven: there are no rows",)), present=False, proven=True)
    if before.level >= Level.VALUES:
        read = _by_reading(before, field_id)
        if read is not None:
            return read
    nulls = nulls_of(after, field_id)
    if nulls.excluded:
        number = len(after.files.live.data)
        fact = f"proven: no row is null, by the footers and null counts of {number} files"
        return NullEvidence(Evidence(of_files=number, facts=(fact,)), present=False, proven=True)
    evidence = nulls.evidence
    if not nulls.counted:
        read_more = "" if before.level >= Level.VALUES else "; level values reads them"
        fact = f"not proven that no row is null{read_more}"
        evidence = replace(evidence, facts=(*evidence.facts, fact))
    return NullEvidence(evidence, nulls.counted, proven=False)


def _by_reading(state: TableState, field_id: int) -> NullEvidence | None:
    """Return the proof from counts, and from reading files without counts; None if nulls cannot be counted so."""
    proof = _proof(state, field_id)
    if proof is None or proof.unsupported is not None:
        return None
    read = len(proof.others)
    checked = f"by null counts of {proof.proven_by_counts} files and by reading {read}"
    if proof.proven:
        evidence = Evidence(of_files=proof.proven_by_counts + read, facts=(f"proven: no live row is null, {checked}",))
        return NullEvidence(evidence, present=False, proven=True)
    held = [file for file in proof.others if file.nulls]
    evidence = Evidence(
        files=len(held),
        of_files=proof.proven_by_counts + read,
        rows=sum(file.rows or 0 for file in held),
        first_file=held[0].file if held else None,
        facts=(f"{proof.nulls} live rows are null, {checked}",),
    )
    return NullEvidence(evidence, present=True, proven=False)


def _proof(state: TableState, field_id: int) -> NullProof | None:
    from projector.engines.registry import executor
    from projector.planning.scan.projected_files import PlanCache, project_files
    from projector.planning.scan.source import SnapshotSource

    files, metadata = state.files, state.metadata
    if field_id not in metadata.current_schema.fields_by_id:
        return None

    schema = metadata.current_schema
    top = field_id
    while top in schema.parents_by_id:
        top = schema.parents_by_id[top]
    columns = Schema((schema.fields_by_id[top],))

    def count(snapshot: Snapshot, task: FileTask, row_filter: Expression) -> int:
        source = SnapshotSource(metadata, snapshot, schema, files.storage, files.resolver)
        request = source.request(columns, row_filter, (task,))
        projected = project_files((task,), PlanCache(request.wide_schema, request.name_mapping), request.storage)
        return sum(batch.num_rows for batch in executor("arrow")(projected, request, 65_536))

    return prove_no_nulls(metadata, schema.name_of(field_id), files.storage, files.resolver, count)
