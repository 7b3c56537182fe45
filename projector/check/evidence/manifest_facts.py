"""What manifests say of live data files that contradicts itself or the spec, put together from what each says.

Columns whose names have moved in the name mapping are passed over: their metrics may be another column's.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from operator import and_
from typing import Any

from projector.check.evidence.entry_facts import BOUNDED, EntryFacts, FactInputs, entry_facts
from projector.check.evidence.live_files import LiveFiles, Run
from projector.check.report.findings import Evidence
from projector.files.cache.database import CacheFile
from projector.files.cache.entries import Pieces
from projector.metadata.table_metadata import TableMetadata
from projector.planning.pruning.moved_names import ids_with_moved_names
from projector.schema.name_mapping import NameMapping

AT_MOST = 200_000
"""Bounds that are looked at, unless values are looked at as well: those of 10,000 files of 20 columns."""


@dataclass
class FactCount:
    """Files that show something, counted: their number, their rows, the first of them, and what it shows."""

    files: int = 0
    rows: int = 0
    first_file: str | None = None
    example: str = ""

    def evidence(self, among: int, *facts: str) -> Evidence:
        """The evidence, with what the first file shows as its first fact."""
        said = (f"the first has {self.example}",) if self.example else ()
        return Evidence(self.files, among, self.rows, first_file=self.first_file, facts=(*said, *facts))


def _tallies() -> Any:
    return defaultdict(FactCount)


@dataclass
class ManifestFacts:
    """What was found, by field id unless said otherwise.

    Parameters
    ----------
    bounds_of:
        The number of files whose bounds were looked at.
    malformed:
        Bounds that no value of the column, under its type or a legal earlier one, is encoded as.
    inverted:
        Lower bounds above upper ones.
    not_a_number:
        NaN as a bound.
    four_bytes:
        Bounds of 4 bytes, of columns of any type that can have such.
    without_counts:
        Files with rows and neither value nor null counts.
    partition_differs, outside_summary:
        Partition values that differ from the file's bounds, or that the manifest list's summary leaves out; by spec id
        and partition field id.
    """

    bounds_of: int = 0
    malformed: dict[int, FactCount] = field(default_factory=_tallies)
    inverted: dict[int, FactCount] = field(default_factory=_tallies)
    not_a_number: dict[int, FactCount] = field(default_factory=_tallies)
    four_bytes: dict[int, FactCount] = field(default_factory=_tallies)
    without_counts: FactCount = field(default_factory=FactCount)
    partition_differs: dict[tuple[int, int], FactCount] = field(default_factory=_tallies)
    outside_summary: dict[tuple[int, int], FactCount] = field(default_factory=_tallies)

    def tally(self, name: str, field_id: int, spec_id: int) -> FactCount:
        """The tally of a fact."""
        if name == "without_counts":
            return self.without_counts
        key = (spec_id, field_id) if name in ("partition_differs", "outside_summary") else field_id
        found: FactCount = getattr(self, name)[key]
        return found


def find_manifest_facts(
    metadata: TableMetadata,
    mapping: NameMapping | None,
    live: LiveFiles,
    at_most: int | None = AT_MOST,
    cache: CacheFile | None = None,
) -> ManifestFacts:
    """Look at the manifest entries of all live data files.

    Parameters
    ----------
    mapping:
        The table's name mapping, if it has one that can be read.
    at_most:
        About the number of columns' bounds that are looked at, in files spread over all manifests; None for all.
        Decoding bounds takes longer than all else, and what is wrong with them is a writer's habit.
    cache:
        Where the facts of manifests are kept; for those that it has, no manifest is read.
    """
    doubtful = frozenset() if mapping is None else ids_with_moved_names(metadata.schemas, mapping)
    fields = metadata.current_schema.fields_by_id
    types = {i: f.field_type for i, f in fields.items() if i not in doubtful and isinstance(f.field_type, BOUNDED)}
    inputs = FactInputs(metadata, types, _step(len(live.data) * max(1, len(types)), at_most))
    facts = ManifestFacts()
    for run, found in _facts_of(live, inputs, cache):
        _add(facts, run, found, inputs)
    return facts


def _step(bounds: int, at_most: int | None) -> int:
    """One file in how many is looked at: a power of two, so that it seldom changes while a table grows."""
    step = 1
    while at_most is not None and bounds > at_most * step:
        step *= 2
    return step


def _facts_of(live: LiveFiles, inputs: FactInputs, cache: CacheFile | None) -> list[tuple[Run, EntryFacts]]:
    """The facts of each manifest with data files, from the cache where it has them."""
    runs = live.data.runs
    recipes = [None if r.source.recipe is None else inputs.recipe(r.source.recipe, r.source.manifest) for r in runs]
    pieces = Pieces(cache, recipes)
    found = []
    for run, recipe in zip(runs, recipes, strict=True):
        facts = pieces.get(recipe, partial(EntryFacts.from_bytes, count=len(run.source.listing)))
        if facts is None:
            facts = entry_facts(run.source.manifest, run.source.entries, inputs)
            pieces.add(recipe, facts.to_bytes)
        found.append((run, facts))
    pieces.save()
    return found


def _add(facts: ManifestFacts, run: Run, found: EntryFacts, inputs: FactInputs) -> None:
    """Count what a manifest's entries show, of the files that no manifest before it lists."""
    listing, spec_id = run.source.listing, run.source.manifest.spec_id
    sampled = inputs.sampled(run.source.manifest, found.count)
    mask: bytearray | None = None
    if len(run.indexes) == found.count:
        facts.bounds_of += len(sampled)
    else:
        facts.bounds_of += sum(index in sampled for index in run.indexes)
        mask = bytearray(found.count)
        for index in run.indexes:
            mask[index] = 1
    rows_of: dict[bytes, int] = {}
    for (name, field_id), flags in found.flags.items():
        chosen = bytes(flags) if mask is None else bytes(map(and_, flags, mask))
        if 1 not in chosen:
            continue
        tally = facts.tally(name, field_id, spec_id)
        if tally.first_file is None:
            first = chosen.index(1)
            tally.first_file = listing.paths[first]
            tally.example = found.examples.get((name, field_id), {}).get(first, "")
        if chosen not in rows_of:  # what is wrong in one column often is in others of the same files
            rows_of[chosen] = sum(compress(listing.row_counts, chosen))
        tally.files += chosen.count(1)
        tally.rows += rows_of[chosen]
