"""Check a proposal against a table, or audit the table, and return a report. Nothing is written or committed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any, Final

from projector.check.change.change import Change, make_change
from projector.check.change.metadata_changes import metadata_changes
from projector.check.change.proposal import Proposal
from projector.check.evidence.state import TableFiles, TableState
from projector.check.level import EVERY_FILE, Level, SampleSize
from projector.check.portability import ALL_ENGINES, Engine
from projector.check.progress import Progress, ProgressCounter
from projector.check.report.findings import Finding
from projector.check.report.looked_at import LookedAt, Unreadable
from projector.check.report.policy import Compatibility
from projector.check.report.report import Report, ShapeRow, SideBySide
from projector.check.report.suppressions import Suppression, inline, sift
from projector.check.run_rules import audit_state, check_change, rules_for
from projector.check.values.values_of import values_of
from projector.errors import UnsupportedError
from projector.files.shapes.cache import ShapeCache
from projector.files.storage.locations import PathResolver
from projector.files.storage.storage import Storage
from projector.metadata.snapshots import Snapshot
from projector.metadata.table_metadata import TableMetadata
from projector.planning.scan.source import SnapshotSource
from projector.projection.plan import Plan

ORACLE: Final = "rows"
"""The engine that judges chosen rows of the other engines."""


@dataclass(frozen=True)
class Settings:
    """The settings of a check.

    Parameters
    ----------
    level, compatibility:
        How deep to read, and who must be able to read what.
    select, ignore:
        Prefixes of the codes to report, and of the codes to leave out.
    suppressions:
        Suppressions of the configuration.
    engines:
        The readers whose problems to report. At level `values`, those with an executor in projector read the files.
    sample, all_columns:
        At level `values`: how many files of each kind to read, and whether to read columns that the change does not
        affect.
    queries:
        Downstream queries by name, to run before and after the change.
    query_tables:
        Further tables that the queries may name.
    shape_cache, executor:
        The cache on disk for files and manifests, and the executor that reads footers; None reads in this process.
    progress:
        A callback for the progress of the check.
    """

    level: Level = Level.FOOTERS
    compatibility: Compatibility = Compatibility.BACKWARD_TRANSITIVE
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    engines: frozenset[Engine] = ALL_ENGINES
    sample: SampleSize = EVERY_FILE
    all_columns: bool = False
    queries: Mapping[str, str] = field(default_factory=dict)
    query_tables: Mapping[str, SnapshotSource] = field(default_factory=dict)
    shape_cache: ShapeCache | None = None
    executor: Executor | None = field(default=None, repr=False)
    progress: Callable[[Progress], None] | None = field(default=None, repr=False)


def check_table(
    metadata: TableMetadata,
    storage: Storage,
    resolver: PathResolver,
    proposal: Proposal | None,
    settings: Settings,
) -> Report:
    """Check a proposal, or audit the table if there is none.

    Raises
    ------
    NotFoundError, CorruptFileError, InvalidMetadataError, UnsupportedError
        If the table itself cannot be read.
    """
    snapshots = _snapshots(metadata, settings.compatibility)
    executors, missing = _executors(settings)
    files = TableFiles(
        metadata,
        storage,
        resolver,
        settings.level,
        snapshots,
        settings.engines,
        executors,
        settings.sample,
        settings.shape_cache,
        settings.executor,
        ProgressCounter(settings.progress),
    )
    if proposal is None:
        state = TableState(metadata, metadata.current_schema, files)
        findings = audit_state(state, settings.compatibility)
        return _report(state, None, findings, settings, missing)
    change = make_change(metadata, proposal, files, all_columns=settings.all_columns)
    change = replace(change, queries=settings.queries, query_tables=settings.query_tables)
    return _report(change.before, change, check_change(change, settings.compatibility), settings, missing)


def _executors(settings: Settings) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the engines that read at level `values`, always with Arrow, and a sentence for each one missing."""
    if settings.level < Level.VALUES:
        return (), ()
    from projector.engines.registry import EXECUTORS, executor

    wanted = {"arrow", *map(str, settings.engines)}
    found, missing = [], []
    for engine in EXECUTORS:
        if engine == ORACLE or engine not in wanted:
            continue
        try:
            executor(engine)
        except (UnsupportedError, ImportError) as error:
            missing.append(f"values by engine {engine}: {error}")
        else:
            found.append(engine)
    return tuple(found), tuple(missing)


def _snapshots(metadata: TableMetadata, compatibility: Compatibility) -> tuple[Snapshot, ...]:
    """Return the snapshots to check, the current one first."""
    current = metadata.current_snapshot
    first = () if current is None else (current,)
    if not compatibility.is_transitive:
        return first
    return (*first, *(s for s in reversed(metadata.snapshots) if s is not current))


def _report(
    state: TableState,
    change: Change | None,
    findings: Sequence[Finding],
    settings: Settings,
    missing_engines: tuple[str, ...],
) -> Report:
    proposal = None if change is None else change.proposal
    comments = inline(proposal.script) if proposal is not None else ()
    sifted = sift(
        findings,
        state.metadata.location,
        select=settings.select,
        ignore=settings.ignore,
        suppressions=(*comments, *settings.suppressions),
    )
    live, footers = state.files.live, state.files.footers
    return Report(
        table=state.metadata.location,
        proposal=None if proposal is None else proposal.text or _described(change),
        level=settings.level,
        compatibility=settings.compatibility,
        before=state.schema,
        after=None if change is None else change.after.schema,
        findings=sifted.findings,
        looked_at=LookedAt(
            snapshots=len(live.snapshots),
            manifests=len(live.manifests),
            data_files=len(live.data),
            delete_files=len(live.deletes),
            footers=footers.file_count,
            shapes=footers.shape_count,
            rows=footers.row_count,
            **_values_looked_at(state, change),
            rules=len(rules_for(settings.level)),
        ),
        not_looked_at=(*_not_looked_at(state, settings), *_unsteady(change), *missing_engines),
        unreadable=(*live.unreadable, *footers.unreadable, *_missing_deletes(state), *_unread_values(state, change)),
        suppressed=sifted.suppressed,
        unused_suppressions=sifted.unused,
        notes=() if proposal is None else proposal.notes,
        proposal_file=None if proposal is None else proposal.file,
        shapes=_shape_rows(state, change),
        comparisons=_comparisons(change),
    )


def _values_looked_at(state: TableState, change: Change | None) -> dict[str, Any]:
    """Return the counts of values that were read. The state after a change counts, or the state of an audit."""
    values = values_of(state) if change is None else values_of(change.after)
    if values is None:
        return {}
    return {
        "values_files": values.compared,
        "values_rows": values.rows["arrow"],
        "rows_by_engine": values.rows,
        "proved_columns": len(state.schema.fields) - len(values.schema.fields) if values.columns is not None else 0,
        "engines": (ORACLE, *values.engines),
        "filters": values.filter_count,
    }


def _missing_deletes(state: TableState) -> tuple[Unreadable, ...]:
    return state.files.entry_checks.missing_deletes if state.level >= Level.FOOTERS else ()


def _unread_values(state: TableState, change: Change | None) -> tuple[Unreadable, ...]:
    values = values_of(state) if change is None else values_of(change.after)
    return () if values is None else values.unreadable


def _comparisons(change: Change | None) -> tuple[SideBySide, ...]:
    """Return the first rows of some files, before and after."""
    if change is None or change.values is None:
        return ()
    return change.values.side_by_side


def _described(change: Change | None) -> str:
    """Return the text of a proposal that is not SQL."""
    if change is None:
        return ""
    lines = [str(difference) for difference in change.diff.changes]
    lines += metadata_changes(change.before.metadata, change.after.metadata)
    lines += [f"refused: {refusal.error.message}" for refusal in change.refusals]
    return "\n".join(lines) or "no change"


def _unsteady(change: Change | None) -> Iterator[str]:
    """Yield a sentence for each query whose rows cannot be compared."""
    for difference in change.query_differences if change is not None else ():
        if difference.unsteady:
            yield f"rows of query {difference.name}: it returns different rows each time, also without the change"


def _not_looked_at(state: TableState, settings: Settings) -> list[str]:
    """Return a sentence for each thing that the check did not read."""
    metadata, said = state.metadata, []
    others = len(metadata.snapshot_ids) - len(state.files.snapshots)
    if settings.level < Level.FOOTERS:
        said.append("data files: level schema opens none")
    elif others:
        said.append(f"{others} older snapshots: compatibility {settings.compatibility} looks at the current one")
    if settings.level < Level.VALUES:
        said.append("values: only level values reads rows")
    values = values_of(state)
    if values is not None and values.sample.left_out:
        left = values.sample
        said.append(
            f"values in {left.left_out} files with {left.left_out_rows} rows: a sample was read that covers every"
            " shape, partition spec and kind of deletes"
        )
    if values is not None and values.variants:
        said.append(f"values of {', '.join(values.variants)}: variant columns are not supported")
    if values is not None and values.unread_columns:
        said.append(f"whether {values.unread_columns} columns that the change cannot alter can be read")
    if state.level >= Level.FOOTERS:
        checks = state.files.entry_checks
        if checks.not_compared:
            said.append(f"statistics of {checks.not_compared} files beside their manifest entries")
        if checks.without_size:
            said.append(f"sizes of {checks.without_size} files: their store does not report them")
    if state.files.live.deletes and settings.level == Level.FOOTERS:
        said.append(f"the contents of {len(state.files.live.deletes)} delete files")
    return said


def _shape_rows(state: TableState, change: Change | None) -> tuple[ShapeRow, ...]:
    after = state if change is None else change.after
    rows = []
    for (group, before_plan), (_, after_plan) in zip(state.plans, after.plans, strict=True):
        one, other = _origins(before_plan), _origins(after_plan)
        origins = {i: (one.get(i), other.get(i)) for i in dict.fromkeys((*one, *other))}
        rows.append(ShapeRow(len(group.files), group.rows, group.files[0].path, origins))
    return tuple(rows)


def _origins(plan: Plan) -> dict[int, str]:
    return {node.field.field_id: str(node.origin) for node in plan.walk()}
