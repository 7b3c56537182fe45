"""Which entries of the portability table were verified by running a reader, when and with which version.

`python -m tests.readers.claims` verifies them again. Entries that are not named here rest on the issue that the table
cites.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from projector.check.portability import Engine


@dataclass(frozen=True, slots=True)
class Observation:
    """One run of one reader.

    Parameters
    ----------
    version, date:
        The version of the reader, and when it was run.
    features:
        Names of the features for which the reader did what the table says.
    """

    version: str
    date: str
    features: frozenset[str]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


OBSERVATIONS: Final[Mapping[Engine, Observation]] = {
    Engine.SPARK: Observation("3.5.9 with Iceberg 1.10.2", "2026-12-01", _names("""
        date-promotion type-unknown type-timestamp-ns type-variant type-time initial-default decimal-default
        struct-default nested-default equality-delete-nested-key equality-delete-dropped-key mapping-without-id
        idless-without-mapping legacy-list millisecond-timestamp case-duplicate struct-all-replaced
        element-all-replaced required-missing
    """)),
    Engine.DUCKDB: Observation("1.5.5 with its iceberg extension", "2026-12-01", _names("""
        type-unknown type-timestamp-ns type-variant type-unknown-in-history struct-default equality-delete-null-key
        equality-delete-promoted-key equality-delete-nested-key equality-delete-dropped-key snapshot-before-upgrade
        struct-without-fields dropped-partition-source dropped-void-source float-promotion uuid-only-in-partition
        idless-without-mapping partial-ids legacy-list renamed-element avro orc case-duplicate element-all-replaced
        required-missing
    """)),
    Engine.POLARS: Observation("2.1.0", "2026-12-01", _names("""
        date-promotion type-variant type-variant-in-history struct-default equality-deletes idless-without-mapping
        partial-ids avro required-missing
    """)),
    Engine.PYICEBERG: Observation("0.12.0", "2026-12-01", _names("""
        date-promotion type-variant type-variant-in-history struct-default nested-default equality-deletes
        required-in-null-struct null-collection float-promotion nested-name-reused unmapped-column
        idless-without-mapping avro required-missing absent-column-not-equal
    """)),
}  # fmt: skip
"""The last run of each reader that the claims can run."""
