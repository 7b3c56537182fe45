"""Commits to tables without a catalog: one step, races, crashes."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from itertools import pairwise
from pathlib import Path

import pytest

from projector.errors import CommitConflictError, ProjectorError, SchemaUpdateError, UnsupportedError
from projector.evolution.commit import filesystem as filesystem_commit
from projector.evolution.commit import version_files
from projector.evolution.commit.filesystem import commit_schema_update
from projector.evolution.commit.version_files import VersionFiles
from projector.evolution.updates.update_schema import UpdateSchema
from projector.files.storage.storage import Storage
from projector.metadata.loading import load_metadata
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema
from tests.evolution.tables import ORDERS, table_folder, table_metadata

ROOT = Path(__file__).parents[2]


def current(folder: Path) -> TableMetadata:
    return load_metadata(str(folder), Storage()).metadata


def added_names(schema: Schema) -> set[str]:
    return {field.name for field in schema.fields} - {field.name for field in ORDERS.fields}


def visible(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder / "metadata") if not name.startswith("."))


def test_a_commit_makes_the_next_version(tmp_path: Path) -> None:
    folder = table_folder(tmp_path / "t")
    done = commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"))
    assert visible(folder) == ["v1.metadata.json", "v2.metadata.json", "version-hint.text"]
    assert len(os.listdir(folder / "metadata")) == 3
    assert done.metadata_file == str(folder / "metadata" / "v2.metadata.json")
    assert (folder / "metadata" / "version-hint.text").read_text() == "2"
    assert done.attempts == 1
    raw = json.loads((folder / "metadata" / "v2.metadata.json").read_text())
    assert raw == done.commit.metadata.raw
    assert raw["metadata-log"] == [
        {"timestamp-ms": 1_700_000_000_000, "metadata-file": f"{folder.as_uri()}/metadata/v1.metadata.json"}
    ]
    assert current(folder).current_schema.find_field("x").field_id == 14


def test_nothing_to_commit(tmp_path: Path) -> None:
    folder = table_folder(tmp_path / "t")
    done = commit_schema_update(folder.as_uri(), UpdateSchema().update_column_doc("note", None))
    assert not done.commit.changed
    assert visible(folder) == ["v1.metadata.json", "version-hint.text"]


def test_an_update_that_does_not_apply_is_not_a_conflict(tmp_path: Path) -> None:
    folder = table_folder(tmp_path / "t")
    with pytest.raises(SchemaUpdateError, match="Cannot delete missing column: nope"):
        commit_schema_update(str(folder), UpdateSchema().delete_column("nope"))
    assert visible(folder) == ["v1.metadata.json", "version-hint.text"]


@pytest.mark.parametrize("codec", ["gzip", "GZIP"])
def test_a_table_with_compressed_metadata(tmp_path: Path, codec: str) -> None:
    folder = table_folder(tmp_path / "t", table_metadata(properties={"write.metadata.compression-codec": codec}))
    done = commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"))
    assert done.metadata_file.endswith("v2.gz.metadata.json")
    assert json.loads(gzip.decompress(Path(done.metadata_file).read_bytes())) == done.commit.metadata.raw
    assert current(folder).current_schema.find_field("x").field_id == 14


def test_any_metadata_file_names_the_table_and_the_newest_version_is_changed(tmp_path: Path) -> None:
    folder = table_folder(tmp_path / "t")
    commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"))
    done = commit_schema_update(str(folder / "metadata" / "v1.metadata.json"), UpdateSchema().add_column("y", "int"))
    assert done.metadata_file.endswith("v3.metadata.json")
    assert added_names(current(folder).current_schema) == {"x", "y"}


@pytest.mark.parametrize("hint", [None, "", "garbage", "77", "1"])
def test_a_hint_that_is_missing_or_wrong(tmp_path: Path, hint: str | None) -> None:
    folder = table_folder(tmp_path / "t")
    commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"))
    path = folder / "metadata" / "version-hint.text"
    path.unlink() if hint is None else path.write_text(hint)
    commit_schema_update(str(folder), UpdateSchema().add_column("y", "int"))
    assert path.read_text() == "3"
    assert added_names(current(folder).current_schema) == {"x", "y"}


def test_the_checksum_of_the_hint_before_goes(tmp_path: Path) -> None:
    folder = table_folder(tmp_path / "t")
    checksum = folder / "metadata" / ".version-hint.text.crc"
    checksum.write_bytes(b"crc")
    commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"))
    assert not checksum.exists()


CATALOG_NAME = "00003-1c5f4c3e-7c52-4b8e-9a50-0d8f3b9ab001.metadata.json"


def test_metadata_named_by_a_catalog_is_refused(tmp_path: Path) -> None:
    folder = table_folder(tmp_path / "t")
    inner = folder / "metadata"
    (inner / CATALOG_NAME).write_bytes((inner / "v1.metadata.json").read_bytes())
    for location in (folder, inner / CATALOG_NAME, inner / "v1.metadata.json"):
        with pytest.raises(UnsupportedError, match=f"named by a catalog .{CATALOG_NAME}"):
            commit_schema_update(str(location), UpdateSchema().add_column("x", "int"))
    (inner / "v1.metadata.json").unlink()
    with pytest.raises(UnsupportedError, match="commit through it"):
        commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"))


@pytest.mark.parametrize("name", ["metadata.json", "table.metadata.json", "5-a.metadata.json"])
def test_metadata_of_another_name_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(table_metadata().to_json())
    with pytest.raises(UnsupportedError):
        commit_schema_update(str(path), UpdateSchema().add_column("x", "int"))


def test_object_stores_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="only tables on a local file system"):
        commit_schema_update("s3://bucket/table", UpdateSchema().add_column("x", "int"))


# ---------------------------------------------------------------- races


def lose_once(monkeypatch: pytest.MonkeyPatch, folder: Path, *faster: UpdateSchema) -> None:
    """Let other writers commit between the moment a commit is prepared and the moment it is made."""
    left, real = list(faster), VersionFiles.make_next

    def make_next(self: VersionFiles, version: int, metadata: TableMetadata) -> str | None:
        if left:
            update = left.pop(0)
            with monkeypatch.context() as undisturbed:
                undisturbed.setattr(VersionFiles, "make_next", real)
                commit_schema_update(str(folder), update)
        return real(self, version, metadata)

    monkeypatch.setattr(VersionFiles, "make_next", make_next)


def test_a_lost_race_is_run_again_on_the_schema_that_won(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = table_folder(tmp_path / "t")
    struct = {"type": "struct", "fields": [{"name": "a", "type": "int"}]}
    lose_once(monkeypatch, folder, UpdateSchema().add_column("theirs", struct), UpdateSchema().delete_column("note"))
    done = commit_schema_update(str(folder), UpdateSchema().add_column("ours", "int").rename_column("day", "date"))
    assert done.attempts == 3
    schema = current(folder).current_schema
    assert schema.find_field("theirs.a").field_id == 15
    assert schema.find_field("ours").field_id == 16
    assert [field.name for field in schema.fields] == ["id", "date", "buyer", "lines", "prices", "theirs", "ours"]
    assert [s.schema_id for s in current(folder).schemas] == [0, 1, 2, 3]


def test_the_same_column_added_just_so_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = table_folder(tmp_path / "t")
    nested = {"type": "list", "element": {"type": "struct", "fields": [{"name": "a", "type": "int"}]}}

    def theirs() -> UpdateSchema:
        update = UpdateSchema().add_column("x", nested, doc="new").add_nested_column("buyer", "zip", "int")
        return update.add_nested_column("lines", "n", "long")

    lose_once(monkeypatch, folder, theirs())
    done = commit_schema_update(str(folder), theirs().add_column("y", "int").move_first("x"))
    assert done.attempts == 2
    schema = current(folder).current_schema
    assert [field.name for field in schema.fields] == ["x", "id", "note", "day", "buyer", "lines", "prices", "y"]
    assert schema.find_field("y").field_id == current(folder).last_column_id == 19

    lose_once(monkeypatch, folder, UpdateSchema().add_column("z", "int"))
    done = commit_schema_update(str(folder), UpdateSchema().add_column("z", "int"))
    assert (done.commit.changed, done.attempts) == (False, 2)


@pytest.mark.parametrize(
    "ours",
    [
        UpdateSchema().add_column("x", "long"),
        UpdateSchema().add_column("x", "int", doc="another"),
        UpdateSchema(allow_incompatible_changes=True).add_required_column("x", "int"),
    ],
)
def test_the_same_column_added_otherwise_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours: UpdateSchema
) -> None:
    folder = table_folder(tmp_path / "t")
    lose_once(monkeypatch, folder, UpdateSchema().add_column("x", "int"))
    with pytest.raises(CommitConflictError, match="no longer applies: Cannot add column, name already exists: x"):
        commit_schema_update(str(folder), ours)
    assert visible(folder) == ["v1.metadata.json", "v2.metadata.json", "version-hint.text"]


def test_a_column_that_was_there_before_the_race_is_taken(tmp_path: Path) -> None:
    folder = table_folder(tmp_path / "t")
    with pytest.raises(SchemaUpdateError, match="Cannot add column, name already exists: note"):
        commit_schema_update(str(folder), UpdateSchema().add_column("note", "string"))


def test_it_gives_up_after_the_attempts_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = table_folder(tmp_path / "t")
    monkeypatch.setattr(filesystem_commit, "_LONGEST_WAIT_SECONDS", 0.0)
    monkeypatch.setattr(VersionFiles, "make_next", lambda self, version, metadata: None)
    with pytest.raises(CommitConflictError, match="other writers were faster 4 times"):
        commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"), max_attempts=4)


def test_a_table_that_was_replaced_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = table_folder(tmp_path / "t")
    other = table_metadata(table_uuid="00000000-0000-4000-8000-000000000001")

    def replaced(self: VersionFiles, version: int, metadata: TableMetadata) -> None:
        (folder / "metadata" / "v2.metadata.json").write_text(other.to_json())

    monkeypatch.setattr(VersionFiles, "make_next", replaced)
    with pytest.raises(CommitConflictError, match="the table was replaced"):
        commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"))


def test_a_version_in_the_other_spelling_is_not_made_twice(tmp_path: Path) -> None:
    folder = table_folder(tmp_path / "t")
    (folder / "metadata" / "v2.gz.metadata.json").write_bytes(b"")
    assert VersionFiles(str(folder / "metadata")).make_next(1, table_metadata()) is None
    assert "v2.metadata.json" not in visible(folder)


def test_a_writer_that_slept_does_not_fill_a_gap_in_the_past(tmp_path: Path) -> None:
    folder = table_folder(tmp_path / "t")
    for name in ("a", "b", "c"):
        commit_schema_update(str(folder), UpdateSchema().add_column(name, "int"))
    for version in (1, 2):
        (folder / "metadata" / f"v{version}.metadata.json").unlink()
    slept = table_metadata(last_updated_ms=1_700_000_000_001)
    assert VersionFiles(str(folder / "metadata")).make_next(1, slept) is None
    assert visible(folder) == ["v3.metadata.json", "v4.metadata.json", "version-hint.text"]


def test_a_file_system_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = table_folder(tmp_path / "t")

    def link(source: str, target: str) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(version_files.os, "link", link)
    with pytest.raises(UnsupportedError, match="has no hard links"):
        commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"))
    assert len(os.listdir(folder / "metadata")) == 2


@pytest.mark.parametrize("call", ["fsync", "link", "unlink", "replace"])
@pytest.mark.parametrize("after", [False, True])
def test_stopped_at_any_step_there_is_the_old_or_the_new_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, after: bool
) -> None:
    """Each system call of a commit is the last thing the writer does, or the first thing that it does not."""
    folder = table_folder(tmp_path / "t")

    class Killed(BaseException):
        pass

    real = getattr(os, call)

    def last(*args: object) -> None:
        if after:
            real(*args)
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(version_files.os, call, last)
        with pytest.raises(Killed):
            commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"))
    assert added_names(current(folder).current_schema) in (set(), {"x"})
    assert set(visible(folder)) <= {"v1.metadata.json", "v2.metadata.json", "version-hint.text"}
    commit_schema_update(str(folder), UpdateSchema().add_column("y", "int"))
    assert "y" in added_names(current(folder).current_schema)
    newest = max(int(name[1:].split(".")[0]) for name in visible(folder) if name[1].isdigit())
    assert (folder / "metadata" / "version-hint.text").read_text() == str(newest)


def test_what_killed_writers_left_is_cleared_away_an_hour_later(tmp_path: Path) -> None:
    folder = table_folder(tmp_path / "t")
    metadata = folder / "metadata"
    written = {
        f".v2.metadata.json.{uuid.UUID(int=1)}.tmp": True,
        f".v7.gz.metadata.json.{uuid.UUID(int=2)}.tmp": True,
        f".version-hint.text.{uuid.UUID(int=3)}.tmp": True,
        f".v2.metadata.json.{uuid.UUID(int=4)}.tmp": False,  # some writer's at work
        ".v2.metadata.json.tmp": False,  # no one's here
        f".other.{uuid.UUID(int=5)}.tmp": False,
        ".v1.metadata.json.crc": False,
    }
    hour_ago = time.time() - 3700
    for number, name in enumerate(written):
        (metadata / name).write_text("{")
        if number != 3:
            os.utime(metadata / name, (hour_ago, hour_ago))
    commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"))
    assert {name for name in written if (metadata / name).exists()} == {n for n, gone in written.items() if not gone}
    assert visible(folder) == ["v1.metadata.json", "v2.metadata.json", "version-hint.text"]


def test_a_writer_that_slept_longer_than_its_hidden_file_lives_commits_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = table_folder(tmp_path / "t")
    link = os.link

    def cleared(source: str, target: str) -> None:
        os.unlink(source)
        link(source, target)

    monkeypatch.setattr(version_files.os, "link", cleared)
    with pytest.raises(ProjectorError, match="Cannot write metadata"):
        commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"))
    assert visible(folder) == ["v1.metadata.json", "version-hint.text"]


# ---------------------------------------------------------------- many writers

WRITER = """
import sys
from projector.evolution.commit.filesystem import commit_schema_update
from projector.evolution.updates.update_schema import UpdateSchema
folder, who, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
print("ready", flush=True)
sys.stdin.readline()
for number in range(first, first + count):
    name = f"{who}_{number}"
    update = UpdateSchema()
    if number % 5 == 4:
        struct = {"type": "struct", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "string"}]}
        update.add_column(name, struct)
    else:
        update.add_column(name, "int")
    commit_schema_update(folder, update)
    print(name, flush=True)
"""


def writer(folder: Path, who: str, first: int, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), who, str(first), str(count)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def let_go(writers: list[subprocess.Popen[str]]) -> None:
    """Wait until all have started, so that they race, and start them."""
    for process in writers:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in writers:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()


def check_history(folder: Path, versions: int) -> None:
    """Every version is there, whole, and follows from the one before."""
    inner = folder / "metadata"
    history = [
        TableMetadata.from_json((inner / f"v{version}.metadata.json").read_text()) for version in range(1, versions + 1)
    ]
    for before, after in pairwise(history):
        new = set(after.current_schema.fields_by_id) - set(before.current_schema.fields_by_id)
        assert new
        assert min(new) > before.last_column_id
        assert before.current_schema.fields == after.current_schema.fields[: len(before.current_schema.fields)]
        assert after.last_column_id == max(new)
        assert after.last_updated_ms >= before.last_updated_ms
        assert len(after.metadata_log) == min(len(before.metadata_log) + 1, 100)
    assert not (inner / f"v{versions + 1}.metadata.json").exists()
    hint = int((inner / "version-hint.text").read_text())
    assert hint <= versions


def test_eight_writers_commit_a_hundred_changes(tmp_path: Path) -> None:
    folder = table_folder(tmp_path / "t")
    shares = [13, 13, 13, 13, 12, 12, 12, 12]
    writers = [writer(folder, f"w{number}", 0, share) for number, share in enumerate(shares)]
    let_go(writers)
    for process in writers:
        process.communicate(timeout=60)
        assert process.returncode == 0
    expected = {f"w{number}_{n}" for number, share in enumerate(shares) for n in range(share)}
    assert added_names(current(folder).current_schema) == expected
    check_history(folder, 101)
    assert (folder / "metadata" / "version-hint.text").read_text() == "101"
    assert len(os.listdir(folder / "metadata")) == 102


def test_writers_that_are_killed_lose_nothing_that_they_said_was_done(tmp_path: Path) -> None:
    """Writers are killed at random instants and started again; what one has reported is in the table for good."""
    folder = table_folder(tmp_path / "t")
    chance, said = random.Random(7), set()
    for generation in range(4):
        writers = [writer(folder, f"g{generation}w{number}", 0, 40) for number in range(4)]
        let_go(writers)
        for process in writers:
            time.sleep(chance.uniform(0.01, 0.1))
            process.send_signal(signal.SIGKILL)
        for process in writers:
            assert process.stdout is not None
            said |= set(process.stdout.read().split())
            process.wait()
            process.stdout.close()
            assert process.stdin is not None
            process.stdin.close()
        there = added_names(current(folder).current_schema)
        assert said <= there
        assert len(there) <= len(said) + 4 * (generation + 1)
    assert said
    check_history(folder, len(there) + 1)
    commit_schema_update(str(folder), UpdateSchema().add_column("after", "int"))
    assert (folder / "metadata" / "version-hint.text").read_text() == str(len(there) + 2)


def test_a_hint_that_hides_newer_versions_is_no_race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other writer is at work: the commit ends soon, says why, and writes nothing."""
    folder = table_folder(tmp_path / "t")
    commit_schema_update(str(folder), UpdateSchema().add_column("x", "int"))
    (folder / "metadata" / "version-hint.text").write_text("v1")
    before = visible(folder)
    waits: list[float] = []
    monkeypatch.setattr(filesystem_commit.time, "sleep", waits.append)
    with pytest.raises(CommitConflictError, match=r"a version after v1\.metadata\.json exists.*version-hint\.text"):
        commit_schema_update(str(folder), UpdateSchema().add_column("y", "int"))
    assert len(waits) == 5
    assert visible(folder) == before
