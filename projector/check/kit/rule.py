"""Define rules: code, level, function, and the documentation in the docstring of the rule's module."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from projector.check.level import Level
from projector.check.report.findings import Finding

if TYPE_CHECKING:
    from projector.check.change.change import Change
    from projector.check.evidence.state import TableState


class Family(StrEnum):
    """The subject of a rule; its letter begins the rule's code."""

    T = "types"
    N = "nullability and defaults"
    D = "deletion"
    R = "rename and mapping"
    S = "structure"
    P = "partitioning and sort order"
    F = "files"
    X = "portability"


HEADINGS = ("What it does", "Why it matters", "Evidence", "Example", "Instead", "Reference")
"""The headings of a rule's documentation, in order."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. Exactly one of `on_change` and `on_state` is given.

    Parameters
    ----------
    code:
        Family letter and three digits. A code is never reused for another rule.
    name:
        The fact in a few words with dashes, such as `decimal-scale-change`.
    summary:
        One line, beginning with a verb: "Finds ...".
    level:
        The lowest level at which it can find anything. At higher levels it may find more: it asks the context.
    reference:
        The section of the spec, or the ruling, that it rests on.
    on_change:
        Checks a change. The change introduces what it finds.
    on_state:
        Checks one state of a table: a schema, metadata, and files under them. It runs on the table before and after
        a change; what it finds before is existing. A rule of this kind also works in an audit.
    absorbed_by:
        Codes of rules on changes that say the same about a field, better. If one of them has a finding on the field,
        new findings of this rule on it are left out.
    """

    code: str
    name: str
    summary: str
    level: Level
    reference: str
    on_change: Callable[[Change], Iterable[Finding]] | None = None
    on_state: Callable[[TableState], Iterable[Finding]] | None = None
    absorbed_by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not re.fullmatch("[TNDRSPFX][0-9]{3}", self.code):
            raise ValueError(f"Invalid rule code: {self.code!r}")
        if (self.on_change is None) == (self.on_state is None):
            raise ValueError(f"{self.code} needs one of on_change and on_state")

    @property
    def family(self) -> Family:
        """The family, by the code's first letter."""
        return Family[self.code[0]]

    @property
    def _function(self) -> Callable[..., Iterable[Finding]]:
        function = self.on_change or self.on_state
        assert function is not None
        return function

    def sections(self) -> Mapping[str, str]:
        """Return the documentation in the docstring of the rule's module, by heading."""
        text = inspect.cleandoc(sys.modules[self._function.__module__].__doc__ or "")
        found: dict[str, str] = {}
        heading = ""
        for line in text.splitlines():
            if line.rstrip(":") in HEADINGS and line.endswith(":"):
                heading = line.rstrip(":")
                found[heading] = ""
            elif heading:
                found[heading] += line + "\n"
        return {name: inspect.cleandoc(body).strip() for name, body in found.items()}

    @property
    def why(self) -> str:
        """The first sentence of "Why it matters", on one line."""
        text = " ".join(self.sections().get("Why it matters", "").split())
        match = re.match(r".*?[.](?= [A-Z]|$)", text)
        return (match[0] if match else text).rstrip(".")
