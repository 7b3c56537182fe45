"""Whether a column can be required: what is proven of its nulls, at the level that is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from projector.check.evidence.state import TableState
from projector.check.kit.nullness import nulls_of
from projector.check.level import Level
from projector.check.report.findings import Evidence
from projector.metadata.snapshots import Snapshot
from projector.planning.filters.expressions import Expression
from projector.planning.forecast.null_proof import NullProof, prove_no_nulls
from projector.planning.scan.tasks import FileTask
from projector.schema.schema import Schema


@dataclass(frozen=True, slots=True)
class NullEvidence:
    """What is known of nulls in a column that is to be required.

    Parameters
    ----------
    evidence:
        The files that have nulls; where none is known to, those that may; and how it is known.
    present:
        Whether some live row certainly has a null there.
    proven:
        Whether certainly none has.
    """

    evidence: Evidence
    present: bool
    proven: bool


def null_evidence(before: TableState, after: TableState, field_id: int) -> NullEvidence:
    """What is known of nulls: at level `footers` from footers and counts, at level `values` by reading the rest.

    Parameters
    ----------
    before, after:
        The table while the column is optional, and with it required.
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
        evidence = Evidence(
            evidence.files, evidence.of_files, evidence.rows, evidence.shapes, evidence.first_file,
            (*evidence.facts, fact),
        )  # fmt: skip
    return NullEvidence(evidence, nulls.counted, proven=False)


def _by_reading(state: TableState, field_id: int) -> NullEvidence | None:
    """The proof from counts, and from reading where they do not tell; None where nulls cannot be counted so."""
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
