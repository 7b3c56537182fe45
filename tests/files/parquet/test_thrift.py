from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.errors import CorruptFileError
from projector.files.parquet import thrift
from tests.files import craft
from tests.files.craft import Field

EVERY_KIND = [
    Field(1, craft.BOOL, True),
    Field(2, craft.BOOL, False),
    Field(3, craft.I8, 0xFE),
    Field(4, craft.I16, -300),
    Field(5, craft.I32, 2**31 - 1),
    Field(6, craft.I64, -(2**63)),
    Field(7, craft.DOUBLE, bytes(8)),
    Field(8, craft.BINARY, b"text" * 50),
    Field(9, craft.LIST_OF, (craft.BOOL, [True, False])),
    Field(10, craft.LIST_OF, (craft.STRUCT, [[Field(1, craft.I32, n)] for n in range(20)])),
    Field(11, craft.SET_OF, (craft.I64, [1, 2, 3])),
    Field(12, craft.STRUCT, [Field(40, craft.BINARY, b"x"), Field(3, craft.LIST_OF, (craft.DOUBLE, [bytes(8)]))]),
    Field(300, craft.I32, 7),
]


@pytest.mark.parametrize("long_form", [False, True])
def test_a_struct_of_every_kind(long_form: bool) -> None:
    data = craft.encode(EVERY_KIND, long_form=long_form)
    fields, end = thrift.read_struct(data + b"rest", 0)
    assert end == len(data)
    assert {k: v for k, v in fields.items() if k != 12} == {
        1: True,
        2: False,
        3: -2,
        4: -300,
        5: 2**31 - 1,
        6: -(2**63),
        8: b"text" * 50,
        300: 7,
    }
    assert thrift.read_struct(fields[12], 0) == ({40: b"x"}, len(fields[12]))
    spans, end = thrift.struct_spans(data + b"rest", 0)
    assert end == len(data)
    assert [(s.field_id, s.kind) for s in spans] == [
        (f.id, 2 if f == (2, craft.BOOL, False) else f.kind) for f in EVERY_KIND
    ]
    assert thrift.skip_value(data, 0, thrift.STRUCT) == len(data)


def test_maps_are_stepped_over() -> None:
    two_entries = bytes([0x1B, 2, thrift.BINARY << 4 | thrift.TRUE, 1, 65, 1, 1, 66, 2, 0])
    assert thrift.read_struct(two_entries, 0) == ({}, len(two_entries))
    empty_then_uuid = bytes([0x1B, 0, 0x1D, *range(16), 0])
    assert [s.field_id for s in thrift.struct_spans(empty_then_uuid, 0)[0]] == [1, 2]


def test_every_prefix_is_refused() -> None:
    data = craft.encode(EVERY_KIND)
    for n in range(len(data)):
        for read in (thrift.read_struct, thrift.struct_spans):
            with pytest.raises(CorruptFileError):
                read(data[:n], 0)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"\x15" + b"\xff" * 11 + b"\x00", "does not end", id="endless integer"),
        pytest.param(b"\x18\xff\xff\xff\xff\x07abc", "ends in the middle", id="string of 2 GB"),
        pytest.param(b"\x18" + b"\xff" * 9 + b"\x7fabc", "ends in the middle", id="string of 2**70 bytes"),
        pytest.param(b"\x19\xf3\xff\xff\xff\xff\x07abc", "claims 2147483647 elements", id="list of 2**31"),
        pytest.param(b"\x1b\xff\xff\xff\xff\x07\x33abc", "claims 2147483647 entries", id="map of 2**31"),
        pytest.param(b"\x1c" * 5000, "nested more than", id="structs in structs"),
        pytest.param(b"\x19" + b"\x19" * 5000, "nested more than", id="lists in lists"),
        pytest.param(b"\x1e\x00", "unknown wire type 14", id="unknown kind"),
        pytest.param(b"\x19\x1f\x00", "unknown wire type 15", id="unknown kind of element"),
    ],
)
def test_what_cannot_be(data: bytes, says: str) -> None:
    begun = time.perf_counter()
    for read in (thrift.read_struct, thrift.struct_spans):
        with pytest.raises(CorruptFileError, match=says):
            read(data, 0)
    assert time.perf_counter() - begun < 1


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        fields, end = thrift.read_struct(data, 0)
    except CorruptFileError:
        with pytest.raises(CorruptFileError):
            thrift.struct_spans(data, 0)
        return
    assert 0 < end <= len(data)
    spans, also_end = thrift.struct_spans(data, 0)
    assert also_end == end
    assert set(fields) <= {s.field_id for s in spans}


@given(st.integers(-(2**63), 2**63 - 1), st.binary(max_size=3))
def test_integers_round_trip(value: int, after: bytes) -> None:
    data = craft.encode([Field(1, craft.I64, value)])[1:-1]
    assert thrift.read_zigzag(data + after, 0) == (value, len(data))
