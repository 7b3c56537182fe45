"""F903 unread-values.

What it does:
    Finds data files whose rows cannot be read, neither before the change nor after it, though their footers can.

Why it matters:
    A scan that comes to one of them fails, and nobody has seen what the change does to its rows. Such a file is not
    counted as compared, and the check does not pass.

Evidence:
    The files, and why each cannot be read: a damaged page, a delete file that is gone or names rows that the data file
    does not have, a null in a required column, a value that does not fit its type.

Example:
    A position delete for row 99 of a file with 8 rows

Instead:
    Restore or rewrite these files, or expire the snapshots that list them.

Reference:
    Spec, Scan Planning; Delete Formats; Column Projection.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding
from projector.check.values.values_of import values_of
from projector.errors import UnsupportedError

_NAMED = 20


def check(state: TableState) -> Iterator[Finding]:
    """Yield one finding that names the files."""
    values = values_of(state)
    found = () if values is None else values.unreadable
    unread = [each for each in found if not isinstance(each.error, UnsupportedError)]  # other rules tell of those
    if not unread:
        return
    facts = [f"{each.file}: {each.reason}" for each in unread[:_NAMED]]
    if len(unread) > _NAMED:
        facts.append(f"and {len(unread) - _NAMED} more files")
    yield Finding(
        f"the rows of {len(unread)} data file{'' if len(unread) == 1 else 's'} cannot be read: {unread[0].reason}",
        Direction.UNVERIFIED,
        evidence=Evidence(
            files=len(unread), of_files=state.footers.file_count, first_file=unread[0].file, facts=tuple(facts)
        ),
        help="restore or rewrite these files, or expire the snapshots that list them",
    )


RULE = Rule(
    "F903",
    "unread-values",
    "Finds data files whose rows cannot be read.",
    Level.VALUES,
    "Scan Planning; Delete Formats; Column Projection",
    on_state=check,
)
