"""Render the documentation pages of rules from the docstrings of their modules."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from projector.check.kit.known_failures import FAILURES
from projector.check.kit.rule import HEADINGS, Rule
from projector.check.report.policy import POLICY

_LEVELS = {"schema": "metadata alone", "footers": "footers of live files", "values": "values in live files"}


def page(rule: Rule) -> str:
    """Return the page of one rule, in Markdown."""
    looks = "a change" if rule.on_change is not None else "a table, before and after a change"
    lines = [f"# {rule.code} {rule.name}", "", rule.summary, ""]
    lines += [f"Family: {rule.family}. Looks at {looks}; needs {_LEVELS[str(rule.level)]}.", ""]
    sections = rule.sections()
    for heading in HEADINGS:
        body = sections[heading]
        if heading == "Example" and "\n\n" not in body and body.upper().startswith("ALTER"):
            statement, comma, rest = body.partition(", where")
            body = f"```sql\n{statement}\n```" + (f"\n\n{rest.strip().capitalize()}." if comma else "")
        lines += [f"## {heading}", "", body, ""]
    return "\n".join(lines)


def index(rules: Mapping[str, Rule]) -> str:
    """Return the page that lists all rules and explains how severities are decided."""
    lines = ["# Rules", "", "Made by `projector rules --write docs/rules` from the rules' own modules.", ""]
    for family, members in groupby(rules.values(), key=lambda rule: rule.family):
        lines += [f"## {family.name}: {family}", "", "| code | name | level | |", "|---|---|---|---|"]
        lines += [f"| [{r.code}]({r.code.lower()}.md) | {r.name} | {r.level} | {r.summary} |" for r in members]
        lines.append("")
    lines += [
        "## Severity",
        "",
        "A rule says which way a fact moves things; the compatibility asked for makes a severity of it.",
        "",
    ]
    lines += ["| direction | backward | forward | full | none |", "|---|---|---|---|---|"]
    lines += [f"| {direction} | {' | '.join(map(str, row))} |" for direction, row in POLICY.items()]
    return "\n".join([*lines, "", *_coverage(), ""])


def _coverage() -> list[str]:
    """Return the table of known failures."""
    lines = [
        "## Known failures",
        "",
        "Ways in which evolved tables are known to fail, and the rules that find them.",
        "",
    ]
    lines += ["| | failure | rules |", "|---|---|---|"]
    for failure in FAILURES:
        found = [f"[{code}]({code.lower()}.md)" for code in failure.codes]
        said = "; ".join(part for part in (", ".join(found), failure.unless) if part)
        lines.append(f"| {failure.number} | {failure.what} | {said} |")
    return lines
