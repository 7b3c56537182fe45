"""F112 encrypted-file.

What it does:
    Finds live files that are encrypted, by their manifests or by their footers.

Why it matters:
    Only readers with the key can read them. This check cannot look into them: what it says of the table does not
    cover them.

Evidence:
    The files.

Example:
    A table of version 3 with table encryption, or files with Parquet's own encryption of columns.

Instead:
    Check the change on a copy of the table that is not encrypted.

Reference:
    Spec, Data File Fields: key_metadata; Table Metadata Fields: encryption-keys.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.live_files import Files
from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding
from projector.errors import UnsupportedError


def check(state: TableState) -> Iterator[Finding]:
    """One finding for all of them."""
    live = state.files.live
    found = [*live.all.by(lambda _, kind: kind.is_encrypted).get(True, Files()).paths]
    known = frozenset(found)
    for unreadable in (*state.footers.unreadable, *live.unreadable):
        if isinstance(unreadable.error, UnsupportedError) and unreadable.file not in known:
            found.append(unreadable.file)
    if found:
        yield Finding(
            "live files are encrypted, and cannot be checked",
            Direction.READERS_DISAGREE,
            evidence=Evidence(files=len(found), of_files=len(live.all), first_file=found[0]),
            help="check the change on a copy that is not encrypted",
        )


RULE = Rule(
    "F112",
    "encrypted-file",
    "Finds encrypted files, which cannot be checked.",
    Level.FOOTERS,
    "Data File Fields",
    on_state=check,
)
