"""Render a report as one self-contained HTML page: schemas, findings, shapes by columns, rows side by side."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from projector.check.report.findings import Finding, Sample
from projector.check.report.report import Report, SideBySide
from projector.check.rules import all_rules
from projector.render.html_style import STYLE
from projector.render.words import evidence_lines, looked_at, one_line, place, verdict
from projector.schema.schema import Schema
from projector.schema.types import NestedField

# Tabs and line ends lay out SQL; other control characters would vanish, or hide the text beside them.
_CONTROLS = {
    c: chr(c).encode("unicode_escape").decode()
    for c in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    if c not in (9, 10, 13)
}


def escape(text: str) -> str:
    """Return text escaped for HTML, with control characters shown as escapes."""
    return html.escape(text.translate(_CONTROLS))


_MOST_FILES = 200
"""The most rows of the matrix. For a table with more shapes the page says so."""


def render(*reports: Report) -> str:
    """Return the page. Several reports follow each other below an index of their files."""
    title = f"projector {'audit' if reports[0].is_audit else 'check'}: {reports[0].table}"
    body = f"<h1>{escape(title)}</h1>{''.join(_index(reports))}"
    for number, report in enumerate(reports, 1):
        body += _report(report) if len(reports) == 1 else f'<section id="file-{number}">{_report(report)}</section>'
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    return f'<!doctype html><html lang="en"><head>{policy}{head}</head><body class="projector">{body}</body></html>\n'


def _index(reports: Sequence[Report]) -> Iterator[str]:
    if len(reports) > 1:
        yield "<ul>"
        for number, report in enumerate(reports, 1):
            name, said = escape(report.proposal_file or str(number)), escape(verdict(report))
            yield f'<li><a href="#file-{number}">{name}</a>: <span class="{_mood(report)}">{said}</span></li>'
        yield "</ul>"


def _mood(report: Report) -> str:
    return "ok" if report.ok else "bad"


def _report(report: Report) -> str:
    return "".join(
        (
            *_proposal(report),
            f'<p class="{_mood(report)}">{escape(verdict(report))}</p>',
            f"<p>{escape(looked_at(report))} · nothing was committed</p>",
            *_findings(report),
            *_schemas(report),
            *_matrix(report),
            *_comparisons(report),
            *_rest(report),
        )
    )


def _proposal(report: Report) -> Iterator[str]:
    if report.proposal is not None:
        name = f" ({escape(report.proposal_file)})" if report.proposal_file else ""
        yield f"<h2>Proposal{name}</h2><pre>{escape(report.proposal)}</pre>"


def _findings(report: Report) -> Iterator[str]:
    yield "<h2>Findings</h2>"
    if not report.findings:
        yield "<p>None.</p>"
    for finding in report.findings:
        yield from _finding(finding, report)


def _finding(finding: Finding, report: Report) -> Iterator[str]:
    status = "" if report.is_audit else f' <span class="status">{escape(str(finding.status))}</span>'
    yield f'<details class="finding {finding.severity}"{" open" if finding.decides else ""}><summary>'
    yield f"<b>{escape(finding.code)}</b> {escape(finding.name)}{status}: {escape(one_line(finding))}</summary><dl>"
    if finding.source is not None:
        words = finding.source.text[finding.source.position : finding.source.end or finding.source.position]
        yield f"<dt>{escape(place(finding, report))}</dt><dd><code>{escape(words)}</code></dd>"
    lines = list(evidence_lines(finding.evidence))
    if lines:
        yield f"<dt>evidence</dt><dd>{'<br>'.join(map(escape, lines))}</dd>"
    rule = all_rules().get(finding.code)
    if rule is not None:
        yield f"<dt>why</dt><dd>{escape(rule.why)}</dd>"
    if finding.help:
        yield f"<dt>help</dt><dd>{escape(finding.help)}</dd>"
    yield "</dl>"
    if finding.evidence.samples:
        yield from _samples(finding.evidence.samples)
    yield "</details>"


def _samples(samples: tuple[Sample, ...]) -> Iterator[str]:
    yield "<table><tr><th>file</th><th>row</th><th>engine</th><th>before</th><th>after</th></tr>"
    for s in samples:
        cells = (s.file or "", "" if s.row is None else s.row, s.engine or "", s.before, s.after)
        yield f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in cells)}</tr>"
    yield "</table>"


def _schemas(report: Report) -> Iterator[str]:
    yield '<h2>Schema</h2><div class="side">'
    other = report.after or report.before
    yield f"<div><h3>{'Now' if report.is_audit else 'Before'}</h3>{_tree(report.before, other, 'gone')}</div>"
    if report.after is not None:
        yield f"<div><h3>After</h3>{_tree(report.after, report.before, 'new')}</div>"
    yield "</div>"


def _tree(schema: Schema, other: Schema, mark: str) -> str:
    """Return the schema as nested lists. Fields that are missing or different in the other schema are marked."""

    def item(field: NestedField) -> str:
        twin = other.fields_by_id.get(field.field_id)
        nested = not field.field_type.is_primitive
        changed = twin is not None and (
            twin.name != field.name
            or twin.required != field.required
            or (twin.field_type != field.field_type and not nested)
        )
        kind = mark if twin is None else "changed" if changed else ""
        shape = field.field_type.short_name
        need = " required" if field.required else ""
        inside = "".join(item(child) for child in _children(field))
        label = f'<span class="id">{field.field_id}</span> {escape(field.name)} <i>{escape(shape)}{need}</i>'
        return f'<li class="{kind}">{label}{f"<ul>{inside}</ul>" if inside else ""}</li>'

    return f'<ul class="tree">{"".join(item(field) for field in schema.fields)}</ul>'


def _children(field: NestedField) -> tuple[NestedField, ...]:
    from projector.schema.types import children

    return children(field.field_type)


def _matrix(report: Report) -> Iterator[str]:
    """Return the matrix of shapes by columns, with each cell coloured by where its values come from."""
    if not report.shapes:
        return
    columns = dict.fromkeys((*report.before.paths_by_id, *(report.after or report.before).paths_by_id))
    names = {i: ".".join(_path(report, i)) for i in columns}
    yield "<h2>Where values come from</h2><div class='wide'><table class='matrix'><tr><th>files</th><th>rows</th>"
    yield "".join(f'<th title="id {i}">{escape(names[i])}</th>' for i in columns) + "<th>first file</th></tr>"
    for shape in report.shapes[:_MOST_FILES]:
        yield f"<tr><td>{shape.files}</td><td>{shape.rows}</td>"
        for i in columns:
            before, after = shape.origins.get(i, (None, None))
            said = before or "" if before == after else f"{before or 'not there'} → {after or 'gone'}"
            kind = (after or before or "absent").replace(" ", "-")
            differs = " differs" if before != after else ""
            yield f'<td class="o-{escape(kind)}{differs}" title="{escape(said)}">{escape(said)}</td>'
        yield f"<td>{escape(shape.first_file)}</td></tr>"
    yield "</table></div>"
    if len(report.shapes) > _MOST_FILES:
        yield f"<p>and {len(report.shapes) - _MOST_FILES} more shapes</p>"


def _path(report: Report, field_id: int) -> tuple[str, ...]:
    after = (report.after or report.before).paths_by_id
    return after.get(field_id) or report.before.paths_by_id[field_id]


def _comparisons(report: Report) -> Iterator[str]:
    if report.comparisons:
        yield "<h2>Rows before and after</h2>"
    for comparison in report.comparisons:
        yield from _comparison(report, comparison)


def _comparison(report: Report, comparison: SideBySide) -> Iterator[str]:
    after_schema = report.after or report.before
    yield f"<h3>{escape(comparison.file)}</h3><div class='side'>"
    for title, schema, rows, others in (
        ("Before", report.before, comparison.before, comparison.after),
        ("After", after_schema, comparison.after, comparison.before),
    ):
        fields = [field for field in schema.fields if any(field.field_id in row for row in rows)]
        heads = "".join(f"<th>{escape(field.name)}</th>" for field in fields)
        yield f"<div class='wide'><h4>{title}</h4><table><tr>{heads}</tr>"
        for row, other in zip(rows, others, strict=True):
            cells = "".join(
                f"<td{'' if other.get(f.field_id) == row.get(f.field_id) else ' class=differs'}>"
                f"{escape(row.get(f.field_id, ''))}</td>"
                for f in fields
            )
            yield f"<tr>{cells}</tr>"
        yield "</table></div>"
    yield "</div>"


def _rest(report: Report) -> Iterator[str]:
    said = [f"suppressed: {s.finding.code} {one_line(s.finding)}: {s.reason} ({s.where})" for s in report.suppressed]
    said += [f"unused suppression: {text}" for text in report.unused_suppressions]
    said += [f"note: {text}" for text in report.notes]
    said += [f"not looked at: {u.file}: {u.reason}" for u in report.unreadable]
    said += [f"not looked at: {text}" for text in report.not_looked_at]
    if said:
        yield f"<h2>Also</h2><ul>{''.join(f'<li>{escape(text)}</li>' for text in said)}</ul>"
