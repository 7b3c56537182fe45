"""`projector check`: what a change would do to the existing data."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from projector.errors import ProjectorError, SchemaUpdateError

from ..options import open_table, pairs, read_text, table_options
from ..output import check_progress
from ..proposal import WAYS, proposal_options, read_proposal, require_proposal, update_of
from ..reporting import Choices, finish, policy_options, report_options


@click.command("check")
@click.argument("location", metavar="TABLE")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(dir_okay=False, path_type=Path))
@proposal_options
@click.option(
    "--query",
    "queries",
    multiple=True,
    metavar="SQL",
    help="A query to run before and after the change. May be repeated.",
)
@click.option(
    "--queries",
    "query_folder",
    type=click.Path(exists=True, path_type=Path),
    help="A file, or a folder of *.sql files, of queries to run before and after.",
)
@click.option(
    "--table",
    "query_tables",
    multiple=True,
    metavar="NAME=LOCATION",
    help="A further table that queries name. May be repeated.",
)
@policy_options
@table_options
@report_options
def command(location: str, files: tuple[Path, ...], **options: Any) -> None:
    """Check a change against a table's old files before the commit.

    FILEs hold ALTER TABLE statements. Each is checked against the table as the FILEs before it leave it. Exits with 0
    if
    no finding reaches --fail-on, 1 if one does, 2 if the check fails or a FILE cannot be parsed. Reads only; commits
    nothing.

    \b
    projector check sample_data/orders --sql "ALTER TABLE orders ADD COLUMN note string"
    projector check sample_data/orders migration.sql --report projector.sarif --report comment.md
    projector check sample_data/orders --undelete rating:5=old_rating
    """
    from projector.api.check import check
    from projector.check.report.not_understood import not_understood

    choices = Choices.taken_from(options)
    queries = _queries(options.pop("queries"), options.pop("query_folder"))
    named = pairs(options.pop("query_tables"), "--table")
    given: dict[str, Any] = {
        "queries": queries,
        "query_tables": {name: open_table(at, dict(options)) for name, at in named.items()},
    }
    table = open_table(location, options)
    if not files:
        proposal = read_proposal(table, options)
        if proposal is None:
            raise ProjectorError(
                "No change to check", hint=f"{WAYS}; `projector audit` checks a table without a change"
            )
        with check_progress() as progress:
            report = check(table, proposal, **given, progress=progress, **choices.of_check())
        finish((report,), choices)
        return
    for option in ("sql", "sql_file", "schema_file"):
        if options[option] is not None:
            shown = option.removesuffix("_file") if option == "schema_file" else option.replace("_", "-")
            raise ProjectorError("More than one change is proposed", hint=f"give FILEs or --{shown}")
    reports = []
    for file in files:
        try:
            proposal = require_proposal(table, {**options, "sql_file": file})
        except ProjectorError as error:  # report it at its place; check the other files without this one
            level, compatibility = choices.levels
            reports.append(not_understood(error, str(file), table.metadata, level, compatibility))
            continue
        with check_progress() as progress:
            reports.append(check(table, proposal, **given, progress=progress, **choices.of_check()))
        with suppress(SchemaUpdateError):  # the report says what cannot be applied; check the next file without it
            table = table.as_if(update_of(proposal))
    finish(reports, choices)


def _queries(given: tuple[str, ...], folder: Path | None) -> dict[str, str]:
    """Return the queries by name: their numbers, or the names of their files."""
    found = {str(number): sql for number, sql in enumerate(given, 1)}
    if folder is not None:
        files = sorted(folder.rglob("*.sql")) if folder.is_dir() else [folder]
        found |= {file.as_posix(): read_text(file) for file in files}
    return found
