"""A table's state as rules see it: metadata, a schema, and the live files, read under that schema.

Everything is computed on first use and cached. The files are those of the table as it is; the state after a change
shares them with the state before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from projector.check.evidence.bloom_columns import bloom_leaves
from projector.check.evidence.entry_checks import CELLS_COMPARED, EntryChecks, check_entries
from projector.check.evidence.find_live_files import find_live_files
from projector.check.evidence.footers import Footers, LiveGroup, read_footers
from projector.check.evidence.live_files import Files, LiveFile, LiveFiles
from projector.check.evidence.manifest_facts import AT_MOST, ManifestFacts, find_manifest_facts
from projector.check.evidence.metric_columns import metric_column
from projector.check.level import EVERY_FILE, Level, SampleSize
from projector.check.portability import ALL_ENGINES, Engine
from projector.check.progress import ProgressCounter
from projector.check.report.findings import NO_EVIDENCE, Evidence
from projector.errors import ProjectorError
from projector.files.cache.database import CacheFile
from projector.files.concurrency.gc_pause import gc_paused
from projector.files.shapes.cache import Marks, ShapeCache
from projector.files.storage.locations import PathResolver
from projector.files.storage.storage import Storage
from projector.metadata.snapshots import Snapshot
from projector.metadata.table_metadata import TableMetadata
from projector.projection.plan import Plan, PlanNode
from projector.projection.resolve import resolve
from projector.schema.name_mapping import NameMapping
from projector.schema.schema import Schema

T = TypeVar("T")


@dataclass(frozen=True)
class TableFiles:
    """The files of a table that a check reads, down to its level.

    Parameters
    ----------
    metadata:
        The table's metadata as it is.
    level:
        How deep to read. Manifests and footers are read from `footers` on.
    snapshots:
        The snapshots whose files count.
    engines:
        The readers whose problems to report.
    executors, sample:
        At level `values`: the engines that read, and how many files of each kind.
    shape_cache, executor:
        The cache on disk for files and manifests, and the executor that reads footers; None reads in this process.
    progress:
        Counts what is done.
    """

    metadata: TableMetadata
    storage: Storage = field(repr=False)
    resolver: PathResolver = field(repr=False)
    level: Level
    snapshots: tuple[Snapshot, ...]
    engines: frozenset[Engine] = ALL_ENGINES
    executors: tuple[str, ...] = ()
    sample: SampleSize = EVERY_FILE
    shape_cache: ShapeCache | None = None
    executor: Executor | None = field(default=None, repr=False)
    progress: ProgressCounter = field(default_factory=ProgressCounter, repr=False)

    @property
    def _cache(self) -> CacheFile | None:
        return None if self.shape_cache is None else self.shape_cache.file

    @cached_property
    def live(self) -> LiveFiles:
        """The live files, by the manifests; none at level `schema`."""
        if self.level < Level.FOOTERS:
            return LiveFiles()
        with gc_paused():
            return find_live_files(self.metadata, self.storage, self.resolver, self.snapshots, self._cache)

    @cached_property
    def footers(self) -> Footers:
        """The live data files grouped by their footers; empty at level `schema`."""
        files = self.live.data
        self.progress.begin("footers", len(files))
        with gc_paused():
            return read_footers(files, self.storage, self.shape_cache, self.executor, self.marks)

    @cached_property
    def marks(self) -> Marks:
        """Sizes and times of change of the live files, taken before any of them is read; empty at level `schema`."""
        locations = (run.column(run.source.locations) for run in self.live.all.runs)
        return Marks.take(chain.from_iterable(locations), self.storage)

    @cached_property
    def delete_footers(self) -> Footers:
        """The live Parquet delete files grouped by their footers; empty at level `schema`."""
        with gc_paused():
            return read_footers(self.live.deletes, self.storage, self.shape_cache, self.executor, self.marks)

    @cached_property
    def entry_checks(self) -> EntryChecks:
        """Contradictions between manifest entries and files; empty at level `schema`."""
        cells = None if self.level >= Level.VALUES else CELLS_COMPARED
        with gc_paused():
            return check_entries(
                self.live,
                self.footers,
                self.delete_footers,
                self.marks,
                self.metadata.current_schema,
                self.storage,
                self._cache,
                cells,
            )

    def bloom_leaves(self, group: LiveGroup) -> frozenset[int]:
        """Return the indexes of the leaf columns with bloom filters in a group's first file; none if it is unreadable.

        This opens the file once more, so it is only for the few rules and changes that need it.
        """
        known = self._bloom_leaves.get(id(group))
        if known is None:
            known = self._bloom_leaves[id(group)] = bloom_leaves(group.files[0], self.storage, self._cache)
        return known

    @cached_property
    def _bloom_leaves(self) -> dict[int, frozenset[int]]:
        return {}

    @cached_property
    def manifest_facts(self) -> ManifestFacts:
        """Contradictions in the manifest entries of live data files; empty at level `schema`.

        Bounds are checked in a sample of very many files; at level `values` in all.
        """
        try:
            mapping = self.metadata.name_mapping
        except ProjectorError:
            mapping = None
        at_most = None if self.level >= Level.VALUES else AT_MOST
        with gc_paused():
            return find_manifest_facts(self.metadata, mapping, self.live, at_most, self._cache)

    def metric(self, files: Files, name: str, field_id: int) -> list[Any]:
        """Return a statistic of one column for each of some files; see `metric_column`."""
        return metric_column(files, name, field_id, self._cache)

    @cached_property
    def by_spec(self) -> Mapping[int, Files]:
        """The live data and delete files by partition spec id; empty at level `schema`."""
        return self.live.all.by(lambda source, _: source.manifest.spec_id)

    @cached_property
    def equality_ids(self) -> Mapping[int, tuple[LiveFile, ...]]:
        """The live equality delete files by the id of each field that they compare."""
        found: dict[int, list[LiveFile]] = {}
        for file in self.live.deletes:
            for field_id in file.kind.equality_ids or ():
                found.setdefault(field_id, []).append(file)
        return {field_id: tuple(files) for field_id, files in found.items()}


@dataclass(frozen=True)
class TableState:
    """A table under one schema.

    Parameters
    ----------
    metadata:
        The metadata: as it is, or as a commit would leave it.
    schema:
        The schema that is, or would be, current.
    files:
        The live files.
    columns:
        Ids of the top-level columns whose values are read; None for all.
    before:
        The state before the change that led to this one. Its values are compared with this one's, and its parsed
        schemas are shared.
    """

    metadata: TableMetadata
    schema: Schema
    files: TableFiles = field(repr=False)
    columns: frozenset[int] | None = None
    before: TableState | None = field(default=None, repr=False)

    @property
    def level(self) -> Level:
        """How deep to read."""
        return self.files.level

    @property
    def engines(self) -> frozenset[Engine]:
        """The readers whose problems to report."""
        return self.files.engines

    @property
    def footers(self) -> Footers:
        """The live data files grouped by their footers."""
        return self.files.footers

    @cached_property
    def name_mapping(self) -> NameMapping | None:
        """The name mapping; None if there is none, or if it is unreadable (a rule reports that)."""
        try:
            return self.metadata.name_mapping
        except ProjectorError:
            return None

    @cached_property
    def history(self) -> Mapping[int, Schema]:
        """Every readable schema by id, in the order of the metadata."""
        found: dict[int, Schema] = {}
        earlier: Mapping[int, Schema] = {}
        json_before = self.metadata.schema_json
        if self.before is not None:  # a change leaves the schemas as they are, and there may be very many
            earlier, json_before = self.before.history, self.before.metadata.schema_json
        for schema_id in self.metadata.schema_ids:
            if schema_id in earlier and json_before(schema_id) == self.metadata.schema_json(schema_id):
                found[schema_id] = earlier[schema_id]
                continue
            try:
                found[schema_id] = self.metadata.schema(schema_id)
            except ProjectorError:
                continue
        return found

    @cached_property
    def owners(self) -> Mapping[tuple[int | None, str], tuple[int, ...]]:
        """Ids of the fields that have had each name under each parent id, the newest owner last."""
        found: dict[tuple[int | None, str], tuple[int, ...]] = {}
        for schema in (*self.history.values(), self.schema):
            parent_of = schema.parents_by_id.get
            for field_id, here in schema.fields_by_id.items():
                place = parent_of(field_id), here.name
                had = found.get(place)
                if had is None or had[-1] != field_id:
                    found[place] = (*(owner for owner in had or () if owner != field_id), field_id)
        return found

    @cached_property
    def plans(self) -> tuple[tuple[LiveGroup, Plan], ...]:
        """The plan of each group of files under this schema; empty at level `schema`."""
        return self.plans_under(self.schema)

    def plans_under(self, schema: Schema) -> tuple[tuple[LiveGroup, Plan], ...]:
        """Return the plan of each group of files under another schema."""
        mapping = self.name_mapping
        return tuple(
            (group, resolve(schema, group.schema, name_mapping=mapping, partition_fields=group.identity_ids))
            for group in self.footers.groups
        )

    @cached_property
    def _nodes(self) -> Mapping[int, tuple[tuple[LiveGroup, PlanNode], ...]]:
        found: dict[int, list[tuple[LiveGroup, PlanNode]]] = {}
        for group, plan in self.plans:
            for node in plan.walk():
                found.setdefault(node.field.field_id, []).append((group, node))
        return {field_id: tuple(nodes) for field_id, nodes in found.items()}

    def nodes(self, field_id: int) -> tuple[tuple[LiveGroup, PlanNode], ...]:
        """Return the plan node of a field in each group of files; empty at level `schema`."""
        return self._nodes.get(field_id, ())

    def evidence_where(self, field_id: int, holds: Callable[[LiveGroup, PlanNode], bool]) -> Evidence:
        """Return the files whose plan node of a field meets a condition."""
        groups = [group for group, node in self.nodes(field_id) if holds(group, node)]
        return self.footers.evidence(groups) if groups else NO_EVIDENCE

    def groups_with(self, field_id: int, name: str | None = None) -> list[LiveGroup]:
        """Return the groups of files with a column of some id at any depth, and of some name if one is given."""
        return [
            group
            for group in self.footers.groups
            if any(c.field_id == field_id and name in (None, c.name) for _, c in group.schema.walk())
        ]

    def stored(self, field_id: int) -> Evidence:
        """Return the files that hold a column for a field, under any name."""
        return self.evidence_where(field_id, lambda group, node: group.column(node) is not None)

    def once(self, make: Callable[[TableState], T]) -> T:
        """Return the result of a function of this state, which is called once and cached with the state."""
        if make not in self._made:
            self._made[make] = make(self)
        found: T = self._made[make]
        return found

    @cached_property
    def _made(self) -> dict[Callable[[TableState], Any], Any]:
        return {}

    @property
    def may_have_data(self) -> bool:
        """Whether the table may have rows: False if the metadata or the manifests say that it has none."""
        if not self.files.snapshots:
            return False
        return self.level < Level.FOOTERS or bool(self.files.live.data or self.files.live.unreadable)

    def dotted(self, field_id: int) -> str | None:
        """Return the dotted path of a field of this schema; None if the schema does not have the field."""
        path = self.schema.paths_by_id.get(field_id)
        return None if path is None else ".".join(path)

    def idless_groups(self) -> Iterator[LiveGroup]:
        """Yield the groups of files that have columns but no field id at any depth."""
        return (g for g in self.footers.groups if g.schema.columns and not g.schema.has_field_ids)
