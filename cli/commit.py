"""`projector commit`: make a schema change."""

from __future__ import annotations

from typing import Any

import click

from .options import open_table, output_options, table_options
from .output import Target, write_document, write_text
from .proposal import proposal_options, require_proposal


@click.command("commit")
@click.argument("location", metavar="TABLE")
@proposal_options
@table_options
@output_options("text", "json")
def command(location: str, **options: Any) -> None:
    """Commit a schema change in one atomic step, and apply it again to the schema that won where a race was lost.

    \b
    projector commit warehouse/db/orders --sql "ALTER TABLE orders ADD COLUMN note string"
    """
    target = Target.chosen(options.pop("output_format"), options.pop("output_file"))
    table = open_table(location, options)
    proposal = require_proposal(table, options)
    committed = table.commit(proposal.update)
    if target.format == "json":
        write_document(
            {
                "changed": committed.commit.changed,
                "schema_id": committed.commit.schema.schema_id,
                "metadata_file": committed.metadata_file,
                "attempts": committed.attempts,
            },
            target,
        )
    elif committed.commit.changed:
        write_text(f"Committed schema {committed.commit.schema.schema_id}: {committed.metadata_file}\n", target)
    else:
        write_text("Nothing to commit: the schema stays as it is.\n", target)
