"""Rules run over a change or a state, and what they find weighed: new or existing, and how grave."""

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
"""The rule for what is refused and that no other rule has explained."""


def rules_for(level: Level) -> tuple[Rule, ...]:
    """The rules that can say something at a level."""
    return tuple(rule for rule in all_rules().values() if rule.level <= level)


def audit_state(state: TableState, compatibility: Compatibility) -> tuple[Finding, ...]:
    """What there is to say of a table as it stands."""
    found = _state_findings(state)
    return _weighed((finding.filled(status=Status.EXISTING) for finding in found), compatibility)


def check_change(change: Change, compatibility: Compatibility) -> tuple[Finding, ...]:
    """What there is to say of a change: first what it does, then what was there before."""
    found: list[Finding] = []
    fallback = all_rules().get(FALLBACK)
    for rule in rules_for(change.before.level):
        if rule.on_change is not None and rule is not fallback:
            found += _named(rule, rule.on_change(change))
    explained = {id(finding.explains) for finding in found if finding.explains is not None}
    if fallback is not None and fallback.on_change is not None:
        found += (f for f in _named(fallback, fallback.on_change(change)) if id(f.explains) not in explained)
    said = {(finding.code, finding.field_id) for finding in found}
    for finding in _compared(change):
        better = all_rules()[finding.code].absorbed_by
        if not (finding.is_new and any((code, finding.field_id) in said for code in better)):
            found.append(finding)
    return _weighed(found, compatibility)


def _compared(change: Change) -> Iterable[Finding]:
    """The findings on the state after, each told from the one before that it equals."""
    if change.after is change.before:
        yield from (finding.filled(status=Status.EXISTING) for finding in _state_findings(change.before))
        return
    for rule in _state_rules(change.after):
        found = list(_of_state(rule, change.after))
        # What the state before would say is asked only where it can tell something of these: it may take long.
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


def _weighed(findings: Iterable[Finding], compatibility: Compatibility) -> tuple[Finding, ...]:
    """Severities by the policy; new findings before existing ones, the gravest first, then as they are written."""
    weighed = [f.filled(severity=severity_of(f.code, f.direction, compatibility)) for f in findings]

    def order(finding: Finding) -> tuple[bool, int, int, str]:
        position = finding.source.position if finding.source is not None else 1 << 30
        return not finding.decides, finding.severity.rank, position, finding.code

    return tuple(sorted(weighed, key=order))
