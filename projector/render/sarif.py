"""Render reports as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from projector.check.report.findings import Finding, Severity
from projector.check.report.policy import severity_of
from projector.check.report.report import Report
from projector.check.rules import all_rules
from projector.render.words import cause_line_and_column, evidence_lines, one_line

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(*reports: Report) -> str:
    """Return reports as SARIF, all in one run, because code scanning accepts one run of a tool at a time."""
    codes = list(dict.fromkeys(f.code for report in reports for f in report.findings))
    firsts = {code: next(r for r in reports if any(f.code == code for f in r.findings)) for code in codes}
    run = {
        "tool": {
            "driver": {
                "name": "projector",
                "informationUri": "https://iceberg.apache.org/spec/#schema-evolution",
                "rules": [_rule(code, firsts[code]) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [result for report, before in _told_once(reports) for result in _results(report, codes, before)],
    }
    document = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _told_once(reports: Sequence[Report]) -> Iterator[tuple[Report, Collection[Finding]]]:
    """Yield the reports, each without findings outside the proposal that an earlier report already has."""
    told: set[tuple[object, ...]] = set()
    for report in reports:
        yield report, [f for f in report.existing if f.identity in told]
        told.update(f.identity for f in report.findings)


def _results(report: Report, codes: list[str], before: Collection[Finding]) -> list[dict[str, Any]]:
    return [
        *(_result(f, codes, report, []) for f in report.findings if f not in before),
        *(
            _result(s.finding, codes, report, [{"kind": "inSource", "justification": s.reason}])
            for s in report.suppressed
            if s.finding.code in codes
        ),
    ]


def _rule(code: str, report: Report) -> dict[str, Any]:
    rule = all_rules().get(code)
    first = next(f for f in report.findings if f.code == code)
    severity = severity_of(code, first.direction, report.compatibility)
    described: dict[str, Any] = {"id": code, "name": first.name, "defaultConfiguration": {"level": _LEVELS[severity]}}
    if rule is not None:
        described["shortDescription"] = {"text": rule.summary}
        described["fullDescription"] = {"text": rule.why}
        described["help"] = {"text": rule.sections().get("Instead", "")}
    return described


def _result(finding: Finding, codes: list[str], report: Report, suppressions: list[dict[str, str]]) -> dict[str, Any]:
    text = ". ".join([one_line(finding), *evidence_lines(finding.evidence), *([finding.help] if finding.help else [])])
    location: dict[str, Any] = {}
    if finding.path:
        logical = {"name": finding.path.rpartition(".")[2], "fullyQualifiedName": finding.path, "kind": "member"}
        location["logicalLocations"] = [logical]
    at = cause_line_and_column(finding)
    file = (finding.source.file if finding.source is not None else None) or report.proposal_file
    if not finding.is_new or report.is_audit:
        # The finding is about the table, not about a line of the proposal.
        location["physicalLocation"] = {"artifactLocation": {"uri": quote(report.table, safe="/:@")}}
    elif file is not None and file != "stdin":
        region: dict[str, int] = {"startLine": 1}
        if at is not None and finding.source is not None:
            end = finding.source.end or finding.source.position
            region = {"startLine": at[0], "startColumn": at[1]}
            region |= {"charOffset": finding.source.position, "charLength": end - finding.source.position}
        place = {"artifactLocation": {"uri": quote(file.replace("\\", "/"), safe="/:@")}, "region": region}
        location["physicalLocation"] = place
    # Identifies the finding, not its line: it stays the same finding if lines are added above it.
    identity = "\0".join([report.table, *map(str, finding.identity)])
    found: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "partialFingerprints": {"finding/v1": hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:32]},
        "properties": {"status": str(finding.status), "direction": finding.direction.name.lower()},
    }
    if not report.is_audit and finding.is_new:
        found["baselineState"] = "new"
    elif not report.is_audit:
        found["baselineState"] = "unchanged"
    if location:
        found["locations"] = [location]
    if suppressions:
        found["suppressions"] = suppressions
    return found
