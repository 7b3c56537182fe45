"""What a rule finds: a fact about a change or a table, which way it moves things, and the evidence for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from projector.check.report.refusal import Refusal
from projector.evolution.operations.schema import Source
from projector.text import line_and_column


class Severity(StrEnum):
    """How much a finding matters under a policy."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for an error, the gravest; one more for each step down."""
        return list(Severity).index(self)


class Direction(StrEnum):
    """Which way a fact moves things. A rule states it; `policy` makes a severity of it."""

    CANNOT_APPLY = "cannot be applied"
    """The change is refused: by the spec, by Iceberg, or because it cannot be said of this table."""
    OLD_DATA_UNREADABLE = "old data unreadable"
    """Files written before cannot be read under the schema."""
    OLD_VALUES_CHANGE = "old values change"
    """Files written before can be read, and give other values than before."""
    OLD_DATA_AT_RISK = "old data at risk"
    """Right by the spec, and known to go wrong with data like this in readers that are in use."""
    OLD_READERS_BREAK = "old readers break"
    """Who reads with the schema before cannot read, or misses, what is written after."""
    QUERY_BREAKS = "query breaks"
    """A query that was given no longer runs, or gives other rows."""
    READERS_DISAGREE = "readers disagree"
    """Readers in use give different rows for this table, or some refuse it."""
    NEXT_CHANGE_AT_RISK = "next change at risk"
    """Nothing is wrong with reading; a later change will be refused or go wrong."""
    UNVERIFIED = "unverified"
    """A file could not be looked at, or contradicts what the check relies on, so the change is not known to be safe. It
    decides a check even if it was so before."""
    METADATA_INVALID = "metadata invalid"
    """The metadata or a file contradicts the spec."""
    ADVICE = "advice"
    """Worth knowing."""


class Status(StrEnum):
    """What a finding owes to the change."""

    INTRODUCED = "introduced"
    WORSENED = "worsened"
    EXISTING = "existing"


@dataclass(frozen=True, slots=True)
class Sample:
    """One place where it shows: a row of a file, or a file alone, and the values as text."""

    file: str | None
    before: str
    after: str
    row: int | None = None
    engine: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The sample as JSON."""
        return {"file": self.file, "row": self.row, "engine": self.engine, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was counted.

    Parameters
    ----------
    files, of_files:
        Data files that show the fact, among those that were looked at.
    rows:
        Rows in those files, by their own footers.
    shapes:
        Distinct shapes among those files.
    first_file:
        The first of them, as the manifest spells it.
    facts:
        Further facts, each a short sentence.
    samples:
        Places where it shows.
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
        """The evidence as JSON."""
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
        The fact, as one line without the path at its front.
    direction:
        Which way it moves things.
    path, field_id:
        The field it is about: its dotted path (after the change, where it is still there) and its id.
    help:
        What to do instead, as one line.
    source:
        Where the operation that does it is written; None for an `UpdateSchema` or a schema, or for no operation.
    key:
        Tells findings of one code apart that are about one field; a finding before and one after the change with equal
        code, field and key are the same finding.
    troubles:
        What readers stumble over whichever field has it. If findings of the code had all of it before the change, one
        on another field is not new: the readers failed already.
    explains:
        The refused operation that it is about, for findings that say why something cannot be applied.
    code, name:
        Of the rule. The runner fills them in, and the two that follow.
    severity, status:
        By the policy, and by comparison of before and after.
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
        """What makes two findings the same one, before and after a change."""
        return self.code, self.field_id if self.field_id is not None else self.path, self.key

    @property
    def is_new(self) -> bool:
        """Whether the change introduced or worsened it."""
        return self.status is not Status.EXISTING

    @property
    def decides(self) -> bool:
        """Whether it decides a check: it is new, or the check could not verify something because of it."""
        return self.is_new or self.direction is Direction.UNVERIFIED

    def filled(self, **changes: Any) -> Finding:
        """The finding with some of its parts replaced."""
        return replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON."""
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
