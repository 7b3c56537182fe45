"""Find what a change of the name mapping does to files without field ids: columns that move, vanish, or reappear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.state import TableState
from projector.files.parquet.file_schema import Place
from projector.schema.name_mapping import NAME_MAPPING_PROPERTY


@dataclass(frozen=True)
class MappingEffects:
    """Groups of files by the fields that read another column in them (moved), no column (lost), or a new one (gained).

    Only fields of both schemas count.
    """

    moved: Mapping[int, tuple[LiveGroup, ...]] = field(default_factory=dict)
    lost: Mapping[int, tuple[LiveGroup, ...]] = field(default_factory=dict)
    gained: Mapping[int, tuple[LiveGroup, ...]] = field(default_factory=dict)


def mapping_effects(before: TableState, after: TableState) -> MappingEffects:
    """Return the effects of a changed mapping; none if both states have the same mapping."""
    texts = {state.metadata.properties.get(NAME_MAPPING_PROPERTY) for state in (before, after)}
    found: tuple[dict[int, list[LiveGroup]], ...] = ({}, {}, {})
    if len(texts) == 2:
        for field_id in before.schema.fields_by_id.keys() & after.schema.fields_by_id.keys():
            for (group, was), (_, now) in zip(before.nodes(field_id), after.nodes(field_id), strict=False):
                kind = None if group.schema.has_field_ids else _kind(was.place, now.place)
                if kind is not None:
                    found[kind].setdefault(field_id, []).append(group)
    moved, lost, gained = ({i: tuple(groups) for i, groups in sorted(each.items())} for each in found)
    return MappingEffects(moved, lost, gained)


def _kind(was: Place | None, now: Place | None) -> int | None:
    if was == now:
        return None
    return 2 if was is None else 1 if now is None else 0
