"""Render a report as text for a terminal: each finding below the words of the statement that cause it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from projector.check.report.findings import Finding, Severity, Status
from projector.check.report.report import Report
from projector.check.rules import all_rules
from projector.evolution.operations.schema import Source
from projector.render.words import counted, evidence_lines, looked_at, verdict
from projector.text import line_and_column, printable

if TYPE_CHECKING:
    from rich.text import Text

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold blue"}

Line = list[tuple[str, str]]
"""Pieces of text, each with a rich style."""


def render(
    report: Report,
    *,
    color: bool = False,
    verbose: bool = False,
    outcome: str = "nothing was committed",
    named: bool = False,
    width: int | None = None,
) -> str:
    """Return the report as text.

    Parameters
    ----------
    color:
        Whether to use terminal colours.
    verbose:
        Also show existing and suppressed findings in full.
    outcome:
        What happened to the change, for the last line.
    named:
        Begin with the name of the proposal's file, to tell the reports on several files apart.
    width:
        The columns to wrap to, between words; excerpts are not wrapped. By default nothing is wrapped.
    """
    from rich.console import Console
    from rich.text import Text

    out = io.StringIO()
    console = Console(
        file=out, force_terminal=color, no_color=not color, width=1_000_000, highlight=False, soft_wrap=True
    )
    head: list[Line] = [[(f"== {report.proposal_file or 'sql'}", "bold")], []] if named else []
    for line in (*head, *_lines(report, verbose, outcome)):
        whole = Text.assemble(*((printable(text), style) for text, style in line))
        for part in (whole,) if width is None or _is_excerpt(line) else _wrapped(whole, _hang(line), width):
            console.print(part)
    return out.getvalue()


def _is_excerpt(line: Line) -> bool:
    """Return whether a line is one of the proposal's, or its marks, which wrapping would separate."""
    return bool(line) and line[0][0].endswith("| ")


def _hang(line: Line) -> int:
    """Return the indentation of the continuation lines of a wrapped line: up to the end of its label, if it has one."""
    label = line[0][0] if line else ""
    return _width(label) if len(line) > 1 and label.endswith(" ") else 2 + len(label) - len(label.lstrip())


def _wrapped(text: Text, hang: int, width: int) -> Iterator[Text]:
    """Yield the lines of a text, wrapped. A word longer than a line stays whole; rich would break it."""
    from rich.text import Text

    plain, breaks, start, room = text.plain, [], 0, width
    for word in re.finditer(r"\S+", plain):
        if word.start() > max(start, hang) and _width(plain[start : word.end()]) > room:
            start, room = word.start(), max(20, width - hang)
            breaks.append(start)
    for number, part in enumerate(text.divide(breaks)):
        part.rstrip()
        yield part if number == 0 else Text.assemble(" " * hang, part)


def _lines(report: Report, verbose: bool, outcome: str) -> Iterator[Line]:
    for finding in report.deciding if not verbose else report.findings:
        yield from _finding(finding, report)
        yield []
    if report.existing and not verbose:
        codes = ", ".join(sorted({f.code for f in report.existing}))
        yield [
            ("existing  ", "bold"),
            (f"{counted(len(report.existing), 'finding')} that the change does not cause: ", ""),
        ]
        yield [(f"          {codes}; `projector audit` shows them", "")]
        yield []
    for taken in report.suppressed:
        where = f"{taken.finding.code} {taken.finding.path or ''}".strip()
        yield [("suppressed ", "dim"), (f"{where}: {taken.reason} ({taken.where})", "dim")]
    for text in report.unused_suppressions:
        yield [("unused suppression ", "yellow"), (text, "")]
    for text in report.notes:
        yield [("note ", "bold"), (text, "")]
    yield from _summary(report, outcome)


def _finding(finding: Finding, report: Report) -> Iterator[Line]:
    style = _STYLES[finding.severity]
    status = "" if finding.status is Status.INTRODUCED else f" ({finding.status})"
    head = f"{finding.severity}[{finding.code} {finding.name}]"
    about = f"{finding.path}: " if finding.path else ""
    yield [(head, style), (f"{status}: {about}{finding.message}", "bold")]
    if finding.source is not None:
        yield from _excerpt(finding.source, report.proposal_file, style)
    for label, text in _explanation(finding):
        yield [(f"  {label:<9} ", "cyan"), (text, "")]


def _excerpt(source: Source, file: str | None, style: str) -> Iterator[Line]:
    """Return the line on which the operation begins, with its words underlined."""
    number, column = line_and_column(source.text, source.position)
    line_start = source.position - (column - 1)
    line_end = source.text.find("\n", source.position)
    line = source.text[line_start : line_end if line_end >= 0 else len(source.text)].rstrip()
    end = min(source.end if source.end is not None else source.position + 1, line_start + len(line))
    indent = len(line) - len(line.lstrip())
    shown, column = line[indent:].replace("\t", " "), column - 1 - indent
    gutter = " " * len(str(number))
    # Columns count characters, as editors do; the marks follow the columns of a terminal.
    blank, marked = shown[:column], shown[column : end - line_start - indent]
    yield [(f"  --> {source.file or file or 'sql'}:{number}:{column + indent + 1}", "dim")]
    yield [(f"  {number} | ", "dim"), (shown, "")]
    yield [(f"  {gutter} | ", "dim"), (" " * _width(blank) + "^" * max(1, _width(marked)), style)]


def _width(text: str) -> int:
    """Return how many terminal columns a text takes: control characters are escaped, wide ones take two."""
    from rich.cells import cell_len

    return cell_len(printable(text))


def _explanation(finding: Finding) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(evidence_lines(finding.evidence)):
        yield "" if number else "evidence", line
    rule = all_rules().get(finding.code)
    if rule is not None and rule.why:
        yield "why", rule.why
    if finding.help:
        yield "help", finding.help


def _summary(report: Report, outcome: str) -> Iterator[Line]:
    style = "bold red" if report.counts()[Severity.ERROR] else "bold green"
    yield [(verdict(report), style), (f" · {looked_at(report)} · {outcome}", "")]
    if report.unreadable:
        first, number = report.unreadable[0], counted(len(report.unreadable), "unreadable file")
        yield [(f"not looked at: {number}, first {first.file}: {first.reason}", "yellow")]
    for text in report.not_looked_at:
        yield [(f"not looked at: {text}", "dim")]
