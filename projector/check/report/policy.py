"""Map the direction of a finding to its severity, for each kind of compatibility."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from projector.check.report.findings import Direction, Severity


class Compatibility(StrEnum):
    """Who must be able to read what.

    `backward`: the schema after the change reads existing data. `forward`: the schema before it reads data that is
    written after it. `full`: both. The plain ones check the current snapshot, the `-transitive` ones every retained
    snapshot. `none`: only what cannot be applied counts.
    """

    BACKWARD = "backward"
    BACKWARD_TRANSITIVE = "backward-transitive"
    FORWARD = "forward"
    FORWARD_TRANSITIVE = "forward-transitive"
    FULL = "full"
    FULL_TRANSITIVE = "full-transitive"
    NONE = "none"

    @property
    def is_transitive(self) -> bool:
        """Whether every retained snapshot counts, not only the current one."""
        return self.value.endswith("-transitive")

    @property
    def _column(self) -> int:
        return ("backward", "forward", "full", "none").index(self.value.removesuffix("-transitive"))


_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO

#                                   backward  forward  full  none
POLICY: Mapping[Direction, tuple[Severity, Severity, Severity, Severity]] = {
    Direction.CANNOT_APPLY:         (_E,      _E,      _E,   _E),
    Direction.OLD_DATA_UNREADABLE:  (_E,      _W,      _E,   _I),
    Direction.OLD_VALUES_CHANGE:    (_E,      _W,      _E,   _I),
    Direction.OLD_DATA_AT_RISK:     (_W,      _I,      _W,   _I),
    Direction.OLD_READERS_BREAK:    (_I,      _E,      _E,   _I),
    Direction.QUERY_BREAKS:         (_E,      _E,      _E,   _W),
    Direction.READERS_DISAGREE:     (_W,      _W,      _W,   _I),
    Direction.NEXT_CHANGE_AT_RISK:  (_W,      _W,      _W,   _I),
    Direction.UNVERIFIED:           (_E,      _E,      _E,   _W),
    Direction.METADATA_INVALID:     (_E,      _E,      _E,   _W),
    Direction.ADVICE:               (_I,      _I,      _I,   _I),
}  # fmt: skip
"""The severity of every direction, in the order of the columns above."""

EXCEPTIONS: Mapping[str, Mapping[Direction, Severity]] = {
    # Most engines ignore case: they refuse the table, or take one column for the other.
    "S108": {Direction.READERS_DISAGREE: _E},
    # The query did not run before the change either, so the change is not to blame.
    "X903": {Direction.UNVERIFIED: _W},
    # The readers that the finding names fail on every read of the table.
    "D104": {Direction.READERS_DISAGREE: _E},
}
"""Rules that give a direction another severity, by code, whatever the compatibility; comments give the reasons."""


def severity_of(code: str, direction: Direction, compatibility: Compatibility) -> Severity:
    """Return the severity of a finding of a rule."""
    exception = EXCEPTIONS.get(code, {}).get(direction)
    return exception if exception is not None else POLICY[direction][compatibility._column]
