"""Skip data files whose column bounds exclude the values that a filter asks for, without building facts.

Most of the files that a filter skips are skipped for this reason. All others are left to `metrics_facts`, which decides
everything that is decided here, and more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from projector.metadata.manifests.read import DataFile
from projector.planning.filters.expressions import And, BoundComparison, BoundIn, BoundTerm, Expression, Op
from projector.planning.pruning.facts import is_floating
from projector.schema.binary_values import decode_bound
from projector.schema.reserved import METADATA_COLUMNS
from projector.schema.schema import Schema
from projector.schema.types import UUIDType

Range = tuple[BoundTerm, Any, Any]
"""A column, and the least and the greatest value that a passing row can have; None without a limit."""


def told_by_bounds(bound: Expression, schema: Schema, untold: Collection[int]) -> Callable[[DataFile], bool]:
    """Return whether a data file certainly has no row that passes a bound filter. If False, its facts decide.

    Parameters
    ----------
    schema:
        The schema of the scan.
    untold:
        Ids of columns whose bounds are incomplete, or not to be trusted.
    """
    ranges = [
        (term.field_id, term.field_type, is_floating(term.field_type), least, greatest)
        for term, least, greatest in _ranges(bound)
        if term.field_id not in untold and _goes_by_bounds(term, schema)
    ]

    def lies_beside(file: DataFile) -> bool:
        if file.record_count == 0:  # some writers use it for an unknown count
            return False
        value = file.metrics.value
        for field_id, field_type, floating, least, greatest in ranges:
            stored_low, stored_high = value("lower_bounds", field_id), value("upper_bounds", field_id)
            if stored_low is None or stored_high is None:
                continue
            low, high = decode_bound(stored_low, field_type), decode_bound(stored_high, field_type)
            if low is None or high is None or low > high:
                continue
            below = least is not None and high < least and not _may_be_cut(high, least)
            if not below and (greatest is None or low <= greatest):
                continue
            values, nulls = value("value_counts", field_id), value("null_value_counts", field_id)
            if nulls is not None and nulls == (file.record_count if values is None else values):
                continue  # no value but bounds
            if not floating or value("nan_value_counts", field_id) == 0:  # NaN is greater than every value
                return True
        return False

    return lies_beside


def _ranges(bound: Expression) -> list[Range]:
    match bound:
        case And(left, right):
            return _ranges(left) + _ranges(right)
        case BoundComparison(op, BoundTerm() as term, literal) if op is not Op.NE:
            least = None if op in (Op.LT, Op.LE) else literal
            return [(term, least, None if op in (Op.GT, Op.GE) else literal)]
        case BoundIn(BoundTerm() as term, literals):
            return [(term, literals[0], literals[-1])]
        case _:
            return []


def _goes_by_bounds(term: BoundTerm, schema: Schema) -> bool:
    """Return whether all values of the column in a file lie within its bounds, in the order of Python's values."""
    top = schema.fields_by_id.get(term.parent_ids[0] if term.parent_ids else term.field_id)
    if top is None or top.field_id in METADATA_COLUMNS or isinstance(term.field_type, UUIDType):
        return False
    return top.initial_default is None  # the file may turn out to read it as null (see `unread_columns`)


def _may_be_cut(high: Any, value: Any) -> bool:
    """Return whether an upper bound may be only the beginning of a value."""
    return isinstance(high, (str, bytes)) and bool(value.startswith(high))
