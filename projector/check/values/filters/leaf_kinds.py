"""Classify how a leaf is read in each group of files: an engine treats filters on leaves of one kind the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from projector.files.parquet.file_schema import FileLeaf
from projector.planning.filters.expressions import BoundTerm
from projector.projection.plan import Cast, Read
from projector.schema.types import IcebergType

if TYPE_CHECKING:
    from projector.check.evidence.state import TableState


@dataclass(frozen=True, slots=True)
class LeafKind:
    """How a leaf is read from files of one group.

    Parameters
    ----------
    field_type:
        The leaf's type.
    partitioned:
        Whether it is a source of some partition spec.
    nodes:
        The plan nodes of the structs around it, from the outside in, and of the leaf.
    promoted:
        Whether the files hold it in another type.
    """

    field_type: IcebergType
    partitioned: bool
    nodes: tuple[Any, ...]
    promoted: bool


def leaf_kinds(state: TableState, term: BoundTerm) -> Mapping[LeafKind, tuple[int, ...]]:
    """Return the kinds of a leaf under the schema of a state, and the places of the groups of each kind."""
    partitioned = any(
        term.field_id in field.source_ids for spec in state.metadata.specs.values() for field in spec.fields
    )
    nodes: dict[int, list[Any]] = {}
    casts: dict[int, set[Cast | None]] = {}
    places = {id(group): place for place, group in enumerate(state.footers.groups)}
    for field_id in (*term.parent_ids, term.field_id):
        for group, node in state.nodes(field_id):
            place, cast, stored = places[id(group)], node.cast if isinstance(node, Read) else None, None
            column = group.column(node)
            if column is not None:
                kind = str(column.type) if isinstance(column.type, FileLeaf) else type(column.type).__name__
                stored = (column.name == node.field.name, column.optional, kind)
            nodes.setdefault(place, []).append((type(node).__name__, node.origin, cast, node.field.required, stored))
            casts.setdefault(place, set()).add(cast)
    found: dict[LeafKind, list[int]] = {}
    for place, of_group in nodes.items():
        promoted = bool(casts[place] - {None, Cast.NONE})
        found.setdefault(LeafKind(term.field_type, partitioned, tuple(of_group), promoted), []).append(place)
    return {kind: tuple(groups) for kind, groups in found.items()}
