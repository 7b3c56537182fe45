"""A labelled case: a table, a change, and what one rule must say of it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import projector
from projector.api.table import Table
from projector.check.report.report import Report
from tests.check.faults import Spoil, planted
from tests.check.tables import Maker


@dataclass(frozen=True)
class Case:
    """One case of one rule; the file it stands in is named after the rule's code.

    Parameters
    ----------
    description:
        What is the case, in a few words.
    table:
        Makes the table.
    change:
        SQL, an `UpdateSchema`, a `Transaction`, a schema; None for an audit.
    expect:
        The paths of the fields that the rule must find, exactly; `""` for a finding without a field. Empty for a near
        miss. Of a check only what decides counts, of an audit everything.
    severity:
        What the findings must weigh, if anything.
    how:
        Further arguments of `projector.check`.
    fault:
        A fault to plant in the Arrow engine.
    """

    description: str
    table: Maker
    change: Any
    expect: tuple[str, ...] = ()
    severity: str | None = None
    how: dict[str, Any] = field(default_factory=dict)
    fault: Spoil | None = None

    def report(self, folder: Path) -> Report:
        """Make the table and check the change."""
        made = self.table(folder)
        with planted(self.fault) if self.fault is not None else nullcontext():
            return self._checked(made)

    def _checked(self, made: Table) -> Report:
        match self.change:
            case None:
                return projector.check(made, **self.how)
            case str():
                return projector.check(made, sql=self.change, **self.how)
            case projector.UpdateSchema() | projector.Transaction():
                return projector.check(made, self.change, **self.how)
            case _:
                return projector.check(made, schema=self.change, **self.how)
