"""Leave out findings: by chosen codes, comments in the SQL, and entries of the configuration."""

from __future__ import annotations

import datetime
import fnmatch
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from projector.check.report.findings import Finding
from projector.check.report.report import Suppressed
from projector.evolution.sql.script import AlterScript
from projector.evolution.sql.tokens import tokenize

_COMMENT = re.compile(
    r"(?:--|/\*|^)[ \t*-]*(projector:[ \t]*ignore[ \t]+"
    r"([A-Z][A-Z0-9]*(?:[ \t]*,[ \t]*[A-Z][A-Z0-9]*)*)\b[ \t]*([^\r\n]*?)[ \t]*(?:\*/|\r|$))",
    re.MULTILINE,
)


def matches(code: str, prefixes: Iterable[str]) -> bool:
    """Return whether a code begins with one of the prefixes (`T`, `T1`, `T103`); `ALL` matches every code."""
    return any(prefix == "ALL" or code.startswith(prefix) for prefix in prefixes)


@dataclass(frozen=True, slots=True)
class Suppression:
    """A rule for findings to leave out.

    Parameters
    ----------
    codes:
        Prefixes of codes.
    reason:
        Why; a suppression without a reason is not applied.
    where:
        The place it is written at, for messages.
    table, path:
        Glob patterns for the table's location, or its last part, and for the field's path.
    until:
        The last day on which it applies.
    span:
        For a comment: offsets in the SQL of the statement that it applies to.
    """

    codes: tuple[str, ...]
    reason: str
    where: str
    table: str = "*"
    path: str = "*"
    until: datetime.date | None = None
    span: tuple[int, int] | None = None

    def applies_to(self, finding: Finding, table: str) -> bool:
        """Return whether it leaves out a finding."""
        if not matches(finding.code, self.codes):
            return False
        if self.span is not None:
            return finding.source is not None and self.span[0] <= finding.source.position < self.span[1]
        names = (table, table.rstrip("/").rsplit("/", 1)[-1])
        return any(fnmatch.fnmatchcase(name, self.table) for name in names) and (
            self.path == "*" or (finding.path is not None and fnmatch.fnmatchcase(finding.path, self.path))
        )

    @property
    def described(self) -> str:
        """The suppression in words."""
        return f"{self.where}: ignore {', '.join(self.codes)}"


@dataclass(frozen=True)
class Sifted:
    """The findings that are left, the suppressed ones, and sentences on suppressions that had no effect."""

    findings: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...] = ()
    unused: tuple[str, ...] = field(default=())


def inline(script: AlterScript | None) -> tuple[Suppression, ...]:
    """Return the suppressions in the comments of a SQL text: `-- projector: ignore T103 reason`, also in `/* */`.

    A comment alone on its line applies to the next statement, or to the statement that contains it. A comment after SQL
    on the same line applies to that statement.
    """
    if script is None:
        return ()
    tokens = tokenize(script.text, script.dialect)
    found = []
    for match in _COMMENT.finditer(script.text):
        at = match.start(1)
        if any(token.start <= at < token.end for token in tokens):
            continue  # inside a string or a quoted name
        line_start = script.text.rfind("\n", 0, at) + 1
        on_line = [t for t in tokens if t.kind != "end" and line_start <= t.start < at and t.value != ";"]
        if on_line:
            place = on_line[-1].start
            about = next((s for s in script.statements if s.start <= place < s.end), None)
        else:
            about = next((s for s in script.statements if s.end > at), None)
        line, _ = script.line_and_column(at)
        codes = tuple(code.strip() for code in match[2].split(","))
        span = (about.start, about.end) if about is not None else (0, 0)
        found.append(Suppression(codes, match[3].strip(), f"line {line}", span=span))
    return tuple(found)


def sift(
    findings: Sequence[Finding],
    table: str,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    suppressions: Sequence[Suppression] = (),
    today: datetime.date | None = None,
) -> Sifted:
    """Leave out findings that are not selected, are ignored, or are suppressed.

    Report suppressions without a reason, expired ones, and those that match no finding.
    """
    selected = [f for f in findings if (not select or matches(f.code, select)) and not matches(f.code, ignore)]
    day = today or datetime.date.today()
    unused: list[str] = []
    active: list[Suppression] = []
    for entry in suppressions:
        if not entry.reason:
            unused.append(f"{entry.described}: not applied, it has no reason")
        elif entry.until is not None and entry.until < day:
            unused.append(f"{entry.described}: not applied, it ended on {entry.until.isoformat()}")
        else:
            active.append(entry)
    used: set[int] = set()
    left: list[Finding] = []
    out: list[Suppressed] = []
    for finding in selected:
        matching = [i for i, entry in enumerate(active) if entry.applies_to(finding, table)]
        used.update(matching)
        if matching:
            entry = active[matching[0]]
            out.append(Suppressed(finding, entry.where, entry.reason))
        else:
            left.append(finding)
    unused += [f"{entry.described}: no such finding" for i, entry in enumerate(active) if i not in used]
    return Sifted(tuple(left), tuple(out), tuple(unused))
