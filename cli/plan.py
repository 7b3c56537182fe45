"""`projector plan`: what a schema change would make of a table, before anything is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from .options import open_table, output_options, table_options
from .output import Target, write_document, write_text
from .proposal import proposal_options, require_proposal

if TYPE_CHECKING:
    from projector.api.table import Table
    from projector.evolution.schema_commit import SchemaCommit


@click.command("plan")
@click.argument("location", metavar="TABLE")
@proposal_options
@table_options
@output_options("text", "json")
def command(location: str, **options: Any) -> None:
    """Show the schema, the metadata and the REST request that a change would commit.

    Nothing is checked against the data files and nothing is written.

    \b
    projector plan sample_data/orders --sql "ALTER TABLE orders ADD COLUMN note string"
    projector plan sample_data/orders --schema proposed.json --format json
    """
    target = Target.chosen(options.pop("output_format"), options.pop("output_file"))
    table = open_table(location, options)
    proposal = require_proposal(table, options)
    commit = table.prepare(proposal.update)
    if target.format == "json":
        write_document(_document(table, commit), target)
    else:
        write_text(_text(table, commit), target)


def _document(table: Table, commit: SchemaCommit) -> dict[str, Any]:
    from projector.evolution.schema_diff import diff_schemas

    return {
        "changed": commit.changed,
        "schema_id": commit.schema.schema_id,
        "schema_added": commit.added,
        "changes": diff_schemas(table.schema(), commit.schema).to_json(),
        "schema": json.loads(commit.schema.to_json()),
        "metadata_changes": [
            {"path": path, "before": before, "after": after} for path, before, after in _metadata_changes(table, commit)
        ],
        "rest_request": _rest_body(table, commit),
    }


def _rest_body(table: Table, commit: SchemaCommit) -> dict[str, Any] | None:
    from projector.evolution.rest_body import schema_update_body

    if not commit.changed:
        return None
    parts = [part for part in table.location.rstrip("/").split("/") if part]
    name, namespace = (parts[-1] if parts else "table"), (parts[-2] if len(parts) > 1 else "default")
    return schema_update_body((namespace,), name, table.metadata, commit)


def _metadata_changes(table: Table, commit: SchemaCommit) -> list[tuple[str, Any, Any]]:
    from projector.evolution.metadata_diff import diff_metadata

    return diff_metadata(table.metadata, commit.metadata)


def _text(table: Table, commit: SchemaCommit) -> str:
    from projector.render.schema_tree import side_by_side

    if not commit.changed:
        return "Nothing to commit: the schema stays as it is.\n"
    how = "is added" if commit.added else "is one the table has had, and is used again"
    lines = [f"Schema {commit.schema.schema_id} {how}; the current one is {table.schema().schema_id}.", ""]
    lines += side_by_side(table.schema(), commit.schema)
    lines += ["", "Metadata", ""]
    for path, before, after in _metadata_changes(table, commit):
        lines += [f"  {path}", f"    - {_shown(before)}", f"    + {_shown(after)}"]
    lines += ["", "REST request", "", json.dumps(_rest_body(table, commit), ensure_ascii=False, indent=2)]
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:197] + "..."
