from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.files.storage.locations import (
    PathResolver,
    base_name,
    canonical,
    join,
    parent,
    parse_location,
    relative_to,
    same_path,
    table_root,
    without_authority,
)


@pytest.mark.parametrize(
    ("path", "scheme", "authority", "rest"),
    [
        ("/x/y", "file", "", "/x/y"),
        ("file:/x/y", "file", "", "/x/y"),
        ("file:///x/y", "file", "", "/x/y"),
        ("FILE:///x/y", "file", "", "/x/y"),
        ("file://localhost/x", "file", "", "/x"),
        ("file://host/x", "file", "host", "/x"),
        ("s3://bucket/a/b", "s3", "bucket", "/a/b"),
        ("s3a://bucket/a/b", "s3", "bucket", "/a/b"),
        ("s3n://bucket", "s3", "bucket", ""),
        ("hdfs:/x", "hdfs", "", "/x"),
        ("hdfs://host:8020/x", "hdfs", "host:8020", "/x"),
        ("abfss://box@account.dfs.core.windows.net/x", "abfs", "box@account.dfs.core.windows.net", "/x"),
        ("relative/x", "file", "", "relative/x"),
        ("name:with colon.parquet", "file", "", "name:with colon.parquet"),
        ("C:/Users/x", "file", "", "C:/Users/x"),
        ("file:///x/a%20b?c#d", "file", "", "/x/a%20b?c#d"),
        ("file:/x/new\nline", "file", "", "/x/new\nline"),
    ],
)
def test_paths_are_taken_apart_and_nothing_in_them_is_decoded(
    path: str, scheme: str, authority: str, rest: str
) -> None:
    location = parse_location(path)
    assert (location.scheme, location.authority, location.path) == (scheme, authority, rest)


@pytest.mark.parametrize("other", ["file:/x/y", "file:///x/y", "file:////x/y", "/x/y", "/x//y", "/x/y/", "//x/y"])
def test_all_spellings_of_a_local_path_are_one(other: str) -> None:
    assert same_path("/x/y", other)
    assert canonical(other) == "/x/y"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("s3://b/x", "s3a://b/x", True),
        ("s3://b/x", "s3://c/x", False),
        ("s3://b/x//y", "s3://b/x/y", False),  # two keys
        ("s3://b/x", "/b/x", False),
        ("gs://b/x", "gcs://b/x", True),
        ("/x/a%20b", "/x/a b", False),
        ("/X", "/x", False),
        ("file://host/x", "/x", False),
        ("hdfs://host/x", "/x", False),
    ],
)
def test_same_path(one: str, other: str, same: bool) -> None:
    assert same_path(one, other) is same


def test_without_authority() -> None:
    assert {without_authority(p) for p in ("hdfs://host/x/y", "file:/x/y", "file:///x/y", "/x/y")} == {"/x/y"}


def test_parts_of_paths() -> None:
    assert join("/x", "y") == join("/x/", "y") == "/x/y"
    assert join("/", "y") == "/y"
    assert join("s3://b", "y") == "s3://b/y"
    assert (parent("/x/y"), parent("/x"), parent("y"), parent("file:///x/y/")) == ("/x", "/", ".", "file:///x")
    assert (base_name("/x/y"), base_name("/x/y/"), base_name("y")) == ("y", "y", "y")


@pytest.mark.parametrize(
    ("path", "folder", "rest"),
    [
        ("file:/tmp/t/data/f", "file:///tmp/t", "data/f"),
        ("/tmp/t/data/f", "file:///tmp/t/", "data/f"),
        ("/tmp/t2/data/f", "/tmp/t", None),
        ("/tmp/t", "/tmp/t", ""),
        ("/tmp", "/tmp/t", None),
        ("/tmp/t", "/", "tmp/t"),
        ("s3a://b/t/data/f", "s3://b/t", "data/f"),
        ("s3://b/t/data//f", "s3://b/t", "data//f"),
        ("s3://b2/t/f", "s3://b/t", None),
        ("/tmp/t/a%2Fb c*?[é\n", "/tmp/t", "a%2Fb c*?[é\n"),
    ],
)
def test_relative_to(path: str, folder: str, rest: str | None) -> None:
    assert relative_to(path, folder) == rest


def test_root_of_a_table() -> None:
    assert table_root("/w/t/metadata/v1.metadata.json") == "/w/t"
    assert table_root("s3://b/t/metadata/v1.metadata.json") == "s3://b/t"
    assert table_root("/w/elsewhere/v1.metadata.json") == "/w/elsewhere"


def test_a_table_that_did_not_move_keeps_its_paths() -> None:
    resolver = PathResolver("file:///tmp/t")
    assert resolver.resolve("file:/tmp/t/data/f") == "file:/tmp/t/data/f"
    assert resolver.note is None


def test_a_moved_table() -> None:
    resolver = PathResolver("file:///tmp/t", "/new/t")
    assert resolver.resolve("file:/tmp/t/data/f") == "/new/t/data/f"
    assert resolver.resolve("/tmp/t/data/f") == "/new/t/data/f"
    assert resolver.resolve("/tmp/t") == "/new/t"
    assert resolver.resolve("file:/tmp/t2/f") == "file:/tmp/t2/f"
    assert resolver.note == "the table records its location as file:///tmp/t; its files are read from /new/t"


def test_a_path_map_goes_first_and_its_longest_prefix_wins() -> None:
    resolver = PathResolver(
        "s3://b/t", "/new/t", {"s3://b": "/all", "s3a://b/import/x": "/one", "/old/file.parquet": "/f"}
    )
    assert resolver.resolve("s3://b/import/x/f") == "/one/f"
    assert resolver.resolve("s3://b/import/xy/f") == "/all/import/xy/f"
    assert resolver.resolve("s3://b/t/f") == "/all/t/f"
    assert resolver.resolve("file:/old/file.parquet") == "/f"
    assert resolver.resolve("gs://b/f") == "gs://b/f"


@given(
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1),
    st.sampled_from(["", "file:", "file://"]),
)
def test_any_name_below_a_moved_table_is_found_by_its_own_name(name: str, spelling: str) -> None:
    assert PathResolver("file:///tmp/t", "/new").resolve(f"{spelling}/tmp/t/data/{name}") == f"/new/data/{name}"


@given(st.text())
def test_canonical_is_its_own_canonical(path: str) -> None:
    assert canonical(canonical(path)) == canonical(path)
    assert same_path(path, path)
