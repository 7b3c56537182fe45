from __future__ import annotations

import gzip
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from projector.errors import CorruptFileError, InvalidMetadataError, NotFoundError, ProjectorError
from projector.files.storage.storage import Storage
from projector.metadata.loading import LoadedMetadata, find_metadata_file, load_metadata, read_metadata
from projector.metadata.table_metadata import TableMetadata
from tests.metadata.build import version_2

STORAGE = Storage()


def put(folder: Path, name: str, *, packed: bool = False, **more: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    content = json.dumps(version_2(**more)).encode()
    (folder / name).write_bytes(gzip.compress(content) if packed else content)
    return folder / name


def found(table: Path) -> str:
    return Path(find_metadata_file(str(table), STORAGE)).name


@pytest.fixture
def metadata(tmp_path: Path) -> Path:
    """The metadata folder of a table at `t`."""
    folder = tmp_path / "t" / "metadata"
    folder.mkdir(parents=True)
    return folder


def versions(folder: Path, *numbers: int) -> None:
    for number in numbers:
        put(folder, f"v{number}.metadata.json")


def test_root_folder_and_file_are_all_the_table(metadata: Path) -> None:
    versions(metadata, 1, 2)
    (metadata / "version-hint.text").write_text("2")
    root = metadata.parent
    for spelling in ("", "file:", "file://"):
        for place in (f"{root}", f"{root}/", f"{metadata}", f"{metadata}/v2.metadata.json"):
            loaded = load_metadata(spelling + place, STORAGE)
            assert loaded.metadata_file.endswith("/t/metadata/v2.metadata.json")
            assert loaded.root.rstrip("/") == f"{spelling}{root}"
    assert Path(load_metadata(f"{metadata}/v1.metadata.json", STORAGE).metadata_file).name == "v1.metadata.json"


def test_a_relative_path(metadata: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions(metadata, 1)
    monkeypatch.chdir(metadata)
    for place in ("v1.metadata.json", ".", "..", "../../t"):
        assert load_metadata(place, STORAGE).root == str(metadata.parent)


@pytest.mark.parametrize(
    ("hint", "numbers", "expected"),
    [
        ("2", (1, 2), 2),
        ("2\n", (1, 2), 2),
        (" 2 \nsomething", (1, 2), 2),
        ("1", (1, 2, 3), 3),  # stale: as in Java, versions that follow without a gap are newer
        ("1", (1, 3), 1),  # v3 does not follow v1
        ("9", (1, 2), 2),  # points to nothing
        ("garbage", (1, 2, 10), 10),
        ("", (1, 2, 10), 10),
        ("-1", (1, 2), 2),
        ("99999999999999999999999", (1, 2), 2),
        (None, (1, 2, 10), 10),
        ("v1", (1, 2), 1),
        ("v1.metadata.json", (1, 2), 1),
    ],
)
def test_version_hint(metadata: Path, hint: str | None, numbers: tuple[int, ...], expected: int) -> None:
    versions(metadata, *numbers)
    if hint is not None:
        (metadata / "version-hint.text").write_text(hint)
    assert found(metadata.parent) == f"v{expected}.metadata.json"


def test_a_hint_of_bytes_that_are_no_text(metadata: Path) -> None:
    versions(metadata, 1)
    (metadata / "version-hint.text").write_bytes(b"\xff\xfe\x00")
    assert found(metadata.parent) == "v1.metadata.json"


@pytest.mark.parametrize("name", ["v2.gz.metadata.json", "v2.metadata.json.gz"])
@pytest.mark.parametrize("hint", ["1", "2", None])
def test_compressed_metadata(metadata: Path, name: str, hint: str | None) -> None:
    versions(metadata, 1)
    put(metadata, name, packed=True, **{"last-updated-ms": 77})
    if hint:
        (metadata / "version-hint.text").write_text(hint)
    loaded = load_metadata(str(metadata.parent), STORAGE)
    assert Path(loaded.metadata_file).name == name
    assert loaded.metadata.last_updated_ms == 77


def test_compression_is_seen_by_content_whatever_the_name(tmp_path: Path) -> None:
    for name, packed in (("v1.metadata.json", True), ("v2.gz.metadata.json", False), ("anything", True)):
        assert read_metadata(str(put(tmp_path, name, packed=packed)), STORAGE).format_version == 2


def test_several_gzip_members_and_padding(tmp_path: Path) -> None:
    content = json.dumps(version_2()).encode()
    (tmp_path / "m").write_bytes(gzip.compress(content[:50]) + gzip.compress(content[50:]) + bytes(10))
    assert read_metadata(str(tmp_path / "m"), STORAGE).format_version == 2


def test_catalog_names(metadata: Path) -> None:
    put(metadata, "00000-0a9bd8a5-1dc8-4c5c-9c3f-3f5a8b1b2a10.metadata.json")
    put(metadata, "00002-1b9bd8a5-1dc8-4c5c-9c3f-3f5a8b1b2a10.metadata.json")
    put(metadata, "00010-00000000-1dc8-4c5c-9c3f-3f5a8b1b2a10.gz.metadata.json", packed=True)
    assert found(metadata.parent).startswith("00010-")
    (metadata / "version-hint.text").write_text("00002-1b9bd8a5-1dc8-4c5c-9c3f-3f5a8b1b2a10")
    assert found(metadata.parent).startswith("00002-")


def test_two_files_of_one_version_are_not_guessed_between(metadata: Path) -> None:
    for uuid in ("a", "b"):
        put(metadata, f"00001-{uuid}.metadata.json")
    put(metadata, "00000-c.metadata.json")
    with pytest.raises(InvalidMetadataError, match=r"Cannot tell.*00001-a\.metadata\.json, 00001-b\.metadata\.json"):
        found(metadata.parent)


def test_both_styles_without_a_hint_are_not_guessed_between(metadata: Path) -> None:
    versions(metadata, 1, 2)
    put(metadata, "00003-a.metadata.json")
    with pytest.raises(InvalidMetadataError, match="Cannot tell"):
        found(metadata.parent)
    (metadata / "version-hint.text").write_text("2")
    assert found(metadata.parent) == "v2.metadata.json"


@pytest.mark.parametrize("hint", [None, "3"])
@pytest.mark.parametrize("name", ["v3.metadata.json", "v3.gz.metadata.json", "00003-0000-a.metadata.json"])
def test_a_folder_in_the_place_of_the_newest_file_is_told(metadata: Path, name: str, hint: str | None) -> None:
    if name.startswith("v"):
        versions(metadata, 1, 2)
    else:
        put(metadata, "00002-0000-b.metadata.json")
    if hint is not None:
        (metadata / "version-hint.text").write_text(hint)
    (metadata / name).mkdir()
    with pytest.raises(NotFoundError, match=f"Is a folder, not a metadata file: .*{name}"):
        found(metadata.parent)


def test_folders_with_names_of_older_versions_do_no_harm(metadata: Path) -> None:
    versions(metadata, 2, 3)
    (metadata / "v1.metadata.json").mkdir()
    assert found(metadata.parent) == "v3.metadata.json"
    (metadata / "v3.metadata.json").unlink()
    (metadata / "v2.metadata.json").unlink()
    with pytest.raises(NotFoundError, match="Is a folder"):
        found(metadata.parent)


def test_other_files_are_no_metadata(metadata: Path) -> None:
    versions(metadata, 1)
    for name in (
        "v2.metadata.json.crc",
        ".v3.metadata.json.crc",
        "vx.metadata.json",
        "snap-1.avro",
        "v4.json",
        "-5.metadata.json",
    ):
        (metadata / name).touch()
    (metadata / "v9.json").mkdir()
    assert found(metadata.parent) == "v1.metadata.json"


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"No such table or metadata file: .*gone"):
        load_metadata(str(tmp_path / "gone"), STORAGE)
    with pytest.raises(NotFoundError, match=r"No table metadata in .*looked in .* for version-hint\.text, v<N>"):
        load_metadata(str(tmp_path), STORAGE)
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "version-hint.text").write_text("1")
    with pytest.raises(NotFoundError, match="No table metadata in"):
        load_metadata(str(tmp_path), STORAGE)


def test_damaged_files_are_named(tmp_path: Path) -> None:
    plain, packed = json.dumps(version_2()).encode(), gzip.compress(json.dumps(version_2()).encode())
    for content in (plain[:-1], plain[:100], b"", packed[:-1], packed[:-9], packed[:12], b"\x1f\x8b", b"PAR1 no json"):
        (tmp_path / "m.json").write_bytes(content)
        with pytest.raises(ProjectorError, match=r"m\.json") as caught:
            read_metadata(str(tmp_path / "m.json"), STORAGE)
        assert isinstance(caught.value, (CorruptFileError, InvalidMetadataError))
        assert "\n" not in str(caught.value)


def test_every_flipped_bit_is_read_or_refused(tmp_path: Path) -> None:
    for content in (json.dumps(version_2()).encode(), gzip.compress(json.dumps(version_2()).encode())):
        for position in range(0, len(content), 3):
            damaged = bytearray(content)
            damaged[position] ^= 1 << position % 8
            (tmp_path / "m.json").write_bytes(damaged)
            with suppress(ProjectorError):
                read = read_metadata(str(tmp_path / "m.json"), STORAGE)
                _ = read.schemas, read.snapshots, read.specs, read.refs, read.snapshot_log


# Moved tables


def load_at(folder: Path, location: str) -> LoadedMetadata:
    return load_metadata(str(put(folder / "metadata", "v1.metadata.json", location=location)), STORAGE)


def test_a_table_in_its_place(tmp_path: Path) -> None:
    for spelling in ("file://", "file:", ""):
        resolver = load_at(tmp_path, f"{spelling}{tmp_path}").resolver(STORAGE)
        assert resolver.root is None
        assert resolver.note is None
        assert load_at(tmp_path, f"{spelling}{tmp_path}").resolver(STORAGE, allow_moved_paths=True).root is None


def test_a_moved_table(tmp_path: Path) -> None:
    loaded = load_at(tmp_path, "file:///nowhere/t")
    resolver = loaded.resolver(STORAGE)
    assert resolver.root == str(tmp_path)
    assert resolver.resolve("file:/nowhere/t/data/f") == f"{tmp_path}/data/f"
    assert resolver.note == f"the table records its location as file:///nowhere/t; its files are read from {tmp_path}"
    assert loaded.resolver(STORAGE, allow_moved_paths=False).root is None


def test_a_copy_beside_the_table_itself(tmp_path: Path) -> None:
    """The recorded location holds this metadata file, so its files are the ones to read."""
    load_at(tmp_path / "here", f"file://{tmp_path}/here")
    copy = load_at(tmp_path / "copy", f"file://{tmp_path}/here")
    assert copy.resolver(STORAGE).root is None
    assert copy.resolver(STORAGE, allow_moved_paths=True).root == f"{tmp_path}/copy"


def test_metadata_elsewhere_under_the_location_is_no_move(tmp_path: Path) -> None:
    put(tmp_path / "other" / "place", "v1.metadata.json", location=str(tmp_path))
    loaded = load_metadata(f"{tmp_path}/other/place/v1.metadata.json", STORAGE)
    assert loaded.resolver(STORAGE).root is None


def test_a_location_that_cannot_be_asked_does_not_hold_the_file(tmp_path: Path) -> None:
    assert load_at(tmp_path, "ftp://host/t").resolver(STORAGE).root == str(tmp_path)


def test_a_path_map_works_with_or_without_a_move(tmp_path: Path) -> None:
    loaded = load_at(tmp_path, "file:///nowhere/t")
    for allow in (False, True):
        resolver = loaded.resolver(STORAGE, allow, {"file:///elsewhere": "/import"})
        assert resolver.resolve("file:/elsewhere/f") == "/import/f"


def test_the_file_is_kept_for_messages(tmp_path: Path) -> None:
    loaded = load_at(tmp_path, "s3://b/t")
    assert loaded.metadata.file == loaded.metadata_file
    assert loaded.metadata == TableMetadata.from_json(version_2())
