"""Random changes of the suite's tables with what Java made of each, and the same changes made here."""

from __future__ import annotations

import gzip
import json
import lzma
import tarfile
from functools import cache
from typing import Any

from projector.check.change.proposal import from_sql
from projector.errors import ProjectorError
from projector.evolution.updates.transaction import Transaction, prepare_transaction
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema
from tests.conformance.pack import ARCHIVE
from tests.evolution.corpus import DATA, recorded
from tests.evolution.test_java_transactions import transaction_of

Answer = dict[str, Any]
"""What a change made of a table, or `{"refused": sentence}`."""


def random_changes() -> list[dict[str, Any]]:
    text = lzma.decompress((DATA / "changes.jsonl.xz").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


@cache
def tables() -> dict[str, TableMetadata]:
    """The current metadata of every table of the conformance suite."""
    documents: dict[str, bytes] = {}
    with tarfile.open(ARCHIVE) as archive:
        for entry in archive:
            if entry.name.endswith((".metadata.json", "/case.json")):
                content = archive.extractfile(entry)
                assert content is not None
                documents[entry.name] = content.read()
    found = {}
    for path, text in documents.items():
        table, _, file = path.partition("/")
        if file == "case.json":
            current = documents[f"{table}/{json.loads(text)['current_metadata']}"]
            plain = gzip.decompress(current) if current.startswith(b"\x1f\x8b") else current
            found[table] = TableMetadata.from_json(plain.decode())
    return found


def replayed(case: dict[str, Any]) -> Answer:
    """What the change of a case makes of its table here."""
    try:
        return written(_changed(tables()[case["table"]], case["change"]))
    except ProjectorError as error:
        return {"refused": error.message}


def _changed(metadata: TableMetadata, change: dict[str, Any]) -> TableMetadata:
    for statement in change.get("sql", ()):
        update = from_sql(statement.format(t="t"), "spark", metadata).update
        metadata = _committed(metadata, update if isinstance(update, Transaction) else Transaction().record(update))
    match change.get("step"):
        case {"transaction": actions}:
            return _committed(metadata, transaction_of(actions))
        case {"ops": ops, "allow_incompatible": allowed, "case_sensitive": case_sensitive}:
            update = recorded(
                ops,
                format_version=metadata.format_version,
                case_sensitive=case_sensitive,
                allow_incompatible=allowed,
            )
            return _committed(metadata, Transaction().record(update))
        case _:
            return metadata


def _committed(metadata: TableMetadata, transaction: Transaction) -> TableMetadata:
    return prepare_transaction(metadata, transaction, timestamp_ms=0).metadata


def written(metadata: TableMetadata) -> Answer:
    """What a change may alter, in Java's spelling."""
    raw = metadata.raw
    answer = {
        "schema": next((s for s in raw.get("schemas", ()) if s["schema-id"] == raw["current-schema-id"]), None),
        **{key: raw.get(key) for key in ID_KEYS},
    }
    mapping = raw.get("properties", {}).get("schema.name-mapping.default")
    return answer | ({"name-mapping": json.loads(mapping)} if mapping is not None else {})


ID_KEYS = (
    "last-column-id",
    "partition-specs",
    "default-spec-id",
    "last-partition-id",
    "sort-orders",
    "default-sort-order-id",
)


def comparable(answer: Answer) -> Answer:
    """An answer with what has no order put in one."""
    if "refused" in answer:
        return {"refused": True}
    schema = Schema.from_json(answer["schema"])
    mapping = {"name-mapping": _in_order(answer["name-mapping"])} if "name-mapping" in answer else {}
    return {**answer, "schema": schema.to_json(), **mapping}


def _in_order(fields: list[dict[str, Any]]) -> list[Any]:
    return sorted(
        ({**field, "names": sorted(field["names"]), "fields": _in_order(field.get("fields", []))} for field in fields),
        key=lambda field: json.dumps(field),
    )
