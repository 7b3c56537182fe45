"""`projector diff`: the differences between two schemas, by field id or by name."""

from __future__ import annotations

from pathlib import Path

import click

from ..changes import CHANGE_COLUMNS, change_row
from ..options import output_options, pairs
from ..output import Listing, Target, write_listing

DIFFERENT = 1


@click.command("diff")
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.option(
    "--by", type=click.Choice(["id", "name"]), default="id", show_default=True, help="What makes two fields the same."
)
@click.option(
    "--property", "-p", "properties", multiple=True, metavar="KEY=VALUE", help="Storage setting: s3.region=x."
)
@output_options("text", "json", "csv")
def command(
    one: str, other: str, by: str, properties: tuple[str, ...], output_format: str | None, output_file: Path | None
) -> None:
    """Compare two schemas. Exits with 0 if they are equal, 1 if they differ.

    A and B are each a table, a table at a point of its history (TABLE@schema:3, TABLE@snapshot:123, TABLE@ref:main), or
    a file with a schema: the spec's JSON, table metadata, Parquet, Arrow.

    \b
    projector diff sample_data/orders@schema:0 sample_data/orders
    projector diff sample_data/orders proposed.json
    """
    from projector.evolution.diff.schema_sources import diff_operands
    from projector.files.storage.storage import Storage

    target = Target.chosen(output_format, output_file)
    storage = Storage(pairs(properties, "--property"))
    diff = diff_operands(one, other, "name" if by == "name" else "id", storage)
    rows = tuple(change_row(change) for change in diff.to_json())
    if rows or target.format != "text":
        write_listing(Listing("changes", CHANGE_COLUMNS, rows), target, {"same": not rows})
    if rows:
        click.get_current_context().exit(DIFFERENT)
