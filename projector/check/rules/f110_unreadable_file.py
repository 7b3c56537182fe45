"""F110 unreadable-file.

What it does:
    Finds data files, delete files, manifests and manifest lists that are listed and gone, or that are damaged.

Why it matters:
    A scan that comes to one of them fails, under any schema; and the check could not look at it.

Evidence:
    The files, and why the first of them cannot be read.

Example:
    Files that were removed by hand, or a bucket's expiry rule, while snapshots still list them.

Instead:
    Restore them; or expire the snapshots that list them.

Reference:
    Spec, Snapshots: a snapshot's files are all the files listed by its manifests.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding
from projector.check.report.looked_at import Unreadable
from projector.errors import NotFoundError, UnsupportedError


def check(state: TableState) -> Iterator[Finding]:
    """Each kind of file apart, and those that are gone apart from those that are damaged."""
    looked_at = len(state.files.live.data)
    for kind, unreadable in (
        ("data file", state.footers.unreadable),
        ("delete file", state.files.entry_checks.missing_deletes if state.level >= Level.FOOTERS else ()),
        *((kind, [u for u in state.files.live.unreadable if u.kind == kind]) for kind in ("manifest list", "manifest")),
    ):
        gone = [u for u in unreadable if _is_gone(u)]
        damaged = [u for u in unreadable if u.error is not None and not isinstance(u.error, UnsupportedError)]
        damaged = [u for u in damaged if not _is_gone(u)]
        for what, found in (("listed but not there", gone), ("damaged", damaged)):
            if found:
                plural = "" if len(found) == 1 else "s"
                yield Finding(
                    f"{len(found)} {kind}{plural} {'is' if len(found) == 1 else 'are'} {what}",
                    Direction.UNVERIFIED,
                    evidence=Evidence(
                        files=len(found),
                        of_files=looked_at if kind == "data file" else 0,
                        first_file=found[0].file,
                        facts=(found[0].reason,),
                    ),
                    help="restore these files, or expire the snapshots that list them",
                    key=f"{kind} {what}",
                )


def _is_gone(unreadable: Unreadable) -> bool:
    return isinstance(unreadable.error, NotFoundError)


RULE = Rule(
    "F110",
    "unreadable-file",
    "Finds data files, delete files and manifests that are gone or damaged.",
    Level.FOOTERS,
    "Snapshots",
    on_state=check,
)
