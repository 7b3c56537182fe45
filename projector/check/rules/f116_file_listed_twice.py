"""F116 file-listed-twice.

What it does:
    Finds data files, delete files and deletion vectors that one snapshot lists twice: in two manifests, in one, or
    under two spellings of one path; and data files with two deletion vectors.

Why it matters:
    A scan gives the rows of such a file twice, in every reader, and counts and sums are wrong without an error. Of two
    deletion vectors a reader may apply either one.

Evidence:
    The files, and the manifests that list them.

Example:
    A commit that was retried after its answer was lost, or `add_files` run twice

Instead:
    Delete one of the entries, by an overwrite that keeps the file once.

Reference:
    Spec, Snapshots; Deletion Vectors: at most one per data file in a snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.live_files import ListedTwice
from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding

_NAMED = 10


def check(state: TableState) -> Iterator[Finding]:
    """Yield one finding for each kind of file."""
    by_kind: dict[str, list[ListedTwice]] = {}
    for each in state.files.live.listed_twice:
        by_kind.setdefault(each.what, []).append(each)
    for what, found in by_kind.items():
        count = f"{len(found)} {what}s are" if len(found) > 1 else f"1 {what} is"
        said = "of a data file that has another one" if what == "deletion vector" else "listed twice in one snapshot"
        yield Finding(
            f"{count} {said}",
            Direction.UNVERIFIED,
            evidence=Evidence(
                files=len(found),
                of_files=len(state.files.live.data) + len(state.files.live.deletes),
                first_file=found[0].file,
                facts=tuple(f"{f.file}: {f.manifests[0]} and {f.manifests[1]}" for f in found[:_NAMED]),
            ),
            help="keep one of the entries, by an overwrite that lists the file once",
            key=what,
        )


RULE = Rule(
    "F116",
    "file-listed-twice",
    "Finds files that one snapshot lists twice.",
    Level.FOOTERS,
    "Snapshots; Deletion Vectors",
    on_state=check,
)
