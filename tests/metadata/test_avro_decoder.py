"""The stepping decoder gives what fastavro gives, for every entry that fastavro can write."""

from __future__ import annotations

import io
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import fastavro
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projector.errors import CorruptFileError
from projector.files.storage.storage import Storage
from projector.metadata.avro.decoder import decode_pairs, find_value
from projector.metadata.avro.file import read_header
from projector.metadata.avro.records import compile_decoder
from projector.metadata.manifests.model import ManifestEntry, ManifestFile
from projector.metadata.manifests.records import Layout, manifest_entry, manifest_layout, read_records
from tests.metadata.build import Json, entry, field, manifest_schema, optional, record, write_avro

INTS = st.integers(-(2**31), 2**31 - 1)
LONGS = st.integers(-(2**63), 2**63 - 1)
IDS = st.one_of(st.integers(0, 200), st.integers(0, 2**31 - 1))
NUMBERS = st.one_of(st.none(), st.dictionaries(IDS, st.one_of(st.integers(0, 300), LONGS), max_size=40))
BOUNDS = st.one_of(
    st.none(), st.dictionaries(IDS, st.one_of(st.binary(max_size=17), st.binary(max_size=300)), max_size=40)
)

PARTITION = (
    field(1000, "a", optional("int")),
    field(1001, "b", ["string", "null"]),
    field(1002, "c", optional({"type": "fixed", "name": "f", "size": 3})),
    field(1003, "d", optional("double")),
    field(1004, "e", optional("boolean")),
    field(1005, "f", optional("float")),
)
SCHEMA = manifest_schema(*PARTITION, extra_file=[field(9000, "extra", optional(record("x", field(None, "y", "long"))))])


def pairs(found: dict[int, Any] | None) -> list[Json] | None:
    return None if found is None else [{"key": key, "value": value} for key, value in found.items()]


@st.composite
def entries(draw: st.DrawFn) -> Json:
    numbers = {
        name: pairs(draw(NUMBERS)) for name in ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts")
    }
    bounds = {name: pairs(draw(BOUNDS)) for name in ("lower_bounds", "upper_bounds")}
    optional_long = st.one_of(st.none(), LONGS)
    return entry(
        draw(st.text(st.characters(exclude_categories=["Cs"]))),
        draw(st.integers(0, 2)),
        snapshot_id=draw(optional_long),
        sequence_number=draw(optional_long),
        file_sequence_number=draw(optional_long),
        content=draw(st.integers(0, 2)),
        record_count=draw(st.integers(0, 2**63 - 1)),
        file_size_in_bytes=draw(LONGS),
        partition={
            "a": draw(st.one_of(st.none(), INTS)),
            "b": draw(st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"])))),
            "c": draw(st.one_of(st.none(), st.binary(min_size=3, max_size=3))),
            "d": draw(st.one_of(st.none(), st.floats(allow_nan=False))),
            "e": draw(st.one_of(st.none(), st.booleans())),
            "f": draw(st.one_of(st.none(), st.floats(width=32, allow_nan=False))),
        },
        **numbers,
        **bounds,
        key_metadata=draw(st.one_of(st.none(), st.binary(max_size=5))),
        split_offsets=draw(st.one_of(st.none(), st.lists(LONGS, max_size=5))),
        equality_ids=draw(st.one_of(st.none(), st.lists(INTS, max_size=5))),
        extra=draw(st.one_of(st.none(), st.just({"y": 5}))),
    )


def decoded(path: str, layout: Layout) -> list[ManifestEntry]:
    manifest = ManifestFile(path, 0, 0, sequence_number=5, added_snapshot_id=6)
    with Storage().open(path) as source:
        return [
            manifest_entry(found, manifest, layout, 7, path)[0]
            for found in read_records(source, read_header(source), layout)
        ]


def layout_of(path: str) -> Layout:
    with Storage().open(path) as source:
        return manifest_layout(read_header(source), path)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(entries(), max_size=4))
def test_both_decoders_agree(tmp_path: Path, records: list[Json]) -> None:
    path = write_avro(tmp_path / "m", SCHEMA, records, codec="null")
    layout = layout_of(path)
    assert layout.decoder is not None
    assert decoded(path, layout) == decoded(path, replace(layout, decoder=None))


def test_both_decoders_refuse_the_same_damage_or_read_the_same(tmp_path: Path) -> None:
    bounds = pairs({1: b"12345678", 2: b"x" * 70, 300: b""})
    records = [
        entry(partition={"a": i, "b": "text"}, lower_bounds=bounds, value_counts=pairs({1: i, 2: 10**9}))
        for i in range(2)
    ]
    path = write_avro(tmp_path / "m", SCHEMA, records, codec="null")
    layout = layout_of(path)
    content = Path(path).read_bytes()
    for position in range(content.index(b"0123456789abcdef") + 16, len(content) - 16):
        for bit in (0, 3, 7):
            damaged = bytearray(content)
            damaged[position] ^= 1 << bit
            Path(path).write_bytes(damaged)
            outcomes = []
            for choice in (layout, replace(layout, decoder=None)):
                found: list[str] | None = None
                with suppress(CorruptFileError):
                    found = [repr(e) for e in decoded(path, choice)]
                outcomes.append(found)
            # a number that fits no long is wrapped by fastavro and refused here
            assert outcomes[0] is None or outcomes[0] == outcomes[1]


def test_maps_in_several_blocks_and_with_sizes() -> None:
    schema = {"type": "array", "items": record("kv", field(1, "key", "int"), field(2, "value", "long"))}
    decode = compile_decoder(schema)
    assert decode is not None
    # one block of two pairs; one of one pair with a negative count and its size; the end
    stored = bytes([4, 2, 20, 4, 40, 1, 4, 6, 60, 0])
    assert decode(stored + b"rest", 0) == (stored, len(stored))
    assert decode_pairs(stored, "value_counts") == {1: 10, 2: 20, 3: 30}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "map", "values": "int"},
        ["null", "int", "string"],
        {"type": "array", "items": record("r", field(1, "a", "int"))},
        record("r", field(1, "a", {"type": "map", "values": "int"})),
        ["null", {"type": "array", "items": "string"}],
    ],
)
def test_the_unusual_is_left_to_fastavro(schema: Any) -> None:
    assert compile_decoder(schema) is None


def test_a_manifest_with_something_unusual_is_read_all_the_same(tmp_path: Path) -> None:
    schema = manifest_schema(extra_file=[field(9000, "odd", {"type": "map", "values": "int"})])
    path = write_avro(tmp_path / "m", schema, [entry(odd={"a": 1}, value_counts=pairs({1: 5}))])
    assert layout_of(path).decoder is None
    (found,) = decoded(path, layout_of(path))
    assert found.data_file.value_counts == {1: 5}


@pytest.mark.parametrize("stored", [b"\x80" * 10 + b"\x01", b"\x02\x02", b"\x02\x02\x10abc", b"\x02\x02\x01"])
def test_damaged_maps(stored: bytes) -> None:
    with pytest.raises((ValueError, IndexError, EOFError)):
        decode_pairs(stored, "lower_bounds")


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(st.dictionaries(IDS, LONGS, max_size=40), st.dictionaries(IDS, st.binary(max_size=90), max_size=40)), IDS
)
def test_one_value_is_what_the_whole_map_has_for_it(written: dict[int, Any], other: int) -> None:
    is_bounds = any(isinstance(value, bytes) for value in written.values())
    name = "lower_bounds" if is_bounds else "value_counts"
    kind = "bytes" if is_bounds else "long"
    out = io.BytesIO()
    fastavro.schemaless_writer(
        out,
        {"type": "array", "items": record("pair", field(None, "key", "int"), field(None, "value", kind))},
        pairs(written),
    )
    for field_id in (*written, other):
        assert find_value(out.getvalue(), name, field_id) == written.get(field_id)


@pytest.mark.parametrize("block", [b"\x04\x02\x02\x04\x04", b"\x03\x08\x02\x02\x04\x04"])
def test_one_value_in_a_later_block(block: bytes) -> None:
    assert find_value(block + b"\x02\x06\x08\x00", "value_counts", 3) == 4
    assert find_value(block + b"\x02\x06\x08\x00", "value_counts", 2) == 2
    assert find_value(block + b"\x02\x06\x08\x00", "value_counts", 4) is None
