"""Run the claims of the table of portability against real readers.

`python -m tests.readers.claims FOLDER [READER ...]`, or no READER for all.

FOLDER holds the environments that `tests.readers.environments` builds. Each claim is a table, a read, and the outcome
that the portability table claims; the exit code is 1 if a reader does otherwise. Tables of the conformance suite are
unpacked at the place that their manifests record, so that place must be free or hold them already.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
import uuid
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

import projector
from projector import Transaction
from projector.api.table import Table
from projector.check.portability import FEATURES, Engine, Outcome
from tests.check.cases import d103, d107, f109, s110, x105, x110, x111, x115, x116
from tests.check.tables import Maker, evolve, foreign, table
from tests.conformance.compare import rows
from tests.conformance.pack import ARCHIVE
from tests.readers.environments import PACKAGES
from tests.readers.processes import ReaderError, ReaderProcess

RECORDED = Path("/tmp/iceberg-corpus")
"""Where the tables of the conformance suite were written: their manifests hold these paths."""

_S, _D, _P, _Y = Engine.SPARK, Engine.DUCKDB, Engine.POLARS, Engine.PYICEBERG


@dataclass(frozen=True)
class Claim:
    """A read that shows what readers do with one feature.

    Parameters
    ----------
    feature:
        Its name in the table of portability.
    engines:
        The readers of which it is claimed.
    make:
        Makes the table in a folder.
    read:
        What is read of it: `columns`, `where`, `count`; see `answering`.
    judge:
        Makes the table whose rows are the right ones, if not the same.
    """

    feature: str
    engines: tuple[Engine, ...]
    make: Maker
    read: dict[str, Any] = field(default_factory=dict)
    judge: Maker | None = None

    def claimed(self, engine: Engine) -> frozenset[Outcome]:
        """Return what the table of portability says of a reader."""
        return frozenset(b.outcome for b in FEATURES[self.feature].behaviours if b.engine is engine)


def case(name: str) -> Maker:
    """Return a maker of a table of the conformance suite."""
    return lambda folder: projector.load_table(str(unpacked() / name / "table"))


def changed(make: Maker, change: str | Transaction) -> Maker:
    """Return a maker of a table after a change."""

    def made(folder: Path) -> Table:
        before = make(folder)
        metadata = before.prepare(change).metadata
        file = folder / "metadata" / "99999-changed.metadata.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(metadata.to_json())
        return projector.load_table(str(file), allow_moved_paths=False)

    return made


def unpacked() -> Path:
    """Return the folder of the suite's tables, unpacked if it is not there."""
    if not RECORDED.exists():
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(RECORDED, filter="data")
    return RECORDED


_FLOATS = table("1 f float", [{"f": 0.1}], evolve("1 f double"))
_ABSENT = table("1 a int", [{"a": 1}], evolve("1 a int, 2 b int"))
_DEFAULT = changed(table("1 a int", [{"a": 1}], version=3), "ALTER TABLE t ADD COLUMN b string DEFAULT 'x'")
_MAPPED = changed(case("no_ids_no_mapping"), Transaction().set_name_mapping())
_LIST = table("1 l [2 {3 x int}]", [{"l": None}])
_NULL_LIST = table("1 l [2 {3 x int}]", [{"l": None}])
_MAP = pa.map_(
    pa.field("key", pa.string(), nullable=False), pa.field("value", pa.int32(), metadata={"PARQUET:field_id": "4"})
)
_KEY_WITHOUT_ID = foreign({"a": pa.array([1], pa.int32()), "m": pa.array([[("k", 1)]], _MAP)}, a=1, m=2)
_MAPPED = changed(case("no_ids_no_mapping"), Transaction().set_name_mapping())
_LIST = table("1 l [2 {3 x int}]", [{"l": None}])
_NULL_LIST = table("1 l [2 {3 x int}]", [{"l": None}])
_STRUCT = pa.array([{"b": 1, "c": 2}], pa.struct({"b": pa.int32(), "c": pa.int32()}))
_SOME_IDS = foreign({"a": pa.array([1], pa.int32()), "s": _STRUCT}, a=1, s=2)
_MAPPED = changed(case("no_ids_no_mapping"), Transaction().set_name_mapping())
_LIST = table("1 id int, 2 l [3 {4 a int}]", [{"id": 1, "l": [{"a": 1}, None]}])

CLAIMS = (
    Claim("date-promotion", (_S, _Y, _P), case("spec_date_to_timestamp")),
    Claim("type-unknown", (_S, _D), case("unknown_type")),
    Claim("type-timestamp-ns", (_S, _D), case("timestamp_ns")),
    Claim("type-variant", (_S, _D, _P, _Y), case("variant")),
    Claim("type-time", (_S,), case("uuid_fixed_time")),
    Claim("type-unknown-in-history", (_D,), case("spec_unknown_promoted")),
    Claim("type-variant-in-history", (_P, _Y), case("variant")),
    Claim("initial-default", (_S,), _DEFAULT, {"where": "b = 'x'"}),
    Claim("decimal-default", (_S,), case("defaults_every_type")),
    Claim("struct-default", (_S, _Y, _P, _D), case("spec_struct_default_empty")),
    Claim("nested-default", (_S,), case("defaults_nested")),
    Claim("nested-default", (_Y,), x105.OLD, {"where": "s.y IS NULL"}),
    Claim("equality-deletes", (_Y, _P), case("eq_delete_plain")),
    Claim("equality-delete-null-key", (_D,), case("eq_delete_plain")),
    Claim("equality-delete-promoted-key", (_D,), case("eq_delete_promoted")),
    Claim("equality-delete-nested-key", (_D,), case("eq_delete_nested")),
    Claim("equality-delete-nested-key", (_S,), case("eq_delete_nested"), {"count": True}),
    Claim("equality-delete-dropped-key", (_D, _S), case("eq_delete_dropped")),
    Claim("required-in-null-struct", (_Y,), changed(x115.T, x115.ADD), {"where": "st.s0 IS NULL"}),
    Claim("snapshot-before-upgrade", (_D,), changed(case("v1_add_drop_rename"), x116.UPGRADE)),
    Claim("struct-without-fields", (_D,), changed(d107.T, "ALTER TABLE t DROP COLUMN s.a")),
    Claim("null-collection", (_Y,), _NULL_LIST),
    Claim("dropped-partition-source", (_D,), case("drop_partition_source")),
    Claim("dropped-void-source", (_D,), changed(table(d103.TEXT, d103.ROW, spec=d103.VOID), d103.DROP)),
    Claim("float-promotion", (_D, _Y), _FLOATS, {"where": "f > 0.1"}),
    Claim("nested-name-reused", (_Y,), case("nested_drop_readd_deep")),
    Claim("mapping-without-id", (_S,), table("1 a int", x110.FILE, properties=x110.WITHOUT)),
    Claim("unmapped-column", (_Y,), table("1 a int", x111.FILE, properties=x111.WITH)),
    Claim("uuid-only-in-partition", (_D,), case("partition_only_in_tuple")),
    Claim("idless-without-mapping", (_S, _D, _P, _Y), case("no_ids_no_mapping"), judge=_MAPPED),
    Claim("partial-ids", (_D, _P), table("1 a int, 2 m <3 string, 4 int>", _KEY_WITHOUT_ID)),
    Claim("legacy-list", (_S, _D), case("add_files_two_level")),
    Claim("renamed-element", (_D,), case("add_files_legacy_lists")),
    Claim("millisecond-timestamp", (_S,), f109.one(f109.MILLIS, "timestamp")),
    Claim("avro", (_D, _P, _Y), case("avro_data")),
    Claim("orc", (_D,), case("orc_data")),
    Claim("case-duplicate", (_S, _D), case("case_differing_names")),
    Claim("struct-all-replaced", (_S,), case("struct_all_replaced")),
    Claim("element-all-replaced", (_S, _D), changed(_LIST, s110.REPLACE_L)),
    Claim("required-missing", (_S, _Y, _D, _P), case("required_without_default")),
    Claim("absent-column-not-equal", (_Y,), _ABSENT, {"where": "b != 5"}),
)


@dataclass(frozen=True)
class Seen:
    """What a reader did: how it went, or None if it gave the right rows, and in its words."""

    outcome: Outcome | None
    words: str


def expected(made: Table, read: dict[str, Any]) -> pa.Table | None:
    """Return the rows by the slow engine that judges the others; None if it refuses the table."""
    try:
        found = made.scan(read.get("where")).to_arrow(engine="rows")
    except projector.ProjectorError:
        return None
    return pa.table({"count": [found.num_rows]}) if read.get("count") else found


def try_claim(claim: Claim, process: ReaderProcess, folder: Path) -> Seen:
    """Make the table, read it, and compare the rows."""
    made = claim.make(folder)
    right = expected(made if claim.judge is None else claim.judge(folder), claim.read)
    try:
        found = process.read(Path(made.metadata_file.removeprefix("file://")), **claim.read)
    except ReaderError as error:
        words = " ".join(str(error).split())
        return Seen(Outcome.CRASHES if words.startswith("crashed") else Outcome.REFUSES, words)
    if right is not None and sorted(found.column_names) == sorted(right.column_names):
        want, have = _rows(right), _rows(found.select(right.column_names))
        if want == have:
            return Seen(None, "the right rows")
        return Seen(Outcome.OTHER_ROWS, f"{_few(have - want)} for {_few(want - have)}")
    return Seen(Outcome.OTHER_ROWS, f"columns {found.column_names}, {found.num_rows} rows: {_few(_rows(found))}")


def _rows(found: pa.Table) -> Counter[tuple[Any, ...]]:
    counted: Counter[tuple[Any, ...]] = Counter()
    for row, times in rows(found).items():
        counted[tuple(_plain(value) for value in row)] += times
    return counted


def _plain(value: Any) -> Any:
    """Return bytes of 16 and text of a uuid in one form."""
    if isinstance(value, bytes) and len(value) == 16:
        return uuid.UUID(bytes=value).hex
    if isinstance(value, str) and len(value) == 36 and value.count("-") == 4:
        return value.replace("-", "")
    return value


def _few(counted: Counter[tuple[Any, ...]]) -> str:
    return ", ".join(map(str, list(counted.elements())[:2])) or "none"


def main(folder: Path, readers: tuple[str, ...]) -> int:
    """Print what each reader did beside what is claimed; return 1 if they differ anywhere."""
    differing = 0
    for reader, claim, seen in _tried(folder, readers):
        engine = Engine(reader.partition("-")[0])
        claimed = claim.claimed(engine)
        agrees = seen.outcome in claimed
        differing += not agrees
        said, did = ", ".join(sorted(claimed)), seen.outcome or "reads it right"
        print(
            f"{'ok ' if agrees else 'NOT'} {reader:14} {claim.feature:30} {said} / {did}: {seen.words[:160]}",
            flush=True,
        )
    return int(differing > 0)


def _tried(folder: Path, readers: tuple[str, ...]) -> Iterator[tuple[str, Claim, Seen]]:
    for reader in readers:
        with ReaderProcess(folder, reader) as process:
            for claim in CLAIMS:
                if Engine(reader.partition("-")[0]) not in claim.engines:
                    continue
                with tempfile.TemporaryDirectory() as scratch:
                    yield reader, claim, try_claim(claim, process, Path(scratch))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(Path(sys.argv[1]), tuple(sys.argv[2:]) or tuple(PACKAGES)))
