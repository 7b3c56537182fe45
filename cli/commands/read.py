"""`projector read`: the rows of a table, or of bare Parquet files, by field id."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from projector.errors import ProjectorError

from ..options import open_table, output_options, pairs, point_options, read_text, table_options
from ..output import Target, watched, write_count, write_rows

if TYPE_CHECKING:
    from projector.api.scan import Scan

_FILE = click.Path(path_type=Path)


@click.command("read")
@click.argument("operands", metavar="TABLE|FILE...", nargs=-1, required=True)
@click.option("--schema", "schema_file", type=_FILE, help="Read FILEs under this schema (the spec's JSON).")
@click.option("--metadata", "metadata_file", metavar="FILE", help="Read FILEs under a table's current schema.")
@click.option("--name-mapping", "mapping_file", type=_FILE, help="Name mapping for FILEs without field ids.")
@click.option(
    "--select", "-s", "selected", multiple=True, metavar="COLUMN", help="A column, or a field: a.b. May be repeated."
)
@click.option("--filter", "row_filter", metavar="EXPRESSION", help="Rows to keep: \"price > 100 and shop = 'porto'\".")
@click.option("--ignore-case", is_flag=True, help="Ignore case in the names of columns.")
@click.option("--limit", "-n", type=click.IntRange(min=0), help="Rows at most.")
@click.option("--count", "only_count", is_flag=True, help="Print only the number of rows.")
@click.option(
    "--engine", default="arrow", show_default=True, help="The engine that reads: arrow, or rows (slow, for comparison)."
)
@point_options
@table_options
@output_options("text", "json", "csv", "parquet")
def command(operands: tuple[str, ...], **options: Any) -> None:
    """Read a table, or Parquet files under a schema, by field id.

    \b
    projector read sample_data/orders
    projector read sample_data/orders --ref first-quarter -s order_id -s items.isbn
    projector read --metadata t/metadata/v3.metadata.json t/data/*.parquet
    projector read sample_data/orders -o orders.parquet
    """
    target = Target.chosen(options.pop("output_format"), options.pop("output_file"))
    engine, only_count = options.pop("engine"), options.pop("only_count")
    bare = options["schema_file"] or options["metadata_file"] or options["mapping_file"]
    scan = _scan_files(operands, options) if bare else _scan_table(operands, options)
    if only_count:
        write_count(scan.count(), target)
        return
    batches = scan.to_arrow_batch_reader(engine=engine)
    if target.format != "text":
        batches = watched(batches, partial(_expected_rows, scan))
    write_rows(batches, target, scan.limit)


def _scan_table(operands: tuple[str, ...], options: dict[str, Any]) -> Scan:
    if len(operands) > 1:
        raise ProjectorError("Cannot read several tables at once", hint="to read files, give --schema or --metadata")
    return open_table(operands[0], options).scan(
        row_filter=options["row_filter"],
        selected_fields=options["selected"] or ("*",),
        case_sensitive=not options["ignore_case"],
        snapshot_id=options["snapshot_id"],
        ref=options["ref"],
        as_of=options["as_of"],
        limit=options["limit"],
    )


def _scan_files(operands: tuple[str, ...], options: dict[str, Any]) -> Scan:
    from projector.api.read_files import read_files
    from projector.schema.selection import select

    for name in (
        "row_filter", "snapshot_id", "ref", "as_of", "catalog", "catalog_properties", "path_map", "allow_moved_paths",
    ):  # fmt: skip
        if options[name] not in (None, ()):
            if options[name] is False:
                name = f"no_{name}"
            elif name == "catalog_properties":
                name = "catalog_property"
            shown = {"row_filter": "filter"}.get(name, name.replace("_", "-"))
            raise ProjectorError(f"Cannot use --{shown} with files", hint="it is for tables")
    schema, mapping = options["schema_file"], options["mapping_file"]
    scan = partial(
        read_files,
        operands,
        metadata=options["metadata_file"],
        name_mapping=read_text(mapping) if mapping else None,
        properties=pairs(options["properties"], "--property"),
    )
    requested = scan(schema=read_text(schema) if schema else None).schema()
    chosen = select(requested, options["selected"] or ("*",), not options["ignore_case"])
    return scan(schema=chosen).with_limit(options["limit"])


def _expected_rows(scan: Scan) -> int | None:
    try:
        return scan.count()
    except ProjectorError:
        return scan.limit
