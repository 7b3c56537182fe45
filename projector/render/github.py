"""Render a report as GitHub workflow commands, which become annotations on the lines of a pull request."""

from __future__ import annotations

from projector.check.report.findings import Finding, Severity
from projector.check.report.report import Report
from projector.render.words import cause_line_and_column, one_line

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report) -> str:
    """Return one command for each deciding finding."""
    return "".join(_annotation(finding, report) + "\n" for finding in report.deciding)


def _annotation(finding: Finding, report: Report) -> str:
    facts = {"title": f"{finding.code} {finding.name}"}
    at = cause_line_and_column(finding)
    file = (finding.source.file if finding.source is not None else None) or report.proposal_file
    if file is not None and file != "stdin":
        line = {} if at is None else {"line": str(at[0]), "col": str(at[1])}
        facts = {"file": file, **line, **facts}
    text = one_line(finding) + (f"\nhelp: {finding.help}" if finding.help else "")
    properties = ",".join(f"{key}={_property(value)}" for key, value in facts.items())
    return f"::{_COMMANDS[finding.severity]} {properties}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
