"""The formats in which a report can be written, by name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module

from projector.check.report.report import SCHEMA_VERSION, Report
from projector.errors import UnsupportedError
from projector.render.text import render as render_text

FORMATS: Mapping[str, str] = {
    "text": ".txt",
    "json": ".json",
    "markdown": ".md",
    "html": ".html",
    "sarif": ".sarif",
    "junit": ".xml",
    "github": "",
}
"""The formats, each with the file suffix that selects it; `github` is selected only by name."""


def render_report(report: Report, form: str) -> str:
    """Return a report in a format. Raises `UnsupportedError` for an unknown format."""
    if form == "json":
        return json.dumps(report.to_json(), ensure_ascii=False, indent=2) + "\n"
    if form not in FORMATS:
        raise UnsupportedError(f"Unknown format: {form!r}", hint=f"choose one of: {', '.join(FORMATS)}")
    text: str = import_module(f"projector.render.{form}").render(report)
    return text


def render_reports(reports: Sequence[Report], form: str) -> str:
    """Return the reports on several proposals as one document; a single report is rendered as `render_report` renders
    it.

    JSON lists them under `reports`. SARIF has all results in one run, JUnit a suite for each report, HTML one page with
    an index. Text and Markdown follow each other, each with the name of its file.
    """
    if len(reports) == 1:
        return render_report(reports[0], form)
    match form:
        case "json":
            document = {"schema_version": SCHEMA_VERSION, "reports": [report.to_json() for report in reports]}
            return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        case "sarif" | "junit" | "html":
            both: str = import_module(f"projector.render.{form}").render(*reports)
            return both
        case "text":
            return "\n".join(render_text(report, named=True) for report in reports)
        case _:
            return "\n".join(render_report(report, form) for report in reports)
