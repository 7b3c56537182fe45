"""Render reports as JUnit XML: one test case for each rule that ran, failed by its errors."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

from projector.check.report.findings import Finding, Severity
from projector.check.report.report import Report
from projector.check.rules import all_rules
from projector.render.words import evidence_lines, one_line, place

# XML 1.0 cannot represent these.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(*reports: Report) -> str:
    """Return reports as JUnit XML, one suite for each."""
    suites = Xml.Element("testsuites", {"name": "projector"})
    made = [_suite(report) for report in reports]
    for total in ("tests", "failures", "errors"):
        suites.set(total, str(sum(int(suite.get(total, "0")) for suite in made)))
    suites.extend(made)
    Xml.indent(suites)
    return "<?xml version='1.0' encoding='utf-8'?>\n" + Xml.tostring(suites, encoding="unicode") + "\n"


def _suite(report: Report) -> Xml.Element:
    by_code: dict[str, list[Finding]] = {}
    for finding in report.deciding:
        by_code.setdefault(finding.code, []).append(finding)
    rules = {r.code: r.name for r in all_rules().values() if r.level <= report.level}
    rules |= {code: found[0].name for code, found in by_code.items()}
    failed = sum(any(f.severity is Severity.ERROR for f in found) for found in by_code.values())
    totals = {"tests": str(len(rules)), "failures": str(failed), "errors": "0"}
    about = f"{report.table} {report.proposal_file}" if report.proposal_file else report.table
    suite = Xml.Element("testsuite", {"name": _legal(about), **totals})
    for code, name in rules.items():
        case = Xml.SubElement(suite, "testcase", {"classname": "projector", "name": f"{code} {name}"})
        errors = [f for f in by_code.get(code, ()) if f.severity is Severity.ERROR]
        if errors:
            failure = Xml.SubElement(case, "failure", {"message": _legal(one_line(errors[0])), "type": code})
            failure.text = _legal("\n".join(_told(f, report) for f in errors))
        others = [f for f in by_code.get(code, ()) if f.severity is not Severity.ERROR]
        if others:
            Xml.SubElement(case, "system-out").text = _legal("\n".join(_told(f, report) for f in others))
    return suite


def _told(finding: Finding, report: Report) -> str:
    lines = [f"{finding.severity} {one_line(finding)} ({place(finding, report)})", *evidence_lines(finding.evidence)]
    return "\n  ".join([*lines, *([f"help: {finding.help}"] if finding.help else [])])


def _legal(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
