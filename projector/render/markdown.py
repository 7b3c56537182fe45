"""Render a report as Markdown, for a comment on a pull request."""

from __future__ import annotations

import html
from collections.abc import Iterator

from projector.check.report.findings import Finding, Severity
from projector.check.report.report import Report
from projector.check.rules import all_rules
from projector.render.words import counted, evidence_lines, looked_at, place, verdict
from projector.text import printable

_SIGNS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.INFO: "ℹ️"}
_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_[]<>|#~$"} | {"@": "@\u200b", "\n": " ", "\r": " "})


def render(report: Report) -> str:
    """Return the report as Markdown."""
    return "\n".join(_lines(report)) + "\n"


def escape(text: str) -> str:
    """Return text escaped for Markdown; it also mentions no GitHub user."""
    return printable(" ".join(text.splitlines())).translate(_SPECIAL)


def code(text: str) -> str:
    """Return text as code on one line, even if it holds backticks."""
    ticks = "`" * (max((len(run) for run in _runs(text)), default=0) + 1)
    shown = printable(" ".join(text.split()))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _runs(text: str) -> Iterator[str]:
    run = ""
    for character in text:
        if character == "`":
            run += character
        elif run:
            yield run
            run = ""
    if run:
        yield run


def _lines(report: Report) -> Iterator[str]:
    about = f" {code(report.proposal_file)}" if report.proposal_file else ""
    yield f"### projector {'audit' if report.is_audit else 'check'}{about}: {verdict(report)}"
    yield ""
    yield f"Table {code(report.table)}, {looked_at(report)}. Nothing was committed."
    yield ""
    if report.deciding:
        yield "| | rule | field | |"
        yield "|---|---|---|---|"
        for finding in report.deciding:
            where = code(finding.path).replace("|", "\\|") if finding.path else ""
            yield f"| {_SIGNS[finding.severity]} | {finding.code} | {where} | {escape(finding.message)} |"
        yield ""
        for finding in report.deciding:
            yield from _details(finding, report)
    if report.existing:
        yield f"{counted(len(report.existing), 'finding')} that the change does not cause."
        yield ""
    for taken in report.suppressed:
        yield f"- suppressed: {taken.finding.code} {escape(taken.finding.path or '')}: {escape(taken.reason)}"
    for text in report.unused_suppressions:
        yield f"- unused suppression: {escape(text)}"
    for text in report.notes:
        yield f"- note: {escape(text)}"
    for unreadable in report.unreadable[:5]:
        yield f"- not looked at: {code(unreadable.file)}: {escape(unreadable.reason)}"
    for text in report.not_looked_at:
        yield f"- not looked at: {escape(text)}"


def _details(finding: Finding, report: Report) -> Iterator[str]:
    head = f"{finding.severity} {finding.code} {finding.name}: {finding.path or ''}"
    inert = html.escape(printable(head)).replace("@", "@\u200b")
    yield f"<details><summary>{inert}</summary>"
    yield ""
    if finding.source is not None:
        text = finding.source.text[finding.source.position : finding.source.end or finding.source.position]
        yield f"{code(text)} ({escape(place(finding, report))})"
        yield ""
    for line in evidence_lines(finding.evidence):
        yield f"- {escape(line)}"
    rule = all_rules().get(finding.code)
    if rule is not None and rule.why:
        yield f"- **why** {escape(rule.why)}"
    if finding.help:
        yield f"- **help** {escape(finding.help)}"
    yield ""
    yield "</details>"
    yield ""
