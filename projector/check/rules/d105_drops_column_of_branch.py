"""D105 drops-column-of-branch.

What it does:
    Finds a dropped column whose values are in files of a branch other than main.

Why it matters:
    A branch is read with the table's schema, so the column is gone there too; a write to the branch that was prepared
    with it fails. Some engines read a branch with its snapshot's schema and go on showing it.

Evidence:
    The live files of those branches that store the column.

Example:
    ALTER TABLE orders DROP COLUMN note, while branch `audit` has not been merged

Instead:
    Merge or drop the branches first, or tag what must stay readable: a tag is read with its own schema.

Reference:
    Spec, Snapshot References; the ruling on branches and tags.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import DeleteColumn
from projector.metadata.snapshots import MAIN_BRANCH


def check(change: Change) -> Iterator[Finding]:
    """Every field that is dropped by itself and that a branch's own files hold."""
    refs = change.before.metadata.refs
    branches = {name: ref.snapshot_id for name, ref in refs.items() if ref.is_branch and name != MAIN_BRANCH}
    if not branches:
        return
    footers = change.before.footers
    for difference in change.changes("dropped"):
        field_id = difference.field_id or 0
        groups = [group for group, node in change.before.nodes(field_id) if group.column(node) is not None]
        held = {snapshots for group in groups for snapshots in group.files.snapshots}
        showing = sorted(name for name, snapshot in branches.items() if any(snapshot in ids for ids in held))
        if not showing:
            continue
        of_them = frozenset(branches[name] for name in showing)
        finding = Finding(
            f"dropped; {'branches' if len(showing) > 1 else 'branch'} {', '.join(showing)} will lose it too",
            Direction.READERS_DISAGREE,
            ".".join(difference.path),
            field_id,
            evidence=footers.evidence(groups, where=lambda f, ids=of_them: bool(f.snapshots & ids)),  # type: ignore[misc]
            help="merge or drop the branches first, or tag what must stay readable",
        )
        yield change.place(finding, DeleteColumn)


RULE = Rule(
    "D105",
    "drops-column-of-branch",
    "Finds dropped columns that branches other than main still hold.",
    Level.FOOTERS,
    "Snapshot References",
    on_change=check,
)
