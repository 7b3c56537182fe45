"""Type promotion under old partition specs: a spec counts if files may have been written with it."""

from __future__ import annotations

from typing import Any

import pytest

from projector import Schema, Transaction
from projector.errors import SchemaUpdateError
from projector.evolution.sql import parse_alter, to_transaction
from projector.evolution.updates.transaction import prepare_transaction
from projector.schema.types import DateType, NestedField, TimestampType
from tests.evolution.tables import table_metadata

SCHEMA = Schema((NestedField(1, "day", DateType()),))
BUCKET = {"source-id": 1, "field-id": 1000, "name": "b", "transform": "bucket[4]"}
IDENTITY = {"source-id": 1, "field-id": 1000, "name": "day", "transform": "identity"}
SNAPSHOT = {"snapshot-id": 1, "sequence-number": 1, "timestamp-ms": 1, "manifest-list": "m", "summary": {}}


def changed(field: dict[str, Any], sql: str, *, with_snapshot: bool) -> Any:
    files: dict[str, Any] = {"snapshots": [SNAPSHOT], "current_snapshot_id": 1} if with_snapshot else {}
    metadata = table_metadata(
        SCHEMA,
        format_version=3,
        partition_specs=[{"spec-id": 0, "fields": [field]}],
        last_partition_id=1000,
        last_sequence_number=1,
        **files,
    )
    update: Transaction = to_transaction(parse_alter(sql))
    return prepare_transaction(metadata, update).metadata


AGAIN = (
    "ALTER TABLE t DROP PARTITION FIELD b; ALTER TABLE t ALTER COLUMN day TYPE timestamp_ntz;"
    " ALTER TABLE t ADD PARTITION FIELD bucket(4, day) AS b"
)
DROPPED = "ALTER TABLE t DROP PARTITION FIELD day; ALTER TABLE t ALTER COLUMN day TYPE timestamp_ntz"


def test_a_field_dropped_and_added_again_around_a_promotion() -> None:
    after = changed(BUCKET, AGAIN, with_snapshot=False)
    assert after.current_schema.fields[0].field_type == TimestampType()
    assert [field.transform for field in after.spec().fields] == ["bucket[4]"]


@pytest.mark.parametrize(("field", "sql"), [(BUCKET, AGAIN), (IDENTITY, DROPPED)])
def test_an_old_spec_of_a_table_with_snapshots_counts(field: dict[str, Any], sql: str) -> None:
    with pytest.raises(SchemaUpdateError, match="would change the values of partition field"):
        changed(field, sql, with_snapshot=True)


def test_an_old_identity_field_without_files_does_not_count() -> None:
    assert changed(IDENTITY, DROPPED, with_snapshot=False).current_schema.fields[0].field_type == TimestampType()


@pytest.mark.parametrize("field", [BUCKET, IDENTITY])
def test_the_default_spec_counts_without_files_too(field: dict[str, Any]) -> None:
    with pytest.raises(SchemaUpdateError, match="would change the values of partition field"):
        changed(field, "ALTER TABLE t ALTER COLUMN day TYPE timestamp_ntz", with_snapshot=False)
