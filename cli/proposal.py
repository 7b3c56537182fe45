"""How a change is proposed on the command line: SQL, a schema, a name mapping, or a column to bring back."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from projector.errors import ParseError, ProjectorError

from .options import read_text
from .output import note

if TYPE_CHECKING:
    from projector.api.table import Table
    from projector.check.change.proposal import Proposal
    from projector.evolution.updates.transaction import Transaction
    from projector.evolution.updates.update_schema import UpdateSchema

_Command = TypeVar("_Command", bound=Callable[..., Any])
_UNDELETE = re.compile(r"(?P<name>[^=:]+)(?::(?P<id>\d+))?(?:=(?P<new>[^=]+))?")
WAYS = "give one of --sql, --sql-file and --schema, or --name-mapping, or --undelete"


def proposal_options(command: _Command) -> _Command:
    """Add `--sql`, `--sql-file`, `--schema` and the options on how to read them, `--name-mapping` and `--undelete`."""
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
                help="The schema to change to: a file with the spec's JSON, table metadata, Parquet or Arrow.",
            ),
            click.option(
                "--by",
                type=click.Choice(["id", "name"]),
                help="With --schema: how fields are matched.  [default: by id if the file has ids]",
            ),
            click.option(
                "--union",
                is_flag=True,
                help="With --schema: merge it by name, at every depth. Columns that it lacks stay.",
            ),
            click.option(
                "--any-table",
                is_flag=True,
                help="Accept SQL that names any table, not only TABLE's own name or t.",
            ),
            click.option(
                "--dialect",
                type=click.Choice(["spark", "trino", "duckdb"]),
                default="spark",
                show_default=True,
                help="Dialect of the SQL; decides what TIMESTAMP means.",
            ),
            click.option(
                "--name-mapping",
                type=click.Choice(["create", "repair"]),
                help="Set a name mapping: of the present and former names of columns, or the table's own, repaired.",
            ),
            click.option(
                "--undelete",
                multiple=True,
                metavar="NAME[:ID][=NEW]",
                help="Bring back a dropped column under its old id, perhaps with a new name. May be repeated.",
            ),
            click.option(
                "--allow-incompatible-changes",
                is_flag=True,
                help="Allow changes that old rows may violate, such as a new NOT NULL.",
            ),
        )
    ):
        command = option(command)
    return command


def read_proposal(table: Table, options: dict[str, Any]) -> Proposal | None:
    """Return the change that the options propose, None without one; removes the options from `options`.

    Raises `ParseError` for text that cannot be parsed, `ProjectorError` for more than one proposal.
    """
    sql, sql_file, schema_file = (options.pop(name) for name in ("sql", "sql_file", "schema_file"))
    by, dialect, incompatible = (options.pop(name) for name in ("by", "dialect", "allow_incompatible_changes"))
    union, any_table = options.pop("union", False), options.pop("any_table", False)
    mapping, undelete = options.pop("name_mapping", None), options.pop("undelete", ())
    if sum(given is not None for given in (sql, sql_file, schema_file)) > 1:
        raise ProjectorError("More than one change is proposed", hint="give one of --sql, --sql-file and --schema")
    if by is not None and schema_file is None:
        raise ProjectorError("Cannot use --by here", hint="it goes with --schema")
    if union and (schema_file is None or by is not None):
        raise ProjectorError("Cannot use --union here", hint="it goes with --schema, without --by")
    proposal: Proposal | None = None
    if schema_file is not None:
        if mapping is not None or undelete:
            raise ProjectorError("Cannot use --schema with --name-mapping or --undelete", hint="make two commits")
        if union:
            proposal = _union(table, schema_file, incompatible)
        else:
            proposal = _of_schema(table, schema_file, by, incompatible)
    elif sql is not None or sql_file is not None:
        proposal = _of_sql(table, *_text(sql, sql_file), dialect, incompatible, any_table)
    first = _first(table, mapping, undelete)
    return proposal if first is None else _joined(first, proposal, incompatible)


def require_proposal(table: Table, options: dict[str, Any]) -> Proposal:
    """Return the change that the options propose, for a verb that requires one."""
    proposal = read_proposal(table, options)
    if proposal is None:
        raise ProjectorError("No change is proposed", hint=WAYS)
    return proposal


def update_of(proposal: Proposal) -> UpdateSchema | Transaction:
    """Return what a proposal would commit. Raises `SchemaUpdateError` if a part of it cannot be an update."""
    if proposal.refused:
        raise proposal.refused[0]
    return proposal.update


def _of_schema(table: Table, file: str, by: Any, incompatible: bool) -> Proposal:
    from projector.check.change.proposal import from_schema
    from projector.evolution.diff.schema_sources import load_schema

    version = table.metadata.format_version
    return from_schema(load_schema(file), table.schema(), version, by, allow_incompatible_changes=incompatible)


def _union(table: Table, file: str, incompatible: bool) -> Proposal:
    from projector.check.change.proposal import Proposal
    from projector.evolution.diff.schema_sources import load_schema
    from projector.evolution.updates.update_schema import UpdateSchema

    update = UpdateSchema(format_version=table.metadata.format_version, allow_incompatible_changes=incompatible)
    return Proposal(update.union_by_name(load_schema(file).schema, promote=True), file=file)


def _of_sql(table: Table, text: str, file: str | None, dialect: str, incompatible: bool, any_table: bool) -> Proposal:
    from projector.check.change.proposal import from_sql

    names = () if any_table else table.sql_names
    return from_sql(text, dialect, table.metadata, file, allow_incompatible_changes=incompatible, table_names=names)


def show_notes(proposal: Proposal) -> None:
    """Write a note to stderr about each part of the SQL that Iceberg does not store."""
    script = proposal.script
    if script is None:
        return
    for lost in script.notes:
        line, column = script.line_and_column(lost.position)
        note(f"{proposal.file or '--sql'}:{line}:{column}: {lost.message}")


def _first(table: Table, mapping: str | None, undelete: tuple[str, ...]) -> Transaction | None:
    """Return the updates that precede SQL: a mapping that records present column names, and undeleted columns."""
    from projector.evolution.updates.transaction import Transaction
    from projector.evolution.updates.undelete import UndeleteColumn

    if mapping is None and not undelete:
        return None
    transaction = Transaction()
    if mapping is not None:
        transaction.set_name_mapping(
            table.repaired_name_mapping() if mapping == "repair" else table.proposed_name_mapping()
        )
    for text in undelete:
        found = _UNDELETE.fullmatch(text)
        if found is None:
            raise ParseError(f"Invalid --undelete {text!r}", text=text, hint="write NAME, NAME:ID or NAME=NEW")
        field_id = None if found["id"] is None else int(found["id"])
        transaction.record(UndeleteColumn(found["name"], found["new"], field_id))
    return transaction


def _joined(first: Transaction, proposal: Proposal | None, incompatible: bool) -> Proposal:
    from projector.check.change.proposal import Proposal
    from projector.evolution.updates.transaction import Transaction

    if proposal is None:
        return Proposal(first)
    rest = proposal.update
    updates = rest.updates if isinstance(rest, Transaction) else (rest,)
    joined = Transaction(case_sensitive=False, allow_incompatible_changes=incompatible)
    return replace(proposal, update=joined.record(*first.updates, *updates))


def _standard_input() -> str:
    if sys.stdin is None or sys.stdin.closed:
        raise ProjectorError("Cannot read the SQL: standard input is closed", hint="give --sql-file FILE")
    try:
        return sys.stdin.read()
    except UnicodeDecodeError:
        raise ParseError("Cannot read the SQL: standard input is not UTF-8 text") from None


def _text(sql: str | None, sql_file: Path | None) -> tuple[str, str | None]:
    """Return the SQL, and the name of the file that it comes from."""
    if sql == "-" or (sql_file is not None and str(sql_file) == "-"):
        return _standard_input(), "stdin"
    if sql_file is not None:
        return read_text(sql_file), str(sql_file)
    return sql or "", None
