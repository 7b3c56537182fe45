"""Evidence from the manifests alone: live files by what their entries say."""

from __future__ import annotations

from collections.abc import Sequence

from projector.check.evidence.live_files import Files, LiveFile
from projector.check.report.findings import Evidence


def manifest_evidence(files: Sequence[LiveFile], among: int, *facts: str) -> Evidence:
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
