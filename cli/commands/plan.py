"""`projector plan`: what a change would commit, before anything is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ..options import open_table, output_options, table_options
from ..output import Target, write_document, write_text
from ..proposal import proposal_options, require_proposal, show_notes, update_of

if TYPE_CHECKING:
    from projector.api.table import Table
    from projector.evolution.updates.schema_commit import SchemaCommit
    from projector.evolution.updates.transaction import TransactionCommit
    from projector.planning.forecast.layout_plan import LayoutPlan

    Commit = SchemaCommit | TransactionCommit


@click.command("plan", short_help="Show all that a change would commit.")
@click.argument("location", metavar="TABLE")
@proposal_options
@click.option(
    "--filter", "row_filter", metavar="EXPR", help="Show what a scan with this filter costs, before and after."
)
@table_options
@output_options("text", "json")
def command(location: str, **options: Any) -> None:
    """Show the schema, the metadata and the REST request that a change would commit.

    For partition specs and sort orders it also shows what old files keep and what new files get; with --filter also
    what
    the filter opens and reads. The change is not checked against the data files, and nothing is written.

    \b
    projector plan sample_data/orders --sql "ALTER TABLE orders ADD COLUMN note string"
    projector plan sample_data/orders --schema proposed.json --format json
    projector plan sample_data/orders --undelete rating:5=old_rating
    projector plan t --sql "ALTER TABLE t REPLACE PARTITION FIELD month(ts) WITH day(ts)" --filter "ts >= '2024-06-01'"
    """
    target = Target.chosen(options.pop("output_format"), options.pop("output_file"))
    row_filter: str | None = options.pop("row_filter")
    table = open_table(location, options)
    proposal = require_proposal(table, options)
    show_notes(proposal)
    commit: Commit = table.prepare(update_of(proposal))
    layout = _layout(table, commit, row_filter)
    if target.format == "json":
        write_document(_document(table, commit, layout), target)
    else:
        write_text(_text(table, commit, layout), target)


def _layout(table: Table, commit: Commit, row_filter: str | None) -> LayoutPlan | None:
    """Return what the change means for files; None unless it was asked for, because it reads manifests."""
    before, after = table.metadata, commit.metadata
    same = before.spec_ids == after.spec_ids and before.default_spec_id == after.default_spec_id
    same_order = before.sort_orders == after.sort_orders and before.default_sort_order_id == after.default_sort_order_id
    return None if same and same_order and row_filter is None else table.plan_layout(after, row_filter)


def _document(table: Table, commit: Commit, layout: LayoutPlan | None) -> dict[str, Any]:
    from projector.evolution.diff.schema_diff import diff_schemas
    from projector.render.layout_text import layout_json

    before, after = table.metadata, commit.metadata
    return {
        "changed": commit.changed,
        "schema_id": after.current_schema_id,
        "schema_added": after.current_schema_id not in before.schema_ids,
        "spec_id": after.default_spec_id,
        "spec_added": after.default_spec_id not in before.spec_ids,
        "sort_order_id": after.default_sort_order_id,
        "sort_order_added": after.default_sort_order_id not in before.sort_orders,
        "format_version": after.format_version,
        "changes": diff_schemas(table.schema(), after.current_schema).to_json(),
        "schema": json.loads(after.current_schema.to_json()),
        "layout": None if layout is None else layout_json(layout),
        "metadata_changes": [
            {"path": path, "before": old, "after": new} for path, old, new in _metadata_changes(table, commit)
        ],
        "rest_request": _rest_body(table, commit),
    }


def _rest_body(table: Table, commit: Commit) -> dict[str, Any] | None:
    from projector.evolution.commit.rest_body import schema_update_body, transaction_body
    from projector.evolution.updates.schema_commit import SchemaCommit

    if not commit.changed:
        return None
    parts = [part for part in table.location.rstrip("/").split("/") if part]
    by_location = (parts[-2] if len(parts) > 1 else "default", parts[-1] if parts else "table")
    *namespace, name = table.identifier or by_location
    if isinstance(commit, SchemaCommit):
        return schema_update_body(namespace, name, table.metadata, commit)
    return transaction_body(namespace, name, table.metadata, commit)


def _metadata_changes(table: Table, commit: Commit) -> list[tuple[str, Any, Any]]:
    from projector.evolution.diff.metadata_diff import diff_metadata

    return diff_metadata(table.metadata, commit.metadata)


def _text(table: Table, commit: Commit, layout: LayoutPlan | None) -> str:
    from projector.render.layout_text import layout_lines
    from projector.render.schema_tree import side_by_side

    lines: list[str] = []
    if commit.changed:
        before, after = table.metadata, commit.metadata
        if before.current_schema_id == after.current_schema_id:
            lines += [f"Schema {after.current_schema_id} stays as it is.", ""]
        else:
            added = after.current_schema_id not in before.schema_ids
            how = "is added" if added else "was the table's before, and becomes current again"
            lines += [f"Schema {after.current_schema_id} {how}; the current one is {table.schema().schema_id}.", ""]
            lines += [*side_by_side(table.schema(), after.current_schema), ""]
    else:
        lines += ["Nothing to commit: the table is unchanged."]
    if layout is not None:
        lines += [*layout_lines(layout), ""]
    if commit.changed:
        lines += ["Metadata", ""]
        for path, old, new in _metadata_changes(table, commit):
            lines += [f"  {path}", f"    - {_shown(old)}", f"    + {_shown(new)}"]
        lines += ["", "REST request", "", json.dumps(_rest_body(table, commit), ensure_ascii=False, indent=2)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:197] + "..."
