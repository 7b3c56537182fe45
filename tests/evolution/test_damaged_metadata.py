"""Metadata with any key gone or of another kind: a change is made, or refused with an error that says why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import projector
from projector.check.change.proposal import from_sql
from projector.errors import InvalidMetadataError, ProjectorError
from projector.evolution.updates.transaction import Transaction, prepare_transaction
from projector.metadata.table_metadata import TableMetadata

SAMPLE = Path(__file__).parents[2] / "sample_data" / "orders"
CHANGES = (
    "ADD COLUMN x1 int",
    "RENAME COLUMN rating TO rating1",
    "ADD PARTITION FIELD bucket(4, order_id)",
    "WRITE ORDERED BY order_id",
    "SET TBLPROPERTIES ('a' = 'b')",
)
OTHER: tuple[Any, ...] = (None, 7, "x", [], [7], {}, {"x": 7}, -1, 2**70, True, 1.5)


def raw_metadata() -> dict[str, Any]:
    file = max((SAMPLE / "metadata").glob("*.metadata.json"), key=lambda f: f.name)
    raw: dict[str, Any] = json.loads(file.read_text())
    raw.setdefault("metadata-log", [{"timestamp-ms": 1, "metadata-file": "a"}])
    raw["schemas"] = [
        {
            "type": "struct",
            "schema-id": 90,
            "fields": [{"id": 1, "name": "order_id", "required": True, "type": "long"}],
        },
        *raw["schemas"],
    ]
    return raw


def paths(node: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every key and of the first two items of every list."""
    items = node.items() if isinstance(node, dict) else enumerate(node[:2]) if isinstance(node, list) else ()
    for key, value in items:
        yield (*above, key)
        yield from paths(value, (*above, key))


def damaged(raw: dict[str, Any], path: tuple[Any, ...], value: Any, *, delete: bool = False) -> dict[str, Any]:
    copy: Any = json.loads(json.dumps(raw))
    node = copy
    for key in path[:-1]:
        node = node[key]
    if delete:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return dict(copy)


def change(raw: dict[str, Any]) -> None:
    """Make every change to the metadata; raises what projector raises."""
    metadata = TableMetadata.from_json(raw, file="v1.metadata.json")
    errors = []
    for text in CHANGES:
        try:
            update = from_sql(f"ALTER TABLE t {text}", "spark", metadata).update
            transaction = update if isinstance(update, Transaction) else Transaction().record(update)
            prepare_transaction(metadata, transaction)
        except ProjectorError as error:
            errors.append(error)
    for error in errors:
        raise error


RAW = raw_metadata()
EVERY = list(dict.fromkeys(paths(RAW)))


@pytest.mark.parametrize("key", sorted(RAW))
def test_a_change_meets_no_foreign_error(key: str) -> None:
    for path in EVERY:
        if path[0] == key:
            for value in OTHER:
                _tried(damaged(RAW, path, value), path, value)
            _tried(damaged(RAW, path, None, delete=True), path, "deleted")


def _tried(raw: dict[str, Any], path: tuple[Any, ...], value: Any) -> None:
    try:
        change(raw)
    except ProjectorError:
        pass
    except Exception as error:
        raise AssertionError(f"{path} = {value!r}: {error!r}") from error


def test_the_sound_metadata_takes_the_changes() -> None:
    change(RAW)


@pytest.mark.parametrize(
    ("path", "value"),
    [(("metadata-log",), 7), (("metadata-log",), {"x": 7}), (("schemas", 0, "fields", 0), {"id": 1})],
)
def test_says_that_the_metadata_is_invalid(path: tuple[Any, ...], value: Any) -> None:
    with pytest.raises(InvalidMetadataError):
        change(damaged(RAW, path, value))


@pytest.mark.filterwarnings("ignore::projector.errors.ProjectorWarning")
@pytest.mark.parametrize("key", sorted(RAW))
@pytest.mark.parametrize("value", [None, 7, "x", [7], {"x": 7}])
def test_a_check_meets_no_foreign_error(key: str, value: Any, tmp_path: Path) -> None:
    folder = tmp_path / "t" / "metadata"
    folder.mkdir(parents=True)
    (folder / "v1.metadata.json").write_text(json.dumps({**RAW, key: value}))
    with suppress(ProjectorError):
        projector.check(str(folder.parent), sql="ALTER TABLE t ADD COLUMN x int", level="schema", cache=False)
