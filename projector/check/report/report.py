"""The report of a check: what was proposed, what was read, and what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from projector.check.level import Level
from projector.check.report.findings import Finding, Severity
from projector.check.report.looked_at import NOTHING_LOOKED_AT, LookedAt, Unreadable
from projector.check.report.policy import Compatibility
from projector.errors import ProjectorError
from projector.schema.schema import Schema

SCHEMA_VERSION = 1
"""Version of the JSON form; it changes when a key changes its meaning. Published in docs/report.schema.json."""

NOT_UNDERSTOOD = "S000"
"""The code of the only finding on a proposal that could not be parsed. It is not a rule: rules check changes."""


class CheckFailedError(ProjectorError):
    """Raised for a report with errors.

    Attributes
    ----------
    report:
        The report.
    """

    def __init__(self, message: str, report: Report) -> None:
        super().__init__(message)
        self.report = report


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A suppressed finding, the place of the suppression, and its reason."""

    finding: Finding
    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """One shape of file and the origin of each column: a row of the matrix in the HTML report.

    `origins` maps each field id to its origin before and after the change, None if the schema does not have the field.
    """

    files: int
    rows: int
    first_file: str
    origins: Mapping[int, tuple[str | None, str | None]]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Rows of one file before and after the change, side by side, as text by field id."""

    file: str
    before: tuple[Mapping[int, str], ...]
    after: tuple[Mapping[int, str], ...]


@dataclass(frozen=True)
class Report:
    """The result of a check or an audit.

    Parameters
    ----------
    table:
        The table's location.
    proposal:
        The SQL text, or a sentence for other proposals; None for an audit.
    level, compatibility:
        How deep it read, and who must be able to read what.
    before, after:
        The schemas; `after` is None for an audit.
    findings:
        Deciding findings first, then by severity. A finding decides if the change introduces or worsens it, or if
        something could not be verified because of it; in an audit all do.
    looked_at, not_looked_at:
        Counts of what was read, and sentences on what was not.
    unreadable:
        Files that could not be read.
    suppressed, unused_suppressions:
        Suppressed findings, and sentences on suppressions that had no effect.
    notes:
        Remarks on the proposal that are not findings.
    proposal_file:
        The file that the proposal was read from.
    shapes, comparisons:
        Material for the HTML report.
    """

    table: str
    proposal: str | None
    level: Level
    compatibility: Compatibility
    before: Schema
    after: Schema | None
    findings: tuple[Finding, ...]
    looked_at: LookedAt = NOTHING_LOOKED_AT
    not_looked_at: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    unused_suppressions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    proposal_file: str | None = None
    shapes: tuple[ShapeRow, ...] = field(default=(), repr=False)
    comparisons: tuple[SideBySide, ...] = field(default=(), repr=False)

    @property
    def is_audit(self) -> bool:
        """Whether the table was audited, without a proposal."""
        return self.after is None

    @property
    def is_understood(self) -> bool:
        """Whether the proposal could be parsed."""
        return all(f.code != NOT_UNDERSTOOD for f in self.findings)

    @property
    def deciding(self) -> tuple[Finding, ...]:
        """The findings that decide: in an audit all; in a check new ones, and those that kept it from verifying."""
        return self.findings if self.is_audit else tuple(f for f in self.findings if f.decides)

    @property
    def existing(self) -> tuple[Finding, ...]:
        """The findings of a check that existed before the change and do not decide."""
        return () if self.is_audit else tuple(f for f in self.findings if not f.decides)

    @property
    def ok(self) -> bool:
        """Whether no deciding finding is an error."""
        return not self.fails(Severity.ERROR)

    def fails(self, fail_on: Severity | None) -> bool:
        """Return whether a deciding finding is at least this severe; None never fails."""
        return fail_on is not None and any(f.severity.rank <= fail_on.rank for f in self.deciding)

    def counts(self) -> dict[Severity, int]:
        """Return the number of deciding findings of each severity."""
        counted = Counter(f.severity for f in self.deciding)
        return {severity: counted[severity] for severity in Severity}

    def raise_for_errors(self) -> None:
        """Raise `CheckFailedError` if the report is not `ok`."""
        errors = [f for f in self.deciding if f.severity is Severity.ERROR]
        if errors:
            first = errors[0]
            more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
            path = f"{first.path}: " if first.path else ""
            raise CheckFailedError(f"The check found errors: {first.code} {path}{first.message}{more}", self)

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON values, by the schema in docs/report.schema.json."""
        import json

        return {
            "schema_version": SCHEMA_VERSION,
            "ok": self.ok,
            "table": self.table,
            "proposal": self.proposal,
            "proposal_file": self.proposal_file,
            "level": str(self.level),
            "compatibility": str(self.compatibility),
            "counts": {str(severity): n for severity, n in self.counts().items()},
            "findings": [finding.to_json() for finding in self.findings],
            "suppressed": [
                {"where": s.where, "reason": s.reason, "finding": s.finding.to_json()} for s in self.suppressed
            ],
            "unused_suppressions": list(self.unused_suppressions),
            "looked_at": self.looked_at.to_json(),
            "not_looked_at": list(self.not_looked_at),
            "unreadable": [{"file": u.file, "reason": u.reason} for u in self.unreadable],
            "notes": list(self.notes),
            "schema_before": json.loads(self.before.to_json()),
            "schema_after": None if self.after is None else json.loads(self.after.to_json()),
        }

    def _repr_html_(self) -> str:
        """Return the HTML page, for notebooks."""
        from importlib import import_module

        # Rendering is on a higher floor, but notebooks call this method of the report.
        page: str = import_module("projector.render.html").render(self)
        return page
