"""F107 list-layout.

What it does:
    Finds lists and maps that files store in another layout than the three levels of the Parquet format, and lists of
    files without field ids whose element is not called element or item.

Why it matters:
    Readers that look for the element where the format puts it find none: some read every element as null, some fail.

Evidence:
    The files by layout, and how many files store the same column by the book.

Example:
    A file imported from Hive or an old Spark, with lists of two levels.

Instead:
    Write these files again with a current writer.

Reference:
    Spec, Appendix A: Parquet; Parquet format, Nested Types, backward-compatibility rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import ALL_ENGINES, readers_disagree
from projector.check.report.findings import Direction, Finding
from projector.files.parquet.file_schema import FileColumn, FileList, FileMap

USUAL_NAMES = ("element", "item")


def check(state: TableState) -> Iterator[Finding]:
    """Every list or map that some file stores so, once for each way."""
    for field_id in state.schema.fields_by_id:
        ways: dict[str, list[LiveGroup]] = {}
        by_the_book = 0
        for group, node in state.nodes(field_id):
            column = group.column(node)
            way = None if column is None else _way(column, group)
            if way is not None:
                ways.setdefault(way, []).append(group)
            elif column is not None:
                by_the_book += len(group.files)
        for way, groups in ways.items():
            fact = f"{by_the_book} files store it by the book" if by_the_book else "no file stores it by the book"
            evidence = state.footers.evidence(groups, fact)
            help_ = "write these files again with a current writer"
            if way.startswith("map"):
                what, path = f"stored as a {way}", state.dotted(field_id)
                yield Finding(what, Direction.ADVICE, path, field_id, evidence, help_, key=way)
                continue
            finding = readers_disagree(
                "renamed-element" if way.startswith("elements called") else "legacy-list",
                ALL_ENGINES,
                f"stored as a list with {way}",
                evidence=evidence,
                help=help_,
                path=state.dotted(field_id),
                field_id=field_id,
                key=way,
            )
            assert finding is not None
            yield finding


def _way(column: FileColumn, group: LiveGroup) -> str | None:
    """How a list or map departs from the book; None where it does not."""
    match column.type:
        case FileList(layout="three-level") as held:
            name = held.element.name
            return None if name in USUAL_NAMES or group.schema.has_field_ids else f"elements called {name}"
        case FileList(layout=layout):
            return {"two-level": "two levels", "repeated": "no annotation"}.get(layout, f"layout {layout}")
        case FileMap(layout=layout) if layout != "key_value":
            return f"map with entries called {layout}"
        case _:
            return None


RULE = Rule(
    "F107",
    "list-layout",
    "Finds lists and maps in layouts of older writers.",
    Level.FOOTERS,
    "Appendix A",
    on_state=check,
)
