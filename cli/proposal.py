"""How a schema change is proposed on the command line: SQL, a SQL file, standard input, or a schema file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from projector.errors import ProjectorError

from .options import read_text
from .output import note

if TYPE_CHECKING:
    from projector.api.table import Table
    from projector.evolution.transaction import Transaction
    from projector.evolution.update_schema import UpdateSchema

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Proposal:
    """A schema change as it was given.

    Parameters
    ----------
    update:
        The change; a transaction where it is not about columns alone.
    sql:
        The text that spells it; None for a schema file.
    source:
        Where the text is from, for messages: a file's name, `<stdin>` or `--sql`.
    """

    update: UpdateSchema | Transaction
    sql: str | None
    source: str


def proposal_options(command: _Command) -> _Command:
    """`--sql`, `--sql-file`, `--schema`, and how they are read."""
    for option in reversed(
        (
            click.option("--sql", metavar="TEXT", help="The change as ALTER TABLE statements; - reads standard input."),
            click.option(
                "--sql-file",
                metavar="FILE",
                type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
                help="The same from a file; - reads standard input.",
            ),
            click.option(
                "--schema",
                "schema_file",
                metavar="FILE",
                help="The schema to change to: the spec's JSON, table metadata, Parquet or Arrow.",
            ),
            click.option(
                "--by",
                type=click.Choice(["id", "name"]),
                help="With --schema: what makes two fields the same.  [default: ids where the file has them]",
            ),
            click.option(
                "--dialect",
                type=click.Choice(["spark", "trino", "duckdb"]),
                default="spark",
                show_default=True,
                help="Dialect of the SQL; decides what TIMESTAMP means.",
            ),
            click.option(
                "--allow-incompatible-changes",
                is_flag=True,
                help="Apply changes that old rows may not fit, such as a new NOT NULL.",
            ),
        )
    ):
        command = option(command)
    return command


def read_proposal(table: Table, options: dict[str, Any]) -> Proposal | None:
    """The change that the options propose, None where they propose none; takes them out of `options`.

    Raises `ParseError` for text that is not understood, `ProjectorError` for more than one proposal.
    """
    sql, sql_file, schema_file = (options.pop(name) for name in ("sql", "sql_file", "schema_file"))
    by, dialect, incompatible = (options.pop(name) for name in ("by", "dialect", "allow_incompatible_changes"))
    if sum(given is not None for given in (sql, sql_file, schema_file)) > 1:
        raise ProjectorError("More than one change is proposed", hint="give one of --sql, --sql-file and --schema")
    if by is not None and schema_file is None:
        raise ProjectorError("Cannot use --by here", hint="it goes with --schema")
    version = table.metadata.format_version
    if schema_file is not None:
        from projector.evolution.schema_sources import load_schema, proposal_from_source

        update = proposal_from_source(
            table.schema(),
            load_schema(schema_file),
            by,
            format_version=version,
            allow_incompatible_changes=incompatible,
        )
        return Proposal(update, None, schema_file)
    text, source = _text(sql, sql_file)
    if text is None:
        return None
    from projector.evolution.sql.script import is_about_columns, parse_alter, to_transaction, to_update

    script = parse_alter(text, dialect)
    for lost in script.notes:
        line, column = script.line_and_column(lost.position)
        note(f"{source}:{line}:{column}: {lost.message}")
    if all(is_about_columns(located.operation) for located in script.operations):
        update = to_update(script, format_version=version, allow_incompatible_changes=incompatible)
        return Proposal(update, text, source)
    return Proposal(to_transaction(script, allow_incompatible_changes=incompatible), text, source)


def require_proposal(table: Table, options: dict[str, Any]) -> Proposal:
    """As `read_proposal`, for a verb that is nothing without a change."""
    proposal = read_proposal(table, options)
    if proposal is None:
        raise ProjectorError("No change is proposed", hint="give --sql, --sql-file or --schema")
    return proposal


def _text(sql: str | None, sql_file: Path | None) -> tuple[str | None, str]:
    if sql == "-" or (sql_file is not None and str(sql_file) == "-"):
        return sys.stdin.read(), "<stdin>"
    if sql_file is not None:
        return read_text(sql_file), str(sql_file)
    return sql, "--sql"
