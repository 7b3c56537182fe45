"""Describe what differs between two states of a table's metadata, apart from the schema."""

from __future__ import annotations

from collections.abc import Iterator

from projector.metadata.table_metadata import TableMetadata
from projector.planning.forecast.layout_use import order_text, spec_text
from projector.schema.name_mapping import NAME_MAPPING_PROPERTY


def metadata_changes(before: TableMetadata, after: TableMetadata) -> Iterator[str]:
    """Yield a line for each change of the default spec, the default order, the format version and the properties."""
    schemas = (after.current_schema, before.current_schema)
    if before.default_spec_id != after.default_spec_id:
        yield f"partition spec: {spec_text(before.spec(), *schemas)} -> {spec_text(after.spec(), *schemas)}"
    if before.default_sort_order_id != after.default_sort_order_id:
        was, now = (order_text(m.sort_orders[m.default_sort_order_id], *schemas) for m in (before, after))
        yield f"sort order: {was} -> {now}"
    if before.format_version != after.format_version:
        yield f"format version: {before.format_version} -> {after.format_version}"
    for key in sorted(before.properties.keys() | after.properties.keys()):
        old, new = before.properties.get(key), after.properties.get(key)
        if old != new:
            what = "name mapping" if key == NAME_MAPPING_PROPERTY else f"property {key}"
            yield f"{what}: {'removed' if new is None else 'set' if old is None else 'changed'}"
