"""`projector commit`: check a change, then commit it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from projector.errors import SchemaUpdateError

from ..options import open_table, output_options, table_options
from ..output import Target, text_width, write_document, write_text
from ..proposal import proposal_options, require_proposal, show_notes, update_of
from ..reporting import FINDINGS, Choices, policy_options

if TYPE_CHECKING:
    from projector.api.table import Table
    from projector.check.report.report import Report
    from projector.metadata.table_metadata import TableMetadata


@click.command("commit", short_help="Check a change as `check` does, then commit it.")
@click.argument("location", metavar="TABLE")
@proposal_options
@click.option("--no-check", is_flag=True, help="Commit without checking the old files first.")
@policy_options
@table_options
@output_options("text", "json")
def command(location: str, no_check: bool, **options: Any) -> None:
    """Check a change against the table's old files, then commit it in one atomic step.

    If another writer was faster, the change is checked again and applied to the new state of the table. Exits with 0 if
    the change is committed or there is nothing to commit, 1 if the check refuses it (the report goes to stderr), and 2
    if
    the commit fails.

    \b
    projector commit warehouse/db/orders --sql "ALTER TABLE orders ADD COLUMN note string"
    projector commit warehouse/db/orders --sql-file migration.sql --level values --fail-on warning
    """
    from projector.check.report.report import CheckFailedError

    choices = Choices.taken_from(options)
    table = open_table(location, options)
    proposal = require_proposal(table, options)
    show_notes(proposal)
    reports: list[Report] = []
    based_on = [table.metadata]

    def look(at: Table) -> None:
        """Check the change on the table as it is. Raises `CheckFailedError`."""
        from projector.api.check import check

        based_on.append(at.metadata)
        if no_check:
            return
        reports.append(check(at, proposal, **choices.of_check()))
        if choices.fail(reports[-1]):
            raise CheckFailedError("The check refuses the change", reports[-1])

    try:
        look(table)
        committed = table.commit(update_of(proposal), recheck=look)
    except CheckFailedError as refused:
        _refused_by_check(refused.report, choices)
    except SchemaUpdateError as error:
        _refused(error, choices.target)
    report = reports[-1] if reports else None
    commit, after = committed.commit, committed.commit.metadata
    if report is not None and report.deciding and choices.target.format == "text":
        _show(report, choices, "committed" if commit.changed else "there was nothing to commit")
    if choices.target.format == "json":
        write_document(
            {
                "changed": commit.changed,
                "schema_id": after.current_schema_id,
                "spec_id": after.default_spec_id,
                "sort_order_id": after.default_sort_order_id,
                "format_version": after.format_version,
                "metadata_file": committed.metadata_file,
                "attempts": committed.attempts,
                "report": None if report is None else report.to_json(),
            },
            choices.target,
        )
    elif commit.changed:
        write_text(f"Committed {_made(based_on[-1], after)}: {committed.metadata_file}\n", choices.target)
    else:
        write_text("Nothing to commit: the table is unchanged.\n", choices.target)


def _refused_by_check(report: Report, choices: Choices) -> NoReturn:
    if choices.target.format == "json":
        write_document({"changed": False, "refused_by": "check", "report": report.to_json()}, choices.target)
    else:
        _show(report, choices, "refused, nothing was committed")
    click.get_current_context().exit(FINDINGS)


def _refused(error: SchemaUpdateError, target: Target) -> NoReturn:
    """Exit with the error of a change that cannot be applied and was not refused by a check."""
    if target.format == "json":
        write_document({"changed": False, "refused_by": "table", "message": error.message}, target)
    else:
        click.echo(f"error: {' '.join(str(error).splitlines())}", err=True)
    click.get_current_context().exit(FINDINGS)


def _show(report: Report, choices: Choices, outcome: str) -> None:
    """Write the report to stderr, because stdout says what was committed."""
    from projector.render import text

    color = bool(os.environ.get("FORCE_COLOR")) or (sys.stderr.isatty() and os.environ.get("TERM") != "dumb")
    color = color and not os.environ.get("NO_COLOR")
    width = text_width(sys.stderr)
    shown = text.render(report, color=color, verbose=choices.verbose, outcome=outcome, width=width)
    click.echo(shown, err=True, nl=False)


def _made(before: TableMetadata, after: TableMetadata) -> str:
    """Return the ids and versions that are current after a commit and were not before."""
    parts = [
        f"{what} {getattr(after, name)}"
        for what, name in (
            ("schema", "current_schema_id"),
            ("partition spec", "default_spec_id"),
            ("sort order", "default_sort_order_id"),
            ("format version", "format_version"),
        )
        if getattr(before, name) != getattr(after, name)
    ]
    return ", ".join(parts) or "properties"
