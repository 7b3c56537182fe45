"""Find what manifests say of live data files that contradicts itself or the spec, added up over all manifests.

Columns whose names have moved in the name mapping are skipped: their metrics may be another column's.
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
"""The most bounds that are checked, unless values are read as well: those of 10,000 files of 20 columns."""


@dataclass
class FactCount:
    """The files that show a fact: their number and rows, the first of them, and its details."""

    files: int = 0
    rows: int = 0
    first_file: str | None = None
    example: str = ""

    def evidence(self, among: int, *facts: str) -> Evidence:
        """Return the evidence, with the details of the first file as its first fact."""
        example = (f"the first has {self.example}",) if self.example else ()
        return Evidence(self.files, among, self.rows, first_file=self.first_file, facts=(*example, *facts))


def _fact_counts() -> Any:
    return defaultdict(FactCount)


@dataclass
class ManifestFacts:
    """The facts that were found, by field id unless stated otherwise.

    Parameters
    ----------
    bounds_of:
        The number of files whose bounds were checked.
    malformed:
        Bounds that are not the encoding of any value of the column, under its type or a legal earlier one.
    inverted:
        Lower bounds above upper ones.
    not_a_number:
        NaN as a bound.
    four_bytes:
        Bounds of 4 bytes, in columns of any type that allows them.
    without_counts:
        Files with rows and neither value nor null counts.
    partition_differs, outside_summary:
        Partition values that contradict the file's bounds, or that the manifest list's summary excludes; by spec id and
        partition field id.
    """

    bounds_of: int = 0
    malformed: dict[int, FactCount] = field(default_factory=_fact_counts)
    inverted: dict[int, FactCount] = field(default_factory=_fact_counts)
    not_a_number: dict[int, FactCount] = field(default_factory=_fact_counts)
    four_bytes: dict[int, FactCount] = field(default_factory=_fact_counts)
    without_counts: FactCount = field(default_factory=FactCount)
    partition_differs: dict[tuple[int, int], FactCount] = field(default_factory=_fact_counts)
    outside_summary: dict[tuple[int, int], FactCount] = field(default_factory=_fact_counts)

    def count(self, name: str, field_id: int, spec_id: int) -> FactCount:
        """Return the count of a fact, to add to."""
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
    """Check the manifest entries of all live data files.

    Parameters
    ----------
    mapping:
        The table's name mapping, if it has a readable one.
    at_most:
        About how many bounds to check, in files spread over all manifests; None for all. Decoding bounds takes longer
        than everything else, and a writer that makes a mistake in them makes it in every file.
    cache:
        Cached facts of manifests; manifests with cached facts are not read.
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
    """Return n such that one file in n is checked: a power of two, so that it seldom changes while a table grows."""
    step = 1
    while at_most is not None and bounds > at_most * step:
        step *= 2
    return step


def _facts_of(live: LiveFiles, inputs: FactInputs, cache: CacheFile | None) -> list[tuple[Run, EntryFacts]]:
    """Return the facts of each manifest with data files, from the cache if possible."""
    runs = live.data.runs
    cache_keys = [
        None if r.source.cache_key is None else inputs.cache_key(r.source.cache_key, r.source.manifest) for r in runs
    ]
    pieces = Pieces(cache, cache_keys)
    found = []
    for run, cache_key in zip(runs, cache_keys, strict=True):
        facts = pieces.get(cache_key, partial(EntryFacts.from_bytes, count=len(run.source.listing)))
        if facts is None:
            facts = entry_facts(run.source.manifest, run.source.entries, inputs)
            pieces.add(cache_key, facts.to_bytes)
        found.append((run, facts))
    pieces.save()
    return found


def _add(facts: ManifestFacts, run: Run, found: EntryFacts, inputs: FactInputs) -> None:
    """Count the facts of a manifest, for the files that no earlier manifest lists."""
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
        count = facts.count(name, field_id, spec_id)
        if count.first_file is None:
            first = chosen.index(1)
            count.first_file = listing.paths[first]
            count.example = found.examples.get((name, field_id), {}).get(first, "")
        if chosen not in rows_of:  # a fact about one column often holds for others of the same files
            rows_of[chosen] = sum(compress(listing.row_counts, chosen))
        count.files += chosen.count(1)
        count.rows += rows_of[chosen]
