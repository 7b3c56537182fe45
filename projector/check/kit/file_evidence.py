"""Evidence from the manifests alone: live files by what their entries say."""

from __future__ import annotations

from collections.abc import Sequence

from projector.check.evidence.live_files import Files, LiveFile
from projector.check.evidence.state import TableState
from projector.check.report.findings import Evidence


def of_files(files: Sequence[LiveFile], among: int, *facts: str) -> Evidence:
    """The evidence of some live files.

    Parameters
    ----------
    files:
        The files that show a fact.
    among:
        How many were looked at.
    """
    return Evidence(
        files=len(files),
        of_files=among,
        rows=files.record_count if isinstance(files, Files) else sum(file.record_count for file in files),
        first_file=files[0].path if files else None,
        facts=facts,
    )


def all_files(state: TableState) -> int:
    """The number of live data and delete files that were looked at."""
    return len(state.files.live.data) + len(state.files.live.deletes)
