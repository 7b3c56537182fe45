"""F115 entry-contradicts-file.

What it does:
    Compares what manifest entries say of data and delete files with the files: rows and sizes of all, and counts and
    bounds of columns with the statistics in the footers of some, or of all at level `values`.

Why it matters:
    Readers rely on entries. A wrong size makes Trino and DuckDB fail, a wrong number of rows makes counts wrong, and
    bounds that leave values out lose rows under a filter, without an error. What is wrong in one entry may be wrong in
    others that nothing tells of.

Evidence:
    The files, and what the entry and the file say.

Example:
    Bounds of an unsigned column, compared as signed numbers by its writer

Instead:
    Rewrite the manifests with facts from the footers, or register the files again.

Reference:
    Spec, Data File Fields.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.entry_checks import by_fact
from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding, Sample

_MESSAGES = {
    "rows": "manifest entries count other rows than the files have",
    "size": "manifest entries have another size than the files",
    "values": "manifest entries count other values of it than the files have",
    "nulls": "manifest entries count other nulls of it than the files have",
    "bounds": "manifest entries have bounds that leave out values of it",
}
_SAMPLES = 10


def check(state: TableState) -> Iterator[Finding]:
    """Yield one finding for each fact, and for each column that it is about."""
    if state.level < Level.FOOTERS:
        return
    of_files = len(state.files.live.data) + len(state.files.live.deletes)
    for (fact, field_id), found in by_fact(state.files.entry_checks).items():
        first = found[0]
        yield Finding(
            f"{_MESSAGES[fact]}: {first.said}, but the file has {first.found}",
            Direction.UNVERIFIED,
            None if field_id is None else state.dotted(field_id) or f"id {field_id}",
            field_id,
            evidence=Evidence(
                files=len(found),
                of_files=of_files,
                first_file=first.file.path,
                samples=tuple(Sample(c.file.path, c.said, c.found) for c in found[:_SAMPLES]),
            ),
            help="rewrite the manifests with facts from the footers, or register these files again",
            key=fact,
        )


RULE = Rule(
    "F115",
    "entry-contradicts-file",
    "Finds manifest entries that their files contradict.",
    Level.FOOTERS,
    "Data File Fields",
    on_state=check,
)
