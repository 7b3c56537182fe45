"""`projector commit`: make a change of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .options import open_table, output_options, table_options
from .output import Target, write_document, write_text
from .proposal import proposal_options, require_proposal

if TYPE_CHECKING:
    from projector.metadata.table_metadata import TableMetadata


@click.command("commit")
@click.argument("location", metavar="TABLE")
@proposal_options
@table_options
@output_options("text", "json")
def command(location: str, **options: Any) -> None:
    """Commit a change in one atomic step, and apply it again to the metadata that won where a race was lost.

    \b
    projector commit warehouse/db/orders --sql "ALTER TABLE orders ADD COLUMN note string"
    """
    target = Target.chosen(options.pop("output_format"), options.pop("output_file"))
    table = open_table(location, options)
    proposal = require_proposal(table, options)
    committed = table.commit(proposal.update)
    after = committed.commit.metadata
    if target.format == "json":
        write_document(
            {
                "changed": committed.commit.changed,
                "schema_id": after.current_schema_id,
                "spec_id": after.default_spec_id,
                "sort_order_id": after.default_sort_order_id,
                "format_version": after.format_version,
                "metadata_file": committed.metadata_file,
                "attempts": committed.attempts,
            },
            target,
        )
    elif committed.commit.changed:
        write_text(f"Committed {_made(table.metadata, after)}: {committed.metadata_file}\n", target)
    else:
        write_text("Nothing to commit: the table stays as it is.\n", target)


def _made(before: TableMetadata, after: TableMetadata) -> str:
    """What is current after a commit that was not before."""
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
