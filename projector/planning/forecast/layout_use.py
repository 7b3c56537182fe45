"""Find which partition specs and sort orders the files of a table follow, before and after a change of either."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from projector.metadata.manifests.read import DataFile
from projector.metadata.partitioning import PartitionField, PartitionSpec
from projector.metadata.sort_order import SortOrder
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema


@dataclass(frozen=True, slots=True)
class Use:
    """A partition spec or a sort order, and the live data files that were written with it.

    Parameters
    ----------
    id:
        The spec's or order's id.
    text:
        Its fields, such as `day(ordered_at), bucket[16](id)`; `unpartitioned` or `unsorted` without fields.
    files, records:
        Live data files of the current snapshot that were written with it, and the records in them.
    is_default, becomes_default:
        Whether new files are written with it before the change, and after it.
    added:
        Whether the change adds it.
    in_use:
        Whether files of any retained snapshot were written with it.
    """

    id: int
    text: str
    files: int
    records: int
    is_default: bool
    becomes_default: bool
    added: bool
    in_use: bool

    @property
    def dead_weight(self) -> bool:
        """Whether it is unused: no file was written with it, and none will be."""
        return not (self.in_use or self.becomes_default)


@dataclass(frozen=True, slots=True)
class LayoutUse:
    """The specs and sort orders of a table, and how its files follow them.

    Parameters
    ----------
    specs, orders:
        All that the table has after the change, by id.
    files, records:
        All live data files of the current snapshot, and the records in them.
    """

    specs: tuple[Use, ...]
    orders: tuple[Use, ...]
    files: int
    records: int

    @property
    def dead_specs(self) -> tuple[Use, ...]:
        """The specs that no file of any retained snapshot was written with, and that no new file will be."""
        return tuple(spec for spec in self.specs if spec.dead_weight)

    @property
    def orders_not_followed(self) -> tuple[Use, ...]:
        """The sort orders that no live file was written in, without the unsorted order."""
        return tuple(order for order in self.orders if order.id != 0 and order.files == 0)


def layout_use(
    before: TableMetadata, after: TableMetadata, files: Iterable[DataFile], specs_in_use: frozenset[int]
) -> LayoutUse:
    """Return how the files of a table follow its partition specs and sort orders.

    Parameters
    ----------
    after:
        The metadata after a change; `before` itself without one.
    files:
        The live data files of the current snapshot.
    specs_in_use:
        Ids of the specs that files of any retained snapshot were written with.
    """
    by_spec: dict[int, tuple[int, int]] = {}
    by_order: dict[int, tuple[int, int]] = {}
    total, records = 0, 0
    for file in files:
        total, records = total + 1, records + file.record_count
        for counts, number in ((by_spec, file.spec_id), (by_order, file.sort_order_id or 0)):
            seen = counts.get(number, (0, 0))
            counts[number] = (seen[0] + 1, seen[1] + file.record_count)
    schema = after.current_schema
    specs = tuple(
        Use(
            spec_id,
            spec_text(spec, schema, before.current_schema),
            *by_spec.get(spec_id, (0, 0)),
            is_default=spec_id == before.default_spec_id,
            becomes_default=spec_id == after.default_spec_id,
            added=spec_id not in before.specs,
            in_use=spec_id in specs_in_use or spec_id in by_spec,
        )
        for spec_id, spec in sorted(after.specs.items())
    )
    orders = tuple(
        Use(
            order_id,
            order_text(order, schema, before.current_schema),
            *by_order.get(order_id, (0, 0)),
            is_default=order_id == before.default_sort_order_id,
            becomes_default=order_id == after.default_sort_order_id,
            added=order_id not in before.sort_orders,
            in_use=order_id in by_order,
        )
        for order_id, order in sorted(after.sort_orders.items())
    )
    return LayoutUse(specs, orders, total, records)


def spec_text(spec: PartitionSpec, *schemas: Schema) -> str:
    """Return a spec as its transforms of columns; names come from the first of the schemas that has the column."""
    if spec.is_unpartitioned:
        return "unpartitioned"
    return ", ".join(field_text(field, *schemas) for field in spec.fields if not field.is_void)


def field_text(field: PartitionField, *schemas: Schema) -> str:
    """Return a partition field as its transform of a column, such as `day(ordered_at)`; names as in `spec_text`."""
    return _term(field.transform, field.source_ids, schemas)


def order_text(order: SortOrder, *schemas: Schema) -> str:
    """Return a sort order as its transforms of columns, with directions."""
    if order.is_unsorted:
        return "unsorted"
    return ", ".join(
        f"{_term(field.transform, field.source_ids, schemas)} {field.direction} {field.null_order.replace('-', ' ')}"
        for field in order.fields
    )


def _term(transform: str, source_ids: tuple[int, ...], schemas: tuple[Schema, ...]) -> str:
    columns = ", ".join(_column(source_id, schemas) for source_id in source_ids)
    return columns if transform.lower() == "identity" else f"{transform}({columns})"


def _column(field_id: int, schemas: tuple[Schema, ...]) -> str:
    found = next((schema for schema in schemas if field_id in schema.fields_by_id), None)
    return f"dropped column {field_id}" if found is None else found.name_of(field_id)
