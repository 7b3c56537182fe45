"""What readers in use are known to do with tables that are right by the spec: one table, for rules and docs.

A row stands for something that was seen: in a reader run over the conformance suite, or in the reader's own tracker. A
reader that is not named for a feature was seen to read it rightly, or was not tried: absence is no promise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from projector.check.report.findings import Direction, Evidence, Finding
from projector.errors import UnsupportedError


class Engine(StrEnum):
    """A reader of Iceberg tables. `spark` is Iceberg's Java library under Spark."""

    SPARK = "spark"
    TRINO = "trino"
    DUCKDB = "duckdb"
    POLARS = "polars"
    PYICEBERG = "pyiceberg"


class Outcome(StrEnum):
    """What a reader does, the gravest first."""

    OTHER_ROWS = "other rows"
    CRASHES = "crashes"
    REFUSES = "refuses"


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What one reader does with one feature.

    Parameters
    ----------
    engine, versions:
        The reader, and the versions that do it as far as is known.
    outcome, what:
        What happens, as a kind and in words that go on from the reader's name.
    evidence:
        A case of the conformance suite (`case NAME`), an issue (`owner/name#number`), or `tried`: a small table
        made for it and read with the version named.
    """

    engine: Engine
    versions: str
    outcome: Outcome
    what: str
    evidence: str

    def __str__(self) -> str:
        return f"{self.engine} {self.versions} {self.what}"


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that a table may have and that not every reader copes with.

    Parameters
    ----------
    name, title:
        A word for it, and what it is.
    rule:
        Code of the rule that finds it; None where it is too common to be worth a finding.
    behaviours:
        What readers do.
    """

    name: str
    title: str
    rule: str | None
    behaviours: tuple[Behaviour, ...]

    def among(self, engines: Collection[Engine]) -> tuple[Behaviour, ...]:
        """What some readers do with it."""
        return tuple(b for b in self.behaviours if b.engine in engines)


TRIED: Final = "tried"
_S, _T, _D, _P, _Y = Engine.SPARK, Engine.TRINO, Engine.DUCKDB, Engine.POLARS, Engine.PYICEBERG
_OTHER, _CRASH, _REFUSE = Outcome.OTHER_ROWS, Outcome.CRASHES, Outcome.REFUSES
_JAVA, _DUCK, _PL, _PY = "with Iceberg 1.10.2", "1.5.5", "2.1.0", "0.12.0"

ALL_ENGINES: Final = frozenset(Engine)
"""Every reader that the table knows."""

FEATURES: Final[Mapping[str, Feature]] = {
    feature.name: feature
    for feature in (
        Feature("date-promotion", "old files hold dates under a timestamp", "X101", (
            Behaviour(_S, _JAVA, _REFUSE, "fails with a ClassCastException", "case spec_date_to_timestamp"),
            Behaviour(_Y, _PY, _REFUSE, "fails with an AttributeError", "case spec_date_to_timestamp"),
            Behaviour(_P, _PL, _REFUSE, "fails with a SchemaError", "case spec_date_to_timestamp"),
        )),
        Feature("type-unknown", "a column of type unknown", "X102", (
            Behaviour(_S, _JAVA, _REFUSE, "cannot convert the type", "case unknown_type"),
            Behaviour(_D, _DUCK, _REFUSE, "does not know the type", "case unknown_type"),
            Behaviour(_T, "up to 482", _REFUSE, "has no such column type", "apache/gravitino#12075"),
        )),
        Feature("type-timestamp-ns", "a timestamp of nanoseconds", "X102", (
            Behaviour(_S, _JAVA, _REFUSE, "cannot convert the type", "case timestamp_ns"),
            Behaviour(_D, _DUCK, _REFUSE, "does not know the type", "case timestamp_ns"),
            Behaviour(_T, "before 481", _REFUSE, "has no nanoseconds", "trinodb/trino#27835"),
        )),
        Feature("type-variant", "a column of type variant", "X102", (
            Behaviour(_S, f"3.5 {_JAVA}", _REFUSE, "does not know the type", "case variant"),
            Behaviour(_D, _DUCK, _REFUSE, "cannot read the type", "case variant"),
            Behaviour(_P, _PL, _REFUSE, "cannot load the metadata", "case variant"),
            Behaviour(_Y, _PY, _REFUSE, "cannot load the metadata", "case variant"),
            Behaviour(_T, "before 481", _REFUSE, "has no such column type", "apache/gravitino#12075"),
        )),
        Feature("type-geometry", "a column of type geometry or geography", "X102", (
            Behaviour(_T, "before 482", _REFUSE, "has no such column type", "trinodb/trino#26541"),
        )),
        Feature("type-time", "a column of type time", "X102", (
            Behaviour(_S, f"3.5 {_JAVA}", _REFUSE, "has no such column type", "case uuid_fixed_time"),
        )),
        Feature("type-unknown-in-history", "an earlier schema with a type unknown", "X102", (
            Behaviour(_D, _DUCK, _REFUSE, "does not know the type, in whichever schema", "case spec_unknown_promoted"),
        )),
        Feature("type-variant-in-history", "an earlier schema with a type variant", "X102", (
            Behaviour(_P, _PL, _REFUSE, "cannot load metadata with variant in any schema", "case variant"),
            Behaviour(_Y, _PY, _REFUSE, "cannot load metadata with variant in any schema", "case variant"),
        )),
        Feature("initial-default", "an initial default that old files need", "X103", (
            Behaviour(_S, "with Iceberg up to 1.11.0", _OTHER,
                      "loses the rows with the default where a filter names the column", "apache/iceberg#16690"),
            Behaviour(_T, "before #27837", _REFUSE, "refuses tables with defaults", "trinodb/trino#27786"),
        )),
        Feature("decimal-default", "an initial default of type decimal that old files need", "X103", (
            Behaviour(_S, f"3.5 {_JAVA}", _REFUSE, "fails in its vectorized reader", "case defaults_every_type"),
        )),
        Feature("struct-default", "the initial default {} of a struct", "X104", (
            Behaviour(_S, _JAVA, _REFUSE, "cannot load the metadata", "case spec_struct_default_empty"),
            Behaviour(_Y, _PY, _REFUSE, "fails with a TypeError", "case spec_struct_default_empty"),
            Behaviour(_P, _PL, _REFUSE, "fails with a TypeError", "case spec_struct_default_empty"),
            Behaviour(_D, _DUCK, _REFUSE, "cannot parse the metadata", "case spec_struct_default_empty"),
        )),
        Feature("nested-default", "an initial default inside a struct that old files have", "X105", (
            Behaviour(_S, _JAVA, _OTHER, "makes a null struct a struct of its defaults where its first field has one",
                      "case defaults_nested"),
            Behaviour(_Y, _PY, _OTHER, "takes null structs for structs with the default in filters", TRIED),
        )),
        Feature("equality-deletes", "live equality deletes", "X106", (
            Behaviour(_Y, _PY, _REFUSE, "does not read equality deletes", "case eq_delete_plain"),
            Behaviour(_P, _PL, _REFUSE, "does not read equality deletes", "case eq_delete_plain"),
        )),
        Feature("equality-delete-null-key", "equality deletes on a key that may be null", "X106", (
            Behaviour(_D, _DUCK, _OTHER, "loses the rows whose key is null", "case eq_delete_plain"),
        )),
        Feature("equality-delete-promoted-key", "equality deletes of an older type of their key", "X106", (
            Behaviour(_D, _DUCK, _REFUSE, "fails with an internal error", "case eq_delete_promoted"),
        )),
        Feature("equality-delete-nested-key", "equality deletes on a nested key", "X106", (
            Behaviour(_D, _DUCK, _CRASH, "crashes", "case eq_delete_nested"),
            Behaviour(_S, _JAVA, _REFUSE, "fails to count rows", "case eq_delete_nested"),
        )),
        Feature("equality-delete-dropped-key", "equality deletes on a key that was dropped", "D104", (
            Behaviour(_D, _DUCK, _CRASH, "crashes", "case eq_delete_dropped"),
            Behaviour(_S, _JAVA, _REFUSE, "fails with an internal error", "case eq_delete_dropped"),
            Behaviour(_T, "up to 482", _REFUSE, "fails", "trinodb/trino#17836"),
        )),
        Feature("required-in-null-struct", "a required field of a struct that is null in old rows", "X115", (
            Behaviour(_Y, _PY, _OTHER, "finds no row with `IS NULL` on the field", TRIED),
        )),
        Feature("snapshot-before-upgrade", "an upgraded table whose current snapshot is of format version 1", "X116", (
            Behaviour(_D, _DUCK, _REFUSE, "misses the sequence numbers that version 1 does not have", TRIED),
        )),
        Feature("struct-without-fields", "a struct without fields that old files have with fields", "D107", (
            Behaviour(_D, _DUCK, _REFUSE, "cannot cast structs of different sizes", TRIED),
        )),
        Feature("null-collection", "a null list or map with nested elements", "X107", (
            Behaviour(_Y, _PY, _OTHER, "reads it as empty, and writes it so", "apache/iceberg-python#3833"),
        )),
        Feature("dropped-partition-source", "a partition spec whose source column is gone", "D103", (
            Behaviour(_D, _DUCK, _CRASH, "crashes", "case drop_partition_source"),
            Behaviour(_Y, _PY, _REFUSE, "cannot list files or partitions", "apache/iceberg#4563"),
            Behaviour(_S, _JAVA, _REFUSE, "fails on metadata tables", "apache/iceberg#10234"),
        )),
        Feature("dropped-void-source", "a void partition field whose source column is gone", "D103", (
            Behaviour(_D, _DUCK, _CRASH, "crashes", TRIED),
        )),
        Feature("float-promotion", "old files hold floats under a double", "X108", (
            Behaviour(_D, "before 2.0", _OTHER, "rounds literals of filters to float", "duckdb/duckdb#24900"),
            Behaviour(_Y, _PY, _OTHER, "rounds literals of filters to float", TRIED),
        )),
        Feature("nested-name-reused", "a name in nested lists or maps that old files have for another field", "X109", (
            Behaviour(_Y, _PY, _OTHER, "pairs fields by name there, and shows the dropped one's values",
                      "case nested_drop_readd_deep"),
        )),
        Feature("mapping-without-id", "an entry of the name mapping without a field id", "X110", (
            Behaviour(_S, _JAVA, _REFUSE, "fails on files without field ids", TRIED),
        )),
        Feature("unmapped-column", "files without field ids have a column that the name mapping lacks", "X111", (
            Behaviour(_Y, _PY, _REFUSE, "cannot find the column's name", "apache/iceberg-python#925"),
        )),
        Feature("hour-and-day", "specs with hour and with day of one column", "X112", (
            Behaviour(_D, "as reported", _CRASH, "fails to cast the partition values, and may crash",
                      "duckdb/duckdb-iceberg#941"),
        )),
        Feature("uuid-only-in-partition", "a uuid that files leave to their partition tuple", "X113", (
            Behaviour(_D, _DUCK, _OTHER, "reverses the order of its bytes", "case partition_only_in_tuple"),
        )),
        Feature("idless-without-mapping", "files without field ids in a table without a name mapping", "R102", (
            Behaviour(_S, _JAVA, _OTHER, "guesses ids by the order of the columns", "case no_ids_no_mapping"),
            Behaviour(_D, _DUCK, _OTHER, "reads null in every column", "case no_ids_no_mapping"),
            Behaviour(_P, _PL, _REFUSE, "refuses the files", "case no_ids_no_mapping"),
            Behaviour(_Y, _PY, _REFUSE, "refuses the files", "case no_ids_no_mapping"),
        )),
        Feature("partial-ids", "files with field ids on some columns only", "F102", (
            Behaviour(_D, _DUCK, _REFUSE, "fails where a map's key has none", TRIED),
            Behaviour(_P, _PL, _REFUSE, "fails with a SchemaError", TRIED),
        )),
        Feature("legacy-list", "lists in a layout of older writers", "F107", (
            Behaviour(_S, _JAVA, _REFUSE, "fails on two-level lists", "case add_files_two_level"),
            Behaviour(_D, _DUCK, _OTHER, "reads every element as null", "case add_files_two_level"),
        )),
        Feature("renamed-element", "files without field ids whose list elements have another name", "F107", (
            Behaviour(_D, _DUCK, _OTHER, "reads every element as null", "case add_files_legacy_lists"),
        )),
        Feature("millisecond-timestamp", "timestamps of milliseconds in files", "F109", (
            Behaviour(_S, f"3.5 {_JAVA}", _OTHER, "takes them for microseconds, or fails, when vectorized", TRIED),
        )),
        Feature("nanosecond-file", "timestamps of nanoseconds in files, under microseconds", "F109", (
            Behaviour(_S, "with Iceberg up to 1.9.2", _OTHER, "takes the nanoseconds for microseconds",
                      "apache/iceberg#13679"),
        )),
        Feature("utc-flag", "timestamps whose UTC flag is not the column's", "F109", (
            Behaviour(_Y, "before 0.12.0", _REFUSE, "refuses to read one as the other", "apache/iceberg-python#2663"),
        )),
        Feature("avro", "data or delete files of format Avro", "F111", (
            Behaviour(_D, _DUCK, _REFUSE, "reads Parquet only", "case avro_data"),
            Behaviour(_P, _PL, _REFUSE, "does not read the format", "case avro_data"),
            Behaviour(_Y, _PY, _REFUSE, "does not read the format", "case avro_data"),
        )),
        Feature("orc", "data or delete files of format ORC", "F111", (
            Behaviour(_D, _DUCK, _REFUSE, "reads Parquet only", "case orc_data"),
        )),
        Feature("case-duplicate", "names that differ only in case", "S108", (
            Behaviour(_S, "", _REFUSE, "finds the name ambiguous", "apache/iceberg#13696"),
            Behaviour(_T, "", _REFUSE, "finds the name ambiguous", "apache/iceberg#13696"),
            Behaviour(_D, _DUCK, _OTHER, "gives the second column another name", "case case_differing_names"),
        )),
        Feature("struct-all-replaced", "files with a struct, but with none of its fields", "S110", (
            Behaviour(_S, _JAVA, _OTHER, "reads the struct as null", "case struct_all_replaced"),
        )),
        Feature("element-all-replaced", "files with a struct in a list or map, but with none of its fields", "S110", (
            Behaviour(_S, _JAVA, _OTHER, "reads the whole list as null, and fails on a map", TRIED),
            Behaviour(_D, _DUCK, _OTHER, "makes a null in a list or map a struct of nulls",
                      "case map_struct_all_replaced"),
        )),
        Feature("required-missing", "a required column that old files lack, without a default", "N107", (
            Behaviour(_S, _JAVA, _REFUSE, "fails", "case required_without_default"),
            Behaviour(_Y, _PY, _REFUSE, "fails", "case required_without_default"),
            Behaviour(_D, _DUCK, _OTHER, "reads null", "case required_without_default"),
            Behaviour(_P, _PL, _OTHER, "reads null", "case required_without_default"),
        )),
        Feature("bloom-filter-promotion", "a promoted column with bloom filters in old files", "T106", (
            Behaviour(_T, "up to 482", _OTHER, "hashes at the wrong width and skips row groups",
                      "trinodb/trino#30544"),
        )),
        Feature("absent-column-not-equal", "`!=` or NOT IN on a column that old files lack", None, (
            Behaviour(_Y, _PY, _OTHER, "gives the rows of `!=` that an equal null would not", TRIED),
        )),
        Feature("time-travel-after-rename", "a filter on an older snapshot, after a rename", None, (
            Behaviour(_Y, _PY, _REFUSE, "binds the filter to today's names", "trinodb/trino#23601"),
        )),
    )
}  # fmt: skip
"""Every feature by its name."""


def engines_of(names: Iterable[str]) -> frozenset[Engine]:
    """Readers by their names. Raises `UnsupportedError` for one that is not known."""
    found = set()
    for name in names:
        try:
            found.add(Engine(name.strip().lower()))
        except ValueError:
            raise UnsupportedError(f"Unknown engine: {name!r}", hint=f"choose from {', '.join(Engine)}") from None
    return frozenset(found)


def readers_disagree(
    names: str | Iterable[str],
    engines: Collection[Engine],
    subject: str,
    *,
    evidence: Evidence,
    help: str,
    path: str | None = None,
    field_id: int | None = None,
    key: str = "",
    direction: Direction = Direction.READERS_DISAGREE,
    **more: Any,
) -> Finding | None:
    """The finding that a table has one or several features; None where the readers that matter cope with them.

    Parameters
    ----------
    names:
        The features.
    engines:
        The readers that matter.
    subject:
        What the table has, as the beginning of the message.
    """
    wanted = (names,) if isinstance(names, str) else tuple(names)
    told = [behaviour for name in wanted for behaviour in FEATURES[name].among(engines)]
    if not told:
        return None
    readers = ", ".join(dict.fromkeys(str(behaviour.engine) for behaviour in told))
    facts = (*evidence.facts, *dict.fromkeys(map(str, told)))
    seen = Evidence(
        evidence.files, evidence.of_files, evidence.rows, evidence.shapes, evidence.first_file, facts, evidence.samples
    )
    wrong = any(behaviour.outcome is Outcome.OTHER_ROWS for behaviour in told)
    known = "known to go wrong in" if wrong else "known to fail in"
    return Finding(f"{subject}: {known} {readers}", direction, path, field_id, seen, help, key=key or wanted[0], **more)
