"""`UpdateSortOrder`: records the sort order for rows of new files, which replaces the present one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from projector.errors import ProjectorError, SchemaUpdateError
from projector.evolution.apply.pending import raise_at
from projector.evolution.operations.schema import FieldPath, Operation
from projector.evolution.operations.terms import bound_term, transform_text
from projector.evolution.updates.update_schema import Names
from projector.metadata.sort_order import UNSORTED, SortField, SortOrder, sort_order_to_json
from projector.metadata.table_metadata import TableMetadata
from projector.metadata.transforms import accepts, parse_transform
from projector.schema.schema import Schema

Direction = Literal["asc", "desc"]
NullOrder = Literal["nulls-first", "nulls-last"]


@dataclass(frozen=True, slots=True)
class SortBy(Operation):
    """Sort by a column under a transform, after the preceding columns."""

    column: FieldPath
    transform: str = "identity"
    direction: Direction = "asc"
    null_order: NullOrder = "nulls-first"


@dataclass(frozen=True, slots=True)
class WriteOrder(Operation):
    """The whole sort order of a statement, which replaces the present one; without fields it is unsorted."""

    fields: tuple[SortBy, ...] = ()


class UpdateSortOrder:
    """Records a sort order (spec: Sorting). With nothing recorded, the table's new files are not sorted.

    Every method records one field and returns the update itself; errors are reported on application.
    """

    def __init__(self, *, case_sensitive: bool = True) -> None:
        self.case_sensitive = case_sensitive
        self._operations: list[SortBy] = []

    @property
    def operations(self) -> tuple[SortBy, ...]:
        """The recorded operations, in order."""
        return tuple(self._operations)

    def record(self, *operations: SortBy) -> UpdateSortOrder:
        """Record fields that were made elsewhere, for example by a parser."""
        self._operations.extend(operations)
        return self

    def asc(self, column: Names, transform: Any = None, null_order: Any = "nulls-first") -> UpdateSortOrder:
        """Sort by a column, ascending. `null_order` is `nulls-first` or `nulls-last`, or pyiceberg's value."""
        return self._by(column, transform, "asc", null_order)

    def desc(self, column: Names, transform: Any = None, null_order: Any = "nulls-last") -> UpdateSortOrder:
        """Sort by a column, descending."""
        return self._by(column, transform, "desc", null_order)

    def _by(self, column: Names, transform: Any, direction: Direction, null_order: Any) -> UpdateSortOrder:
        text = str(getattr(null_order, "value", null_order)).lower().replace(" ", "-").replace("_", "-")
        path = column if isinstance(column, str) else tuple(column)
        return self.record(SortBy(path, transform_text(transform), direction, text))  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"UpdateSortOrder(operations=[{', '.join(map(str, self._operations))}])"


@dataclass(frozen=True, slots=True)
class SortOrderChange:
    """A change of the sort order, without commit time and log.

    Parameters
    ----------
    metadata:
        The metadata after the change; the given object itself if nothing changes.
    order:
        The requested order, with its id in the table.
    added:
        Whether the order is new. False if the table already has an equal one, whose id is reused.
    changed:
        Whether there is anything to commit.
    """

    metadata: TableMetadata
    order: SortOrder
    added: bool
    changed: bool


def change_sort_order(metadata: TableMetadata, update: UpdateSortOrder) -> SortOrderChange:
    """Make an order the table's default. Raises `SchemaUpdateError` for one that the schema does not allow."""
    fields = tuple(
        _field(metadata.current_schema, i, by, update.case_sensitive) for i, by in enumerate(update.operations)
    )
    check_sort_fields(fields, metadata.current_schema)
    known = metadata.sort_orders
    order = next((o for o in known.values() if _same_fields(o.fields, fields)), None)
    listed = metadata.raw.get("sort-orders") or []
    added = order is None or not any(node["order-id"] == order.order_id for node in listed)
    if order is None:
        order = SortOrder(max((1, *(i + 1 for i in known))), fields)
    if order.order_id == metadata.default_sort_order_id:
        return SortOrderChange(metadata, order, added=False, changed=False)
    raw = dict(metadata.raw)
    raw["default-sort-order-id"] = order.order_id
    if added:
        before = listed or [sort_order_to_json(UNSORTED)]
        raw["sort-orders"] = [*before, sort_order_to_json(order)]
    return SortOrderChange(TableMetadata.from_json(raw), order, added, changed=True)


def _field(schema: Schema, index: int, by: SortBy, case_sensitive: bool) -> SortField:
    try:
        if by.null_order not in ("nulls-first", "nulls-last"):
            raise SchemaUpdateError(f"Invalid null order: {by.null_order}", hint="use nulls-first or nulls-last")
        term = bound_term(schema, by.column, by.transform, case_sensitive)
    except ProjectorError as error:
        raise_at(by, index, error)
    return SortField((term.source_id,), str(term.transform), by.direction, by.null_order)


def _same_fields(one: tuple[SortField, ...], other: tuple[SortField, ...]) -> bool:
    return [_spelled(f) for f in one] == [_spelled(f) for f in other]


def _spelled(field: SortField) -> tuple[object, ...]:
    return field.source_ids, str(parse_transform(field.transform)), field.direction, field.null_order


def sort_field_text(field: SortField) -> str:
    """Return a sort field as messages spell it."""
    nulls = field.null_order.upper().replace("-", " ")
    return f"{field.transform}({', '.join(map(str, field.source_ids))}) {field.direction.upper()} {nulls}"


def check_sort_fields(fields: tuple[SortField, ...], schema: Schema) -> None:
    """Raise `SchemaUpdateError` for sort fields that a schema does not allow."""
    for field in fields:
        source = schema.fields_by_id.get(field.source_id)
        if source is None:
            raise SchemaUpdateError(
                f"Cannot find source column for sort field: {sort_field_text(field)}", field_id=field.source_id
            )
        if not source.field_type.is_primitive:
            raise SchemaUpdateError(f"Cannot sort by non-primitive source field: {source.field_type}")
        if not accepts(parse_transform(field.transform), source.field_type):
            raise SchemaUpdateError(f"Invalid source type {source.field_type} for transform: {field.transform}")
