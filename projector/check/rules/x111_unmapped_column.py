"""X111 unmapped-column.

What it does:
    Finds columns of files without field ids that the name mapping does not name.

Why it matters:
    By the spec such a column is not there. A reader in use refuses the whole file instead.

Evidence:
    The live files and their columns.

Example:
    A file that was imported with a column `load_id` that the table never had.

Instead:
    Write these files again without the column, or with field ids.

Reference:
    Spec, Column Projection: name mapping.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from projector.check.evidence.state import TableState
from projector.check.kit.file_columns import listed
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Finding
from projector.files.parquet.file_schema import FileColumn, FileStruct
from projector.schema.name_mapping import MappedField


def check(state: TableState) -> Iterator[Finding]:
    """One finding for all such columns. Lists and maps are not entered: their elements have names of their own."""
    if state.name_mapping is None:
        return
    groups, names = [], []
    for group in state.idless_groups():
        unmapped = list(_unmapped(group.schema.columns, state.name_mapping.fields, ""))
        if unmapped:
            groups.append(group)
            names += unmapped
    if groups:
        finding = readers_disagree(
            "unmapped-column",
            state.engines,
            f"files without field ids have columns that the name mapping lacks: {listed(names)}",
            evidence=state.footers.evidence(groups),
            help="write these files again without the column, or with field ids",
        )
        if finding is not None:
            yield finding


def _unmapped(columns: Sequence[FileColumn], mapped: Sequence[MappedField], above: str) -> Iterator[str]:
    entries = {name: entry for entry in mapped for name in entry.names}
    for column in columns:
        entry = entries.get(column.name)
        if entry is None:
            yield above + column.name
        elif isinstance(column.type, FileStruct) and entry.field_id is not None:
            yield from _unmapped(column.children, entry.fields, f"{above}{column.name}.")


RULE = Rule(
    "X111",
    "unmapped-column",
    "Finds columns of files without ids that the name mapping lacks, which a reader refuses.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
)
