"""Run rules over a change or a state, and give each finding its status (new or existing) and its severity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from projector.check.change.change import Change
from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Finding, Status
from projector.check.report.policy import Compatibility, severity_of
from projector.check.rules import all_rules

FALLBACK: Final = "S100"
"""The rule for refusals that no other rule explains."""


def rules_for(level: Level) -> tuple[Rule, ...]:
    """Return the rules that can find something at a level."""
    return tuple(rule for rule in all_rules().values() if rule.level <= level)


def audit_state(state: TableState, compatibility: Compatibility) -> tuple[Finding, ...]:
    """Return the findings on a table as it is."""
    found = _state_findings(state)
    return _with_severity((finding.filled(status=Status.EXISTING) for finding in found), compatibility)


def check_change(change: Change, compatibility: Compatibility) -> tuple[Finding, ...]:
    """Return the findings on a change: those that decide first, then existing ones."""
    found: list[Finding] = []
    fallback = all_rules().get(FALLBACK)
    for rule in rules_for(change.before.level):
        if rule.on_change is not None and rule is not fallback:
            found += _named(rule, rule.on_change(change))
    explained = {id(finding.explains) for finding in found if finding.explains is not None}
    if fallback is not None and fallback.on_change is not None:
        found += (f for f in _named(fallback, fallback.on_change(change)) if id(f.explains) not in explained)
    said = {(finding.code, finding.field_id) for finding in found}
    for finding in _with_status(change):
        better = all_rules()[finding.code].absorbed_by
        if not (finding.is_new and any((code, finding.field_id) in said for code in better)):
            found.append(finding)
    return _with_severity(found, compatibility)


def _with_status(change: Change) -> Iterable[Finding]:
    """Yield the findings on the state after a change, with their status by comparison with the state before."""
    if change.after is change.before:
        yield from (finding.filled(status=Status.EXISTING) for finding in _state_findings(change.before))
        return
    for rule in _state_rules(change.after):
        found = list(_of_state(rule, change.after))
        # Run the rule on the state before only if there is something to compare: it may take long.
        earlier = tuple(_of_state(rule, change.before)) if found else ()
        known = {finding.identity: finding for finding in earlier}
        troubles = frozenset().union(*(finding.troubles for finding in earlier))
        for finding in found:
            was = known.get(finding.identity)
            if was is None:
                failed_before = finding.troubles and finding.troubles <= troubles
                status = Status.EXISTING if failed_before else Status.INTRODUCED
            elif finding.evidence.files > was.evidence.files:
                status = Status.WORSENED
            else:
                status = Status.EXISTING
            source = finding.source or (change.source(finding.field_id) if status is not Status.EXISTING else None)
            yield finding.filled(status=status, source=source)


def _state_findings(state: TableState) -> Iterator[Finding]:
    return (finding for rule in _state_rules(state) for finding in _of_state(rule, state))


def _state_rules(state: TableState) -> Iterator[Rule]:
    return (rule for rule in rules_for(state.level) if rule.on_state is not None)


def _of_state(rule: Rule, state: TableState) -> Iterable[Finding]:
    return () if rule.on_state is None else _named(rule, rule.on_state(state))


def _named(rule: Rule, findings: Iterable[Finding]) -> Iterable[Finding]:
    return (finding.filled(code=rule.code, name=rule.name) for finding in findings)


def _with_severity(findings: Iterable[Finding], compatibility: Compatibility) -> tuple[Finding, ...]:
    """Return findings with severities by the policy, sorted: deciding ones first, then by severity and source."""
    found = [f.filled(severity=severity_of(f.code, f.direction, compatibility)) for f in findings]

    def order(finding: Finding) -> tuple[bool, int, int, str]:
        position = finding.source.position if finding.source is not None else 1 << 30
        return not finding.decides, finding.severity.rank, position, finding.code

    return tuple(sorted(found, key=order))
