"""Phrases that several renderings share."""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.report.findings import Evidence, Finding, Severity
from projector.check.report.report import Report
from projector.text import line_and_column


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 file`, `2 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def verdict(report: Report) -> str:
    """Return the number of errors and warnings."""
    counts = report.counts()
    said = [counted(counts[s], str(s)) for s in (Severity.ERROR, Severity.WARNING)]
    if counts[Severity.INFO]:
        said.append(f"{counts[Severity.INFO]} info")
    return ", ".join(said)


def looked_at(report: Report) -> str:
    """Return what the check looked at, in one line."""
    looked = report.looked_at
    said = [f"level {report.level}"]
    if looked.footers:
        said += [f"{counted(looked.footers, 'file')} in {counted(looked.shapes, 'shape')}", counted(looked.rows, "row")]
        said.append(counted(looked.snapshots, "snapshot"))
    if looked.rows_by_engine:
        by_engine = ", ".join(f"{engine} {number:,}" for engine, number in looked.rows_by_engine.items())
        said.append(f"values of {counted(looked.values_files, 'file')} compared, rows by engine: {by_engine}")
    if looked.proved_columns:
        said.append(f"{counted(looked.proved_columns, 'column')} proved to stay as before")
    if looked.filters:
        said.append(counted(looked.filters, "filter"))
    said.append(counted(looked.rules, "rule"))
    return " · ".join(said)


def evidence_lines(evidence: Evidence) -> Iterator[str]:
    """Return the evidence, one sentence a line."""
    if evidence.files:
        more = f", {counted(evidence.rows, 'row')}" + (
            f", {counted(evidence.shapes, 'shape')}" if evidence.shapes else ""
        )
        yield f"{evidence.files} of {counted(evidence.of_files, 'live file')}{more}"
        yield f"first: {evidence.first_file}"
    yield from evidence.facts
    for sample in evidence.samples[:3]:
        where = f"{sample.file or ''}" + (f" row {sample.row}" if sample.row is not None else "")
        engine = f" [{sample.engine}]" if sample.engine else ""
        yield f"{where}{engine}: {sample.before} -> {sample.after}"


def cause_line_and_column(finding: Finding) -> tuple[int, int] | None:
    """Return line and column of the cause of a finding, both from 1."""
    return None if finding.source is None else line_and_column(finding.source.text, finding.source.position)


def place(finding: Finding, report: Report) -> str:
    """Return the finding's place in the proposal: `file:line:column`."""
    found = cause_line_and_column(finding)
    name = (finding.source.file if finding.source is not None else None) or report.proposal_file or "sql"
    return name if found is None else f"{name}:{found[0]}:{found[1]}"


def one_line(finding: Finding) -> str:
    """Return the field and the fact."""
    return f"{finding.path}: {finding.message}" if finding.path else finding.message
