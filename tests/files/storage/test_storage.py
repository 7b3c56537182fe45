from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyarrow import fs

from projector import shapes
from projector.errors import NotFoundError, ProjectorError, UnsupportedError
from projector.files.storage.storage import Storage

ODD_NAMES = [
    "plain",
    "with space",
    "quote'and\"quote",
    "star*",
    "question?",
    "bracket[1]",
    "percent%20sign",
    "percent%",
    "new\nline",
    "tab\t",
    "back\\slash",
    "hash#tag",
    "plus+and&and=",
    "colon:name",
    "ünïcødé 漢字 🙂",
    "~",
    "$HOME",
    "-dash",
]


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("spelling", ["", "file:", "file://"])
def test_any_name_is_literal(tmp_path: Path, name: str, spelling: str) -> None:
    (tmp_path / name).write_bytes(b"right")
    (tmp_path / "decoy").write_bytes(b"wrong")
    path = f"{spelling}{tmp_path}/{name}"
    storage = Storage()
    assert storage.exists(path)
    assert not storage.is_folder(path)
    assert storage.read_bytes(path) == b"right"
    with storage.open_arrow(path) as file:
        assert file.read() == b"right"
    assert name in storage.listing(f"{spelling}{tmp_path}").files


def test_a_percent_sign_is_a_percent_sign(tmp_path: Path) -> None:
    (tmp_path / "a b").write_bytes(b"decoded")
    storage = Storage()
    with pytest.raises(NotFoundError, match=r"percent signs in paths are taken as they are; .*a b exists"):
        storage.read_bytes(f"file://{tmp_path}/a%20b")
    (tmp_path / "a%20b").write_bytes(b"literal")
    assert storage.read_bytes(f"file://{tmp_path}/a%20b") == b"literal"
    assert storage.read_bytes(f"file://{tmp_path}/a b") == b"decoded"


def test_reading_by_position(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(bytes(range(100)))
    with Storage().open(str(tmp_path / "f")) as file:
        assert file.size() == 100
        assert file.read_at(10, 5) == bytes(range(10, 15))
        assert file.read_at(98, 10) == bytes([98, 99])
        assert file.read_at(100, 10) == b""
        assert file.read_at(500, 10) == b""
        assert file.read_at(0, 0) == b""
        assert file.path == str(tmp_path / "f")


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    assert Storage().read_bytes(str(tmp_path / "f")) == b""


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    storage = Storage()
    path = str(tmp_path / "gone")
    assert not storage.exists(path)
    for read in (storage.open, storage.read_bytes, storage.open_arrow, storage.listing):
        with pytest.raises(NotFoundError, match=r"No such file or folder: .*gone"):
            read(path)


def test_below_a_file_there_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    assert not Storage().exists(f"{tmp_path}/f/g")
    with pytest.raises(NotFoundError):
        Storage().open(f"{tmp_path}/f/g")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipes_and_devices_are_no_files(tmp_path: Path) -> None:
    """Nobody writes to this pipe: opening it as a file would wait for ever."""
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    storage = Storage()
    for path in (pipe, "file://" + pipe, os.devnull):
        for read in (storage.open, storage.open_arrow, storage.read_bytes, lambda at: storage.read_tail(at, 100)):
            with pytest.raises(ProjectorError) as caught:
                read(path)
            assert str(caught.value) == f"Cannot read {path}: not a regular file"
        with pytest.raises(ProjectorError, match="not a regular file"):
            shapes([path])


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    storage = Storage()
    assert storage.is_folder(str(tmp_path))
    for read in (storage.open, storage.read_bytes, storage.open_arrow):
        with pytest.raises(NotFoundError, match="Is a folder, not a file"):
            read(str(tmp_path))


def test_a_permission_error_keeps_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(ProjectorError, match=f"^Permission denied: {tmp_path}$"):
        Storage().listing(str(tmp_path))


def test_any_other_trouble_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("something\nin two lines")

    monkeypatch.setattr("os.scandir", fail)
    with pytest.raises(ProjectorError, match=f"^Cannot read {tmp_path}: something in two lines$"):
        Storage().listing(str(tmp_path))


@pytest.mark.parametrize("path", ["/tmp/zero\0byte", "x" * 5000, "/tmp/\udcff\ud800"])
def test_what_cannot_be_a_path(path: str) -> None:
    with pytest.raises(ProjectorError) as caught:
        Storage().open(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", ["ftp://host/x", "http://host/x", "memory:/x", "file://host/x"])
def test_an_unknown_scheme_is_named(path: str) -> None:
    storage = Storage()
    for read in (storage.open, storage.exists, storage.listing, storage.open_arrow):
        with pytest.raises(UnsupportedError, match=path):
            read(path)


def test_secrets_are_not_shown() -> None:
    assert "hush" not in repr(Storage({"s3.secret-access-key": "hush"}))


def test_an_object_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The part that all object stores share, over a file system that pyarrow wraps the same way."""
    (tmp_path / "bucket" / "a" / "deep").mkdir(parents=True)
    (tmp_path / "bucket" / "a" / "f%20x").write_bytes(b"content")
    store = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    monkeypatch.setattr(fs, "S3FileSystem", lambda **_: store)
    storage = Storage()
    assert storage.read_bytes("s3://bucket/a/f%20x") == b"content"
    assert storage.read_bytes("s3a://bucket/a/f%20x") == b"content"
    with storage.open("s3://bucket/a/f%20x") as file:
        assert (file.size(), file.read_at(3, 2), file.read_at(5, 99)) == (7, b"te", b"nt")
    with storage.open_arrow("s3://bucket/a/f%20x") as file:
        assert file.read() == b"content"
    assert storage.listing("s3://bucket/a").files == ("f%20x",)
    assert storage.is_folder("s3://bucket/a")
    assert storage.exists("s3://bucket/a/f%20x")
    assert not storage.exists("s3://bucket/a/g")
    with pytest.raises(NotFoundError, match="s3://bucket/a/g"):
        storage.open("s3://bucket/a/g")
    with pytest.raises(ProjectorError, match="s3://bucket/a"):
        storage.read_bytes("s3://bucket/a")
    with pytest.raises(NotFoundError):
        storage.listing("s3://bucket/none")


def test_settings_of_s3(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, object] = {}

    def make(**options: object) -> object:
        given.update(options)
        return fs.LocalFileSystem()

    monkeypatch.setattr(fs, "S3FileSystem", make)
    Storage(
        {
            "s3.endpoint": "http://127.0.0.1:9000",
            "s3.region": "eu-west-1",
            "s3.access-key-id": "me",
            "s3.secret-access-key": "hush",
            "s3.session-token": "token",
            "s3.path-style-access": "true",
            "s3.connect-timeout": "2.5",
        }
    ).exists("s3://bucket/x")
    assert given.pop("retry_strategy").max_attempts == 5
    assert given == {
        "endpoint_override": "http://127.0.0.1:9000",
        "region": "eu-west-1",
        "access_key": "me",
        "secret_key": "hush",
        "session_token": "token",
        "force_virtual_addressing": False,
        "connect_timeout": 2.5,
    }


def test_marks_of_every_spelling(tmp_path: Path) -> None:
    file = tmp_path / "a b%20ü"
    file.write_bytes(b"12345")
    os.utime(file, ns=(1_600_000_000_000_000_001, 1_600_000_000_000_000_001))
    spellings = [str(file), f"file://{file}", f"file:{file}", f"file:///{file}", f"file://{str(file)[1:]}"]
    found = Storage().marks([*spellings, str(tmp_path / "absent"), "\0", ""])
    assert found == dict.fromkeys(spellings[:4], (5, 1_600_000_000_000_000_001))
