"""Java's answers to lists of operations, as calls of ours: the runner of the two archives in `data`."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

from projector import UpdateSchema
from projector.evolution.operations.schema import PlainValue
from projector.schema.single_values import from_json, from_plain
from projector.schema.type_json import type_from_json

DATA = Path(__file__).parent / "data"


def schema_update_cases() -> list[dict[str, Any]]:
    text = lzma.decompress((DATA / "schema_updates.jsonl.xz").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


def recorded(
    ops: list[dict[str, Any]], *, format_version: int, case_sensitive: bool = True, allow_incompatible: bool = False
) -> UpdateSchema:
    """The operations of a case, recorded one by one."""
    update = UpdateSchema(
        format_version=format_version, case_sensitive=case_sensitive, allow_incompatible_changes=allow_incompatible
    )
    for op in ops:
        record(update, op)
    return update


def record(update: UpdateSchema, op: dict[str, Any]) -> None:
    name = op.get("name")
    match op["op"]:
        case "add_column" | "add_required_column" as kind:
            given = {"doc": op["doc"]}
            if "default" in op:
                given["default"] = default_of(op["default"])
            if "parent" not in op:
                where: Any = name
            elif op["parent"] is None:
                where = (name,)
            else:
                where = name
                given["parent"] = op["parent"]
            if kind == "add_required_column":
                update.add_required_column(where, op["type"], **given)
            elif "parent" in given:
                update.add_nested_column(given.pop("parent"), where, op["type"], **given)
            else:
                update.add_column(where, op["type"], **given)
        case "delete_column":
            update.delete_column(name)
        case "rename_column":
            update.rename_column(name, op["new_name"])
        case "update_column":
            update.update_column_type(name, op["type"])
        case "update_doc":
            update.update_column_doc(name, op["doc"])
        case "update_default":
            update.update_column_default(name, default_of(op["default"]))
        case "make_optional":
            update.make_column_optional(name)
        case "require_column":
            update.require_column(name)
        case "move_first":
            update.move_first(name)
        case "move_before":
            update.move_before(name, op["reference"])
        case "move_after":
            update.move_after(name, op["reference"])
        case "union_by_name":
            update.union_by_name(op["schema"], promote=True)
        case "set_identifier_fields":
            update.set_identifier_fields(*op["names"])
        case other:
            raise AssertionError(other)


def default_of(given: dict[str, Any] | None) -> Any:
    """A literal of Java's as the Python value of its type."""
    if given is None:
        return None
    literal_type = type_from_json(given["type"])
    plain = from_json(given["value"], literal_type)
    if given["type"] in ("timestamp_ns", "timestamptz_ns"):
        return PlainValue(plain)  # Python's datetime ends at microseconds
    return from_plain(plain, literal_type)
