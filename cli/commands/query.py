"""`projector query`: SQL over tables under their evolved schemas, or under one that is not committed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from projector.errors import ProjectorError

from ..options import open_table, output_options, pairs, table_options
from ..output import Target, write_rows, write_text

if TYPE_CHECKING:
    import pyarrow as pa

    from projector.api.table import Table


@click.command("query")
@click.argument("table", metavar="TABLE")
@click.argument("sql", metavar="SQL")
@click.option(
    "--engine",
    type=click.Choice(["duckdb", "polars"]),
    default="duckdb",
    show_default=True,
    help="The engine that runs the query.",
)
@click.option("--table", "more", multiple=True, metavar="NAME=PATH", help="A further table. May be repeated.")
@click.option(
    "--as-if", "as_if", metavar="SQL", help="Run the query as if these ALTER TABLE statements were committed to TABLE."
)
@click.option(
    "--as-if-file",
    "as_if_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    help="The same from a file; - reads standard input.",
)
@click.option(
    "--dialect",
    type=click.Choice(["spark", "trino", "duckdb"]),
    default="spark",
    show_default=True,
    help="Dialect of the ALTER TABLE statements.",
)
@click.option("--limit", "-n", type=click.IntRange(min=0), help="The most rows to write.")
@table_options
@output_options("text", "table", "json", "csv", "parquet")
def command(table: str, sql: str, **options: Any) -> None:
    """Query a table, called t or by its own last name, with SQL. Nothing is written, and only the tables are read.

    \b
    projector query sample_data/orders "SELECT count(*) FROM t"
    projector query sample_data/orders "SELECT * FROM orders WHERE order_id > 3" --engine polars
    projector query sample_data/orders "SELECT * FROM t" --as-if "ALTER TABLE t RENAME COLUMN total TO amount"
    """
    from projector.api.query import query
    from projector.api.sql_names import COMMAND_TABLE, own_names

    chosen = options.pop("output_format")
    target = Target.chosen("text" if chosen == "table" else chosen, options.pop("output_file"))
    main = open_table(table, dict(options))
    proposed = _as_if(main, options)
    tables = dict.fromkeys((COMMAND_TABLE, *own_names(main.metadata_file, main.location)), proposed)
    for name, location in pairs(options["more"], "--table").items():
        if name.lower() == COMMAND_TABLE:
            raise ProjectorError(f"Cannot call a further table {name!r}", hint="that is the table of the command")
        tables = {known: there for known, there in tables.items() if known.lower() != name.lower()}
        tables[name] = open_table(location, dict(options))
    batches = query(sql, tables, engine=options["engine"])
    limit = options["limit"]
    if target.format == "text" and batches.schema.names == ["explain_key", "explain_value"]:
        write_text("".join(f"{text}\n" for batch in batches for text in batch.column(1).to_pylist()), target)
        return
    write_rows(batches if limit is None else _first_rows(batches, limit), target, limit)


def _as_if(table: Table, options: dict[str, Any]) -> Table:
    sql, file = options["as_if"], options["as_if_file"]
    if sql is None and file is None:
        return table
    if sql is not None and file is not None:
        raise ProjectorError("More than one change is proposed", hint="give --as-if or --as-if-file")
    from ..proposal import read_proposal, show_notes, update_of

    given = {"sql": sql, "sql_file": file, "schema_file": None, "by": None, "allow_incompatible_changes": False}
    proposal = read_proposal(table, {**given, "dialect": options["dialect"]})
    if proposal is None:
        return table
    show_notes(proposal)
    return table.as_if(update_of(proposal))


def _first_rows(batches: pa.RecordBatchReader, limit: int) -> pa.RecordBatchReader:
    import pyarrow as pa

    def cut() -> Iterator[pa.RecordBatch]:
        left = limit
        while left > 0 and (batch := next(batches, None)) is not None:
            yield batch.slice(0, min(left, batch.num_rows))
            left -= batch.num_rows

    return pa.RecordBatchReader.from_batches(batches.schema, cut())
