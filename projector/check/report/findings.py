"""Findings of rules: a fact about a change or a table, its direction, and the evidence for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from projector.check.report.refusal import Refusal
from projector.evolution.operations.schema import Source
from projector.text import line_and_column


class Severity(StrEnum):
    """How severe a finding is under a policy."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for an error, the most severe; one more for each step down."""
        return list(Severity).index(self)


class Direction(StrEnum):
    """What a fact means for data and readers. A rule states it; `policy` maps it to a severity."""

    CANNOT_APPLY = "cannot be applied"
    """The change is rejected: by the spec, by Iceberg, or because it does not fit this table."""
    OLD_DATA_UNREADABLE = "old data unreadable"
    """Files written before the change cannot be read under the schema."""
    OLD_VALUES_CHANGE = "old values change"
    """Files written before the change can be read, but their values differ from those before."""
    OLD_DATA_AT_RISK = "old data at risk"
    """Valid by the spec, but known to go wrong with data like this in readers that are in use."""
    OLD_READERS_BREAK = "old readers break"
    """Readers with the schema before the change cannot read, or miss, data that is written after it."""
    QUERY_BREAKS = "query breaks"
    """A downstream query no longer runs, or returns other rows."""
    READERS_DISAGREE = "readers disagree"
    """Readers in use return different rows for this table, or some refuse it."""
    NEXT_CHANGE_AT_RISK = "next change at risk"
    """Reading works; a later change will be rejected or go wrong."""
    UNVERIFIED = "unverified"
    """A file could not be checked, or contradicts what the check relies on, so the change is not known to be safe. It
    decides a check even if it existed before."""
    METADATA_INVALID = "metadata invalid"
    """The metadata or a file contradicts the spec."""
    ADVICE = "advice"
    """Worth knowing."""


class Status(StrEnum):
    """How a finding relates to the change."""

    INTRODUCED = "introduced"
    WORSENED = "worsened"
    EXISTING = "existing"


@dataclass(frozen=True, slots=True)
class Sample:
    """One place where a fact shows: a row of a file, or a file, and the values as text."""

    file: str | None
    before: str
    after: str
    row: int | None = None
    engine: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the sample as JSON."""
        return {"file": self.file, "row": self.row, "engine": self.engine, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The files and rows that show a fact, counted.

    Parameters
    ----------
    files, of_files:
        Data files that show the fact, out of the files that were checked.
    rows:
        Rows in those files, by their own footers.
    shapes:
        Distinct shapes among those files.
    first_file:
        The path of the first of them, as the manifest spells it.
    facts:
        Further facts, each a short sentence.
    samples:
        Places where the fact shows.
    """

    files: int = 0
    of_files: int = 0
    rows: int = 0
    shapes: int = 0
    first_file: str | None = None
    facts: tuple[str, ...] = ()
    samples: tuple[Sample, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.facts or self.samples)

    def to_json(self) -> dict[str, Any]:
        """Return the evidence as JSON."""
        return {
            "files": self.files,
            "of_files": self.of_files,
            "rows": self.rows,
            "shapes": self.shapes,
            "first_file": self.first_file,
            "facts": list(self.facts),
            "samples": [sample.to_json() for sample in self.samples],
        }


NO_EVIDENCE = Evidence()


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact that a rule states.

    Parameters
    ----------
    message:
        The fact, as one line without the path in front.
    direction:
        What it means for data and readers.
    path, field_id:
        The field that it is about: its dotted path (after the change, if it still exists) and its id.
    help:
        What to do instead, as one line.
    source:
        The place in the text of the operation that caused it; None for an `UpdateSchema`, a schema, or no operation.
    key:
        Distinguishes findings of one code on one field. A finding before and one after the change with equal code,
        field and key are the same finding.
    troubles:
        What readers fail on, whichever field has it. If findings of the code had all of it before the change, a finding
        on another field is not new: the readers failed already.
    explains:
        The refusal that it explains, for findings that say why something cannot be applied.
    code, name:
        The code and name of the rule. `run_rules` fills in these and the next two.
    severity, status:
        By the policy, and by comparing the states before and after.
    """

    message: str
    direction: Direction
    path: str | None = None
    field_id: int | None = None
    evidence: Evidence = NO_EVIDENCE
    help: str | None = None
    source: Source | None = field(default=None, compare=False)
    key: str = ""
    troubles: frozenset[str] = frozenset()
    explains: Refusal | None = field(default=None, compare=False, repr=False)
    code: str = ""
    name: str = ""
    severity: Severity = Severity.ERROR
    status: Status = Status.INTRODUCED

    @property
    def identity(self) -> tuple[str, int | str | None, str]:
        """The key by which a finding before a change and one after it are the same."""
        return self.code, self.field_id if self.field_id is not None else self.path, self.key

    @property
    def is_new(self) -> bool:
        """Whether the change introduced or worsened it."""
        return self.status is not Status.EXISTING

    @property
    def decides(self) -> bool:
        """Whether it decides a check: it is new, or it kept the check from verifying something."""
        return self.is_new or self.direction is Direction.UNVERIFIED

    def filled(self, **changes: Any) -> Finding:
        """Return the finding with some attributes replaced."""
        return replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        source: Mapping[str, Any] | None = None
        if self.source is not None:
            start = self.source.position
            end = self.source.end if self.source.end is not None else start
            line, column = line_and_column(self.source.text, start)
            source = {
                "start": start,
                "end": end,
                "line": line,
                "column": column,
                "text": self.source.text[start:end],
            }
        return {
            "code": self.code,
            "name": self.name,
            "severity": str(self.severity),
            "status": str(self.status),
            "direction": self.direction.name.lower(),
            "path": self.path,
            "field_id": self.field_id,
            "message": self.message,
            "help": self.help,
            "evidence": self.evidence.to_json(),
            "source": source,
        }
