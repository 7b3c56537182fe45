from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from projector import shapes
from projector.errors import CorruptFileError, NotFoundError, ProjectorError
from projector.files.parquet import schema as parquet_schema
from projector.files.shapes import shapes as shapes_module
from projector.files.shapes.shapes import KnownShapes, read_shape
from tests.files import craft
from tests.files.pyarrow_view import Bytes


def file(columns: int, rows: int = 1, **options: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({f"c{i}": pa.array(range(rows), pa.int32()) for i in range(columns)}), out, **options)
    return out.getvalue()


@pytest.mark.parametrize("workers", [None, 1, 3])
def test_files_are_grouped_in_the_order_given(tmp_path: Path, workers: int | None) -> None:
    paths = []
    for n in range(200):
        path = tmp_path / f"part {n:03} é%20[*].parquet"
        path.write_bytes(file(1 + n % 12, rows=n))
        paths.append(str(path))
    groups = shapes(paths, max_workers=workers)
    assert [len(group.schema.columns) for group in groups] == list(range(1, 13))
    for n, group in enumerate(groups):
        assert group.files == tuple(paths[n::12])
        assert group.row_counts == tuple(range(n, 200, 12))


def test_each_shape_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []

    def counting(data: bytes, at: int, path: str) -> object:
        parsed.append(path)
        return original(data, at, path)

    original = parquet_schema.read_keyed_schema
    monkeypatch.setattr(shapes_module, "read_keyed_schema", counting)
    known = KnownShapes()
    for n in range(200):
        assert read_shape(Bytes(file(1 + n % 12, rows=n)), str(n), known).row_count == n
    assert parsed == [str(n) for n in range(12)]
    assert len(known) == 12


def test_more_shapes_than_are_tried() -> None:
    plain = file(1)
    named = {str(n): craft.edit(plain, {("c0",): {"name": f"{n:04}"}}) for n in range(250)}
    groups = shapes([(name, Bytes(data)) for _ in range(2) for name, data in named.items()])
    assert [group.files for group in groups] == [(name, name) for name in named]


def test_paths_pairs_and_path_objects(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(file(2, rows=2))
    source = Bytes(file(2, rows=5))
    (group,) = shapes([path, ("memory", source), str(path)])
    assert group.files == (str(path), "memory", str(path))
    assert group.row_counts == (2, 5, 2)
    assert len(source.reads) == 1
    assert shapes([]) == []


def test_what_does_not_split_a_shape() -> None:
    plain = file(3)
    same = {
        "plain": plain,
        "version 1": file(3, version="1.0"),
        "other writer": craft.with_fields(plain, lambda fs: [f for f in fs if f.id not in (5, 6, 7)]),
        "other root": craft.rewrite(
            plain, craft.group("hive_schema", *craft.schema_of(plain).children, repetition=None)
        ),
        "other pages": file(3, rows=1000, compression="gzip", row_group_size=10),
        "other order of fields": craft.with_fields(plain, lambda fs: fs[::-1]),
        "annotated otherwise": craft.edit(plain, {("c1",): {"converted": craft.INT_32}}),
    }
    (group,) = shapes([(name, Bytes(data)) for name, data in same.items()])
    assert group.files == tuple(same)
    assert group.row_counts == (1, 1, 1, 1, 1000, 1, 1)


def test_what_splits_a_shape() -> None:
    plain = file(2)
    other = {
        "plain": plain,
        "name": craft.edit(plain, {("c0",): {"name": "C0"}}),
        "id": craft.edit(plain, {("c0",): {"field_id": 1}}),
        "annotation": craft.edit(plain, {("c0",): {"converted": craft.DATE}}),
        "order": craft.rewrite(plain, craft.schema_of(plain).children[::-1]),
        "one column more": file(3),
    }
    assert [group.files for group in shapes([(name, Bytes(data)) for name, data in other.items()])] == [
        (name,) for name in other
    ]


@pytest.mark.parametrize("workers", [1, 4])
def test_the_first_file_that_fails_is_the_one_named(tmp_path: Path, workers: int) -> None:
    for n in range(20):
        (tmp_path / f"{n}").write_bytes(file(2) if n != 7 else b"not Parquet at all")
    with pytest.raises(CorruptFileError, match="not a Parquet file") as caught:
        shapes([str(tmp_path / f"{n}") for n in range(20)], max_workers=workers)
    assert caught.value.file == str(tmp_path / "7")
    with pytest.raises(NotFoundError, match="absent"):
        shapes([str(tmp_path / "0"), str(tmp_path / "absent"), str(tmp_path / "7")], max_workers=workers)
    with pytest.raises(NotFoundError):
        shapes([str(tmp_path)], max_workers=workers)


def test_a_damaged_footer_after_a_known_start_is_not_taken_for_known() -> None:
    whole = file(4)
    known = KnownShapes()
    read_shape(Bytes(whole), "whole", known)
    footer = craft.footer_of(whole)
    with pytest.raises(CorruptFileError):
        read_shape(Bytes(craft.with_footer(whole, footer[:-30])), "cut", known)


def test_damage_is_told_in_the_same_words_whatever_was_read_before() -> None:
    whole = file(4)
    known = KnownShapes()
    read_shape(Bytes(whole), "f", known)
    footer = craft.footer_of(whole)
    damage = [(place, change) for place in range(len(footer) - 8) for change in (0x01, 0x80)]
    told = 0
    for place, change in damage:
        broken = bytearray(footer)
        broken[place] ^= change
        data = Bytes(craft.with_footer(whole, bytes(broken)))
        after, alone = words(data, known), words(data, KnownShapes())
        assert after in (None, alone), place  # of a shape that is known, what is behind its rows is not looked at
        told += after is not None
    assert told > 50


def words(data: Bytes, known: KnownShapes) -> str | None:
    try:
        read_shape(data, "f", known)
    except ProjectorError as error:
        return repr(error)
    return None
