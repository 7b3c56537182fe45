"""Handle metrics of files that may turn out to have no field ids, in a table without a name mapping.

Metrics of a file without field ids were recorded under the ids of the mapping that the table had then. Without that
mapping the spec reads every column of the file as its default or null, whatever the manifest counted. A manifest does
not say which files have ids. But a writer that lists a file of its own, with ids, records its split offsets, and the
importers of foreign files (Iceberg's add_files, migrate and snapshot) do not. See ADR 0006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from projector.planning.filters.expressions import BoundTerm
from projector.planning.pruning.facts import NOTHING, UNKNOWN, Facts
from projector.planning.pruning.outcomes import Lookup
from projector.schema.name_mapping import NameMapping
from projector.schema.schema import Schema


class ListedFile(Protocol):
    """What a manifest says of a data file."""

    @property
    def split_offsets(self) -> Sequence[int] | None:
        """The offsets of the row groups; None if the manifest does not give them."""


def may_be_unread(file: ListedFile, mapping: NameMapping | None) -> bool:
    """Return whether a file may have columns with metrics in its manifest that are read as defaults or nulls."""
    return mapping is None and file.split_offsets is None


def or_unread(by_metrics: Lookup, schema: Schema) -> Lookup:
    """Return facts of columns that are either all as the metrics say, or all the default or null.

    A file is still skipped if neither passes the filter, which holds for most filters except IS NULL.
    """

    def lookup(term: BoundTerm) -> Facts:
        found = by_metrics(term)
        top = schema.fields_by_id.get(term.parent_ids[0] if term.parent_ids else term.field_id)
        if found is NOTHING or top is None:
            return found
        if top.initial_default is None:
            return replace(found, has_null=True)
        return UNKNOWN if term.parent_ids else _or_value(found, top.initial_default)

    return lookup


def _or_value(facts: Facts, value: Any) -> Facts:
    """Return facts of a column that may also be one plain value in every row."""
    if isinstance(value, float) and value != value:
        return replace(facts, has_nan=True)
    if not facts.has_value:
        return replace(facts, has_value=True, lower=value, upper=value, upper_is_prefix=False, test=None)
    lower = None if facts.lower is None else min(facts.lower, value)
    above = facts.upper is None or facts.may_reach(value, or_equal=True)
    upper, is_prefix = (facts.upper, facts.upper_is_prefix) if above else (value, False)
    return replace(facts, lower=lower, upper=upper, upper_is_prefix=is_prefix, test=None)
