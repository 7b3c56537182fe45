"""`projector explain`: where every value of a table comes from, for each shape of file."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..options import cache_option, open_table, output_options, point_options, table_options
from ..output import Listing, Target, note, write_document, write_listing, write_sections

if TYPE_CHECKING:
    from projector.api.explanation import PruningExplanation, ShapeExplanation
    from projector.projection.explain import FieldExplanation
    from projector.schema.schema import Schema

_COLUMNS = ("field", "id", "type", "origin", "column", "column_type", "cast", "detail")


@click.command("explain", short_help="Show which files a column's values come from, and how.")
@click.argument("location", metavar="TABLE")
@click.argument("column", required=False)
@click.option("--filter", "row_filter", metavar="EXPR", help="Explain a scan with this filter: which files it skips.")
@point_options
@table_options
@cache_option
@output_options("text", "json", "csv")
def command(location: str, column: str | None, **options: Any) -> None:
    """Show which files a column's values come from, by which rule, and with which cast.

    COLUMN is a dotted path, such as items.element.gift; its nested fields are shown with it. Reads footers, but no
    rows.

    \b
    projector explain sample_data/orders
    projector explain sample_data/orders shop
    projector explain sample_data/orders --filter "ordered_at < '2024-02-01'"
    """
    target = Target.chosen(options.pop("output_format"), options.pop("output_file"))
    table = open_table(location, options)
    cache = not options.pop("no_cache")
    scan = table.scan(**options)
    schema = scan.schema()
    wanted = () if column is None else schema.paths_by_id[schema.find_field(column).field_id]
    explained = []
    explanation = scan.explain(cache=cache)
    pruning = explanation.pruning
    for number, shape in enumerate(explanation.shapes, start=1):
        fields = [field for field in shape.fields if _under(schema, field.field_id, wanted)]
        explained.append((number, shape, fields))
    if target.format == "json":
        write_document(
            {
                "pruning": {
                    **asdict(pruning),
                    "files_skipped": pruning.files_skipped,
                    "records_skipped": pruning.records_skipped,
                },
                "shapes": [
                    {
                        "shape": number,
                        "file_count": len(shape.files),
                        "rows": shape.row_count,
                        "fields": [asdict(field) for field in fields],
                        "files": list(shape.files),
                        "notes": [asdict(note) for note in shape.plan.notes],
                    }
                    for number, shape, fields in explained
                ],
            },
            target,
        )
        return
    note(_pruned(pruning))
    listings = [
        (number, shape, Listing("fields", _COLUMNS, tuple(map(_row, fields)))) for number, shape, fields in explained
    ]
    if target.format == "text":
        write_sections([(_heading(number, shape), listing) for number, shape, listing in listings], target)
        return
    rows = tuple(
        (number, len(shape.files), shape.row_count, *row) for number, shape, each in listings for row in each.rows
    )
    write_listing(Listing("fields", ("shape", "files", "rows", *_COLUMNS), rows), target)


def _pruned(pruning: PruningExplanation) -> str:
    kept = f"{pruning.files} files with {pruning.records_to_read} records are read"
    if not pruning.files_skipped and not pruning.skipped_manifests:
        return kept
    reasons = [f"{total.files} files: {total.reason}" for total in pruning.skipped]
    reasons += [f"manifest {skipped.file}: {skipped.reason}" for skipped in pruning.skipped_manifests]
    return f"{kept}, to return about {pruning.records_expected}; skipped: {'; '.join(reasons)}"


def _row(field: FieldExplanation) -> tuple[Any, ...]:
    detail = f"cannot be read: {field.detail}" if field.fails else field.detail
    facts = (field.path, field.field_id, field.field_type, field.origin, field.column, field.column_type)
    return (*facts, field.cast, detail)


def _heading(number: int, shape: ShapeExplanation) -> str:
    files, more = len(shape.files), f", and {len(shape.files) - 1} more" if len(shape.files) > 1 else ""
    notes = "".join(f"; {note.message}" for note in shape.plan.notes)
    return f"shape {number}: {files} file{'s' * (files > 1)}, {shape.row_count} rows ({shape.files[0]}{more}){notes}"


def _under(schema: Schema, field_id: int, wanted: tuple[str, ...]) -> bool:
    return schema.paths_by_id[field_id][: len(wanted)] == wanted
