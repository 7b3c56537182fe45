"""The formats that a report can be written in, by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module

from projector.check.report import Report
from projector.errors import UnsupportedError

FORMATS: Mapping[str, str] = {
    "text": ".txt",
    "json": ".json",
    "markdown": ".md",
    "html": ".html",
    "sarif": ".sarif",
    "junit": ".xml",
    "github": "",
}
"""Formats, and the suffix that asks for each; `github` is asked for by name only."""


def render_report(report: Report, form: str) -> str:
    """The report in a format. Raises `UnsupportedError` for an unknown one."""
    if form == "json":
        return json.dumps(report.to_json(), ensure_ascii=False, indent=2) + "\n"
    if form not in FORMATS:
        raise UnsupportedError(f"Unknown format: {form!r}", hint=f"choose one of: {', '.join(FORMATS)}")
    text: str = import_module(f"projector.render.{form}").render(report)
    return text
