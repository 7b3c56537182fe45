"""The data file that a delete file names, by its own field or by equal bounds (spec: Position Delete Files)."""

from __future__ import annotations

import pytest

from projector.metadata.manifests.model import DataFile, FileContent, Metrics

FILE_PATH = 2147483546
"""The id of `file_path` in a position delete file (spec: Reserved Field IDs)."""


def delete_file(lower: bytes, upper: bytes, content: FileContent, named: str | None = None) -> DataFile:
    bounds = {"lower_bounds": lower, "upper_bounds": upper}
    metrics = Metrics({name: [{"key": FILE_PATH, "value": value}] for name, value in bounds.items()})
    return DataFile(content, "d.parquet", "PARQUET", 0, {}, {}, 1, 1, metrics, referenced_data_file=named)


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        (b"s3://b/a.parquet", b"s3://b/a.parquet", "s3://b/a.parquet"),
        (b"s3://b/a.parquet", b"s3://b/b.parquet", None),
        (b"s3://bucket/data", b"s3://bucket/data", None),  # both cut to 16 bytes: any file under it
        (b"\xff.parquet", b"\xff.parquet", None),
    ],
)
def test_equal_bounds_name_the_file(lower: bytes, upper: bytes, expected: str | None) -> None:
    assert delete_file(lower, upper, FileContent.POSITION_DELETES).target_file == expected
    assert delete_file(lower, upper, FileContent.EQUALITY_DELETES).target_file is None


def test_the_field_goes_before_the_bounds() -> None:
    file = delete_file(b"a.parquet", b"a.parquet", FileContent.POSITION_DELETES, "b.parquet")
    assert file.target_file == "b.parquet"
