"""Return the values of a state; import the modules that read values only on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from projector.check.evidence.state import TableState
from projector.check.level import Level

if TYPE_CHECKING:
    from projector.check.values.state_values import StateValues


def values_of(state: TableState) -> StateValues | None:
    """Return the values in the files of a state, by its settings; None below level `values`."""
    return None if state.level < Level.VALUES else state.once(_values)


def _values(state: TableState) -> StateValues:
    from projector.check.values.state_values import state_values

    return state_values(state, state.columns, None if state.before is None else values_of(state.before))
