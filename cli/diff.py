"""`projector diff`: what makes two schemas differ, by field id."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from projector.errors import ParseError

from .changes import CHANGE_COLUMNS, change_row
from .options import open_table, output_options, read_text, table_options
from .output import Listing, Target, write_listing

if TYPE_CHECKING:
    from projector.schema.schema import Schema

DIFFERENT = 1
_AT = re.compile(r"(?P<table>.+)@(?P<what>schema:|snapshot:|ref:)(?P<value>[^@]+)")


@click.command("diff")
@click.argument("old", metavar="A")
@click.argument("new", metavar="B")
@table_options
@output_options("text", "json", "csv")
def command(old: str, new: str, **options: Any) -> None:
    """Compare two schemas by field id. Exits with 0 where they are the same, 1 where they differ.

    A and B are each a table, a table at a point (TABLE@schema:3, TABLE@snapshot:123, TABLE@ref:main), or a schema file
    (the spec's JSON).

    \b
    projector diff sample_data/orders@schema:0 sample_data/orders
    projector diff sample_data/orders proposed.json
    """
    from projector.evolution.schema_diff import diff_schemas

    target = Target.chosen(options.pop("output_format"), options.pop("output_file"))
    diff = diff_schemas(_schema(old, dict(options)), _schema(new, dict(options)))
    rows = tuple(change_row(change) for change in diff.to_json())
    if rows or target.format != "text":
        write_listing(Listing("changes", CHANGE_COLUMNS, rows), target, {"same": not rows})
    if rows:
        click.get_current_context().exit(DIFFERENT)


def _schema(operand: str, options: dict[str, Any]) -> Schema:
    file = Path(operand)
    if file.suffix == ".json" and not operand.endswith(".metadata.json") and file.is_file():
        from projector.schema.schema import Schema

        return Schema.from_json(read_text(file))
    at = None if file.exists() else _AT.fullmatch(operand)
    table = open_table(at["table"] if at else operand, options)
    if at is None:
        return table.schema()
    match at["what"]:
        case "ref:":
            return table.point_in_time(ref=at["value"]).schema
        case "schema:":
            return table.schema(_number(at["value"], operand))
        case _:
            return table.point_in_time(snapshot_id=_number(at["value"], operand)).schema


def _number(text: str, operand: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ParseError(f"Cannot understand {operand!r}: {text!r} is not a number", text=operand) from None
