"""F111 not-parquet.

What it does:
    Finds live data and delete files of format Avro or ORC.

Why it matters:
    Legal, and many readers read Parquet only. This check does not look into such files either: what it says of the
    table does not cover them.

Evidence:
    The files by format.

Example:
    A table that a streaming job fills with Avro files.

Instead:
    Rewrite these files as Parquet, with write.format.default set to parquet.

Reference:
    Spec, Data File Fields: file_format.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import ALL_ENGINES, readers_disagree
from projector.check.report.findings import Finding


def check(state: TableState) -> Iterator[Finding]:
    """One finding for each such format."""
    by_format = state.files.live.all.by(lambda _, kind: kind.file_format.lower())
    for name in ("avro", "orc"):
        if name not in by_format:
            continue
        files = by_format[name]
        finding = readers_disagree(
            name,
            ALL_ENGINES,
            f"live files of format {name.upper() if name == 'orc' else 'Avro'}, which cannot be checked",
            evidence=manifest_evidence(files, len(state.files.live.all)),
            help="rewrite them as Parquet",
        )
        assert finding is not None
        yield finding


RULE = Rule(
    "F111",
    "not-parquet",
    "Finds Avro and ORC files, which cannot be checked.",
    Level.FOOTERS,
    "Data File Fields",
    on_state=check,
)
