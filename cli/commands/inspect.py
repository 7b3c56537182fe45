"""`projector inspect`: what a table's metadata and files say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from projector.errors import ProjectorError
from projector.schema.name_mapping import NAME_MAPPING_PROPERTY

from ..changes import CHANGE_COLUMNS, change_row
from ..options import cache_option, open_table, output_options, point_options, table_options
from ..output import Listing, Target, note, write_document, write_listing, write_sections

if TYPE_CHECKING:
    from projector.api.table import Table
    from projector.metadata.partitioning import PartitionField
    from projector.schema.schema import Schema

KINDS = ("schema", "history", "files", "partitions", "shapes", "mapping", "snapshots", "specs", "orders")


@click.command("inspect")
@click.argument("location", metavar="TABLE")
@click.argument("kind", type=click.Choice(KINDS), default="schema")
@click.option("--schema-id", type=int, help="With schema: this one of the table's schemas.")
@point_options
@table_options
@cache_option
@output_options("text", "json", "csv")
def command(location: str, kind: str, **options: Any) -> None:
    """Show what a table's metadata and files say.

    \b
    schema     the fields with their ids, types and defaults, and the last column id
    history    what every schema changed, by field id
    files      the live data files, their partitions, sort orders and bounds
    partitions the partitions of these files, with their files and rows
    shapes     the physical schemas of these files, and how many have each
    mapping    the name mapping, for files without field ids, and what is wrong with it
    snapshots  the states of the table that can be read
    specs      the partition specs
    orders     the sort orders

    \b
    projector inspect sample_data/orders
    projector inspect sample_data/orders history --format json
    """
    target = Target.chosen(options.pop("output_format"), options.pop("output_file"))
    table = open_table(location, options)
    schema_id, cache = options.pop("schema_id"), not options.pop("no_cache")
    if schema_id is not None and kind != "schema":
        raise ProjectorError("Cannot use --schema-id here", hint="it goes with: inspect TABLE schema")
    match kind:
        case "schema":
            at = table.point_in_time(**options).schema if schema_id is None else table.schema(schema_id)
            _write_schema(at, table.metadata.last_column_id, target)
        case "history":
            write_listing(_history(table), target)
        case "files":
            write_listing(_files(table, options), target)
        case "partitions":
            write_listing(_partitions(table, options), target)
        case "specs":
            write_listing(_specs(table), target)
        case "orders":
            write_listing(_orders(table), target)
        case "shapes":
            _write_shapes(table, options, target, cache)
        case "mapping":
            _write_mapping(table, target)
        case _:
            write_listing(_snapshots(table), target)


def _write_schema(schema: Schema, last_column_id: int, target: Target) -> None:
    import json

    if target.format == "json":
        write_document({"schema": json.loads(schema.to_json()), "last_column_id": last_column_id}, target)
        return
    rows = tuple(
        (
            field.field_id,
            ".".join(path),
            field.field_type.short_name,
            "required" if field.required else "optional",
            _default(field, field.initial_default),
            _default(field, field.write_default),
            field.doc,
        )
        for path, field in schema.walk()
    )
    columns = ("id", "field", "type", "nullness", "initial_default", "write_default", "doc")
    write_listing(Listing("fields", columns, rows), target)
    if target.format == "text":
        note(f"last-column-id is {last_column_id}; a new field gets an id above it")


def _history(table: Table) -> Listing:
    from projector.evolution.diff.schema_diff import diff_schemas
    from projector.schema.schema import Schema

    rows: list[tuple[Any, ...]] = []
    before = Schema(())
    for schema in table.metadata.schemas:
        rows.extend((schema.schema_id, *change_row(change)) for change in diff_schemas(before, schema).to_json())
        before = schema
    return Listing("changes", ("schema", *CHANGE_COLUMNS), tuple(rows))


def _files(table: Table, options: dict[str, Any]) -> Listing:
    entries = {file.path: file.data_file for file in table.live_data_files(**options)}
    rows = []
    for task in table.scan(**options).plan_files():
        file = entries[task.file]
        rows.append(
            (
                task.file,
                task.record_count,
                task.file_size,
                task.spec_id,
                _partition(table, task.spec_id, task.partition),
                task.data_sequence_number,
                file.sort_order_id,
                _bounds(table.schema(), file),
            )
        )
    columns = ("file", "records", "bytes", "spec", "partition", "sequence_number", "sort_order", "bounds")
    return Listing("files", columns, tuple(rows))


def _bounds(schema: Schema, file: Any) -> str:
    """Return the bounds of a file's columns by name: `id 1..9, name 'a'..'z'`."""
    from projector.schema.binary_values import decode_bound
    from projector.schema.single_values import format_value

    found = []
    for field_id, field in schema.fields_by_id.items():
        raw = file.lower_bounds.get(field_id), file.upper_bounds.get(field_id)
        if raw == (None, None) or not field.field_type.is_primitive:
            continue
        values = [None if data is None else decode_bound(data, field.field_type) for data in raw]
        ends = ["" if value is None else format_value(value, field.field_type) for value in values]
        found.append(f"{schema.name_of(field_id)} {'..'.join(ends)}")
    return ", ".join(found)


def _partition(table: Table, spec_id: int | None, partition: Any) -> str:
    fields = {} if spec_id is None else table.specs[spec_id].fields_by_id
    return "/".join(f"{fields[i].name}={_partition_text(fields[i], value)}" for i, value in partition.items())


def _partitions(table: Table, options: dict[str, Any]) -> Listing:
    counted: dict[tuple[int | None, str], list[int]] = {}
    for task in table.scan(**options).plan_files():
        known = counted.setdefault((task.spec_id, _partition(table, task.spec_id, task.partition)), [0, 0, 0])
        for place, number in enumerate((1, task.record_count or 0, task.file_size or 0)):
            known[place] += number
    rows = tuple((spec, partition, *numbers) for (spec, partition), numbers in counted.items())
    return Listing("partitions", ("spec", "partition", "files", "records", "bytes"), rows)


def _specs(table: Table) -> Listing:
    default = table.metadata.default_spec_id
    rows: list[tuple[Any, ...]] = [
        (spec.spec_id, spec.spec_id == default, field.field_id, field.name, field.transform, *_sources(table, field))
        for spec in table.specs.values()
        for field in spec.fields
    ]
    rows += [
        (s.spec_id, s.spec_id == default, None, None, None, None, None) for s in table.specs.values() if not s.fields
    ]
    columns = ("spec", "default", "field_id", "name", "transform", "source_ids", "source")
    return Listing("specs", columns, tuple(sorted(rows, key=lambda row: row[0])))


def _orders(table: Table) -> Listing:
    default = table.metadata.default_sort_order_id
    rows: list[tuple[Any, ...]] = []
    for order in table.metadata.sort_orders.values():
        which = order.order_id, order.order_id == default
        if not order.fields:
            rows.append((*which, None, None, None, None, None))
        for field in order.fields:
            ids, names = _sources(table, field)
            rows.append(
                (
                    order.order_id,
                    order.order_id == default,
                    field.transform,
                    ids,
                    names,
                    field.direction,
                    field.null_order,
                )
            )
    columns = ("order", "default", "transform", "source_ids", "source", "direction", "null_order")
    return Listing("orders", columns, tuple(rows))


def _sources(table: Table, field: Any) -> tuple[list[int], str]:
    """Return the ids of a field's source columns, and their names in the current schema."""
    schema = table.schema()
    names = [schema.name_of(i) if i in schema.fields_by_id else f"id {i}, dropped" for i in field.source_ids]
    return list(field.source_ids), ", ".join(names)


def _write_shapes(table: Table, options: dict[str, Any], target: Target, cache: bool) -> None:
    groups: dict[Any, list[Any]] = {}
    for shape in table.scan(**options).explain(cache=cache).shapes:
        groups.setdefault(shape.plan.file_schema, []).append(shape)
    rows, documents = [], []
    for number, (schema, members) in enumerate(groups.items(), start=1):
        files = [file for member in members for file in member.files]
        counted = (len(files), sum(member.row_count for member in members), schema.has_field_ids)
        columns = [
            {
                "id": column.field_id,
                "column": ".".join(schema.name_path(place)),
                "type": str(column.type),
                "optional": column.optional,
            }
            for place, column in schema.walk()
        ]
        shown = ", ".join(
            f"{'' if column.field_id is None else f'{column.field_id}: '}{column.name} {column.type}"
            for column in schema.columns
        )
        rows.append((number, *counted, shown, files[0]))
        facts = dict(zip(("shape", "file_count", "rows", "field_ids"), (number, *counted), strict=True))
        documents.append({**facts, "columns": columns, "files": files})
    if target.format == "json":
        write_document({"shapes": documents}, target)
        return
    write_listing(
        Listing("shapes", ("shape", "files", "rows", "field_ids", "columns", "first_file"), tuple(rows)), target
    )


def _write_mapping(table: Table, target: Target) -> None:
    """Write the mapping, and its problems by the files that need it. CSV has only the mapping, and opens no file."""
    text = table.properties.get(NAME_MAPPING_PROPERTY)
    wrong = () if text is not None and target.format == "csv" else table.name_mapping_problems()
    if text is None and not wrong:
        raise ProjectorError(
            "The table has no name mapping", table=table.location, hint="it is only needed for files without field ids"
        )
    mapping = _mapping(table)
    rows = tuple((problem.kind, ".".join(problem.path), problem.field_id, problem.detail) for problem in wrong)
    problems = Listing("problems", ("problem", "where", "id", "detail"), rows)
    match target.format:
        case "csv":
            write_listing(mapping, target)
        case "json":
            write_document({"mapping": mapping.objects(), "problems": problems.objects()}, target)
        case _:
            write_sections([("Name mapping", mapping), *([("Problems", problems)] if rows else [])], target)
    if rows:
        note("projector plan TABLE --name-mapping repair shows a mapping that mends what can be mended")


def _mapping(table: Table) -> Listing:
    """Return the entries of the mapping; none if there is no mapping, or it cannot be read."""
    try:
        mapping = table.metadata.name_mapping
    except ProjectorError:
        mapping = None
    schema = table.schema()
    rows = tuple(
        (
            field.field_id,
            ".".join(path),
            list(field.names),
            schema.name_of(field.field_id)
            if field.field_id is not None and field.field_id in schema.fields_by_id
            else None,
        )
        for path, field in (() if mapping is None else mapping.walk())
    )
    return Listing("mapping", ("id", "path", "names", "field"), rows)


def _snapshots(table: Table) -> Listing:
    from projector.schema.iso_text import format_timestamp

    names: dict[int, list[str]] = {}
    for name, ref in table.refs.items():
        names.setdefault(ref.snapshot_id, []).append(f"{name} ({ref.kind})")
    rows = tuple(
        (
            snapshot.snapshot_id,
            snapshot.parent_snapshot_id,
            format_timestamp(snapshot.timestamp_ms * 1000, 1_000_000) + "Z",
            snapshot.operation,
            snapshot.schema_id,
            (snapshot.summary or {}).get("total-records"),
            names.get(snapshot.snapshot_id, []),
        )
        for snapshot in table.snapshots
    )
    return Listing("snapshots", ("snapshot", "parent", "made", "operation", "schema", "records", "refs"), rows)


def _default(field: Any, value: Any) -> str | None:
    from projector.schema.single_values import format_value

    return None if value is None else format_value(value, field.field_type)


def _partition_text(field: PartitionField, value: Any) -> str:
    """Return a partition value as text: months and days as dates, other values as they are."""
    from projector.schema.iso_text import format_date

    match field.transform.lower():
        case _ if value is None:
            return "null"
        case "year":
            return str(1970 + value)
        case "month":
            return f"{1970 + value // 12}-{value % 12 + 1:02}"
        case "day":
            return format_date(value)
        case "hour":
            return f"{format_date(value // 24)}-{value % 24:02}"
        case _:
            return str(value)
