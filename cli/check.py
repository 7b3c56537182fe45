"""`projector check`: what a schema change would do to the data that is there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from projector.errors import ProjectorError

from .options import open_table, read_text, table_options
from .reporting import Choices, finish, policy_options, report_options

_FILE = click.Path(path_type=Path)


@click.command("check")
@click.argument("location", metavar="TABLE")
@click.option("--sql", metavar="STATEMENTS", help="ALTER TABLE statements; - reads them from stdin.")
@click.option("--sql-file", type=_FILE, help="A file of ALTER TABLE statements.")
@click.option("--schema", "schema_file", type=_FILE, help="The schema wanted: JSON, metadata, Parquet or Arrow.")
@click.option(
    "--dialect", type=click.Choice(["spark", "trino", "duckdb"]), default="spark", show_default=True, help="Of the SQL."
)
@click.option(
    "--query", "queries", multiple=True, metavar="SQL", help="A query to run before and after. May be repeated."
)
@click.option(
    "--queries",
    "query_folder",
    type=click.Path(exists=True, path_type=Path),
    help="A file, or a folder of *.sql files, of queries to run before and after.",
)
@policy_options
@table_options
@report_options
def command(location: str, **options: Any) -> None:
    """Check a schema change on a table's old files, before it is committed.

    Exits with 0 where nothing speaks against it, 1 where something does, 2 where the check could not be done. Reads
    only; commits nothing.

    \b
    projector check sample_data/orders --sql "ALTER TABLE orders ADD COLUMN note string"
    projector check sample_data/orders --sql-file migration.sql --format sarif -o report.sarif
    """
    from projector.api.check import check

    choices = Choices.taken_from(options)
    sql, sql_file, schema = options.pop("sql"), options.pop("sql_file"), options.pop("schema_file")
    if sum(given is not None for given in (sql, sql_file, schema)) != 1:
        raise ProjectorError(
            "Nothing, or too much, to check",
            hint="give one of --sql, --sql-file, --schema; `projector audit` needs none",
        )
    name = None
    if sql_file is not None:
        sql, name = read_text(sql_file), str(sql_file)
    elif sql == "-":
        sql, name = sys.stdin.read(), "stdin"
    dialect = options.pop("dialect")
    queries = _queries(options.pop("queries"), options.pop("query_folder"))
    table = open_table(location, options)
    report = check(table, sql=sql, schema=schema, dialect=dialect, sql_file=name, queries=queries, **choices.of_check())
    finish(report, choices)


def _queries(given: tuple[str, ...], folder: Path | None) -> dict[str, str]:
    """The queries by their names: numbers, and names of files."""
    found = {str(number): sql for number, sql in enumerate(given, 1)}
    if folder is not None:
        files = sorted(folder.rglob("*.sql")) if folder.is_dir() else [folder]
        found |= {str(file.relative_to(folder) if file != folder else file.name): read_text(file) for file in files}
    return found
