"""The values of a state, for those who may not need them: what reads them is imported when they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from projector.check.evidence.state import TableState
from projector.check.level import Level

if TYPE_CHECKING:
    from projector.check.values.state_values import StateValues


def values_of(state: TableState) -> StateValues | None:
    """Return the values in the files of a state, as far as its settings ask for them; None below level `values`."""
    return None if state.level < Level.VALUES else state.once(_values)


def _values(state: TableState) -> StateValues:
    from projector.check.values.state_values import state_values

    return state_values(state, state.columns, None if state.before is None else values_of(state.before))
