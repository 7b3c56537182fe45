"""F102 partial-field-ids.

What it does:
    Finds files in which some columns have a field id and some have none.

Why it matters:
    By ids alone the columns without one are not there and read as null or default. Some readers look such columns up
    by name, some refuse the file.

Evidence:
    The files, and the columns without an id.

Example:
    A file from a writer that gives ids to top-level columns but not to the fields of structs.

Instead:
    Write the files again with an id on every column.

Reference:
    Spec, Column Projection: files without field ids; a file with some is not among them.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.file_columns import dotted, listed, named_columns
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import ALL_ENGINES, readers_disagree
from projector.check.report.findings import Finding
from projector.files.parquet.file_schema import FileSchema, Place
from projector.schema.types import VariantType


def check(state: TableState) -> Iterator[Finding]:
    """One finding, for all such files. The element, key or value of a list or map is another rule's affair."""
    groups, names = [], []
    schemas = (*state.history.values(), state.schema)
    variants = {i for s in schemas for i, f in s.fields_by_id.items() if isinstance(f.field_type, VariantType)}
    for group in state.footers.groups:
        without = [
            place
            for place, column in named_columns(group.schema)
            if column.field_id is None and not _in_a_variant(group.schema, place, variants)
        ]
        if without and group.schema.has_field_ids:
            groups.append(group)
            names += [dotted(group.schema, place) for place in without]
    if groups:
        finding = readers_disagree(
            "partial-ids",
            ALL_ENGINES,
            "files with field ids on some columns only",
            evidence=state.footers.evidence(groups, f"no id on {listed(names)}"),
            help="write these files again with the table's ids on every column",
        )
        assert finding is not None
        yield finding


def _in_a_variant(schema: FileSchema, place: Place, variants: set[int]) -> bool:
    """Whether a column is inside a variant, where the spec has no ids: some writers store one as a plain struct."""
    return any(schema.at(place[:depth]).field_id in variants for depth in range(1, len(place)))


RULE = Rule(
    "F102",
    "partial-field-ids",
    "Finds files that have field ids on some columns only.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
)
