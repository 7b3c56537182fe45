"""Whether old rows can reach a field with no value in it, for the rules on nullability."""

from __future__ import annotations

from projector.check.change import Change
from projector.check.rule import Level
from projector.projection.plan import Fail, FailCode


def may_be_read_as_null(change: Change, field_id: int) -> bool:
    """Whether rows that were written before may have no value for a required field."""
    if not change.before.may_have_data:
        return False
    if change.after.level < Level.FOOTERS:
        return True
    return any(isinstance(n, Fail) and n.code is FailCode.REQUIRED for _, n in change.after.nodes(field_id))
