"""Make evidence of live files from their manifest entries alone, without footers."""

from __future__ import annotations

from collections.abc import Sequence

from projector.check.evidence.live_files import Files, LiveFile
from projector.check.report.findings import Evidence


def manifest_evidence(files: Sequence[LiveFile], among: int, *facts: str) -> Evidence:
    """Return the evidence that some live files show.

    Parameters
    ----------
    files:
        The files that show a fact.
    among:
        The number of files that were checked.
    """
    return Evidence(
        files=len(files),
        of_files=among,
        rows=files.record_count if isinstance(files, Files) else sum(file.record_count for file in files),
        first_file=files[0].path if files else None,
        facts=facts,
    )
