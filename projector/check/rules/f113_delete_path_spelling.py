"""F113 delete-path-spelling.

What it does:
    Finds position deletes that name their data file with another scheme or authority than the data file's own path.

Why it matters:
    The spec asks for the data file's full path as it is. Readers that compare the text find no such file, and the
    deleted rows come back.

Evidence:
    The delete files whose manifests give the path: by the file that they reference, or by their path column's bounds.

Example:
    Data files were registered as /warehouse/..., and deletes name hdfs://namenode/warehouse/...

Instead:
    Rewrite the data files with their deletes, so that the delete files are gone.

Reference:
    Spec, Position Delete Files: file_path must match the path of the target data file in the manifest.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.live_files import LiveFile
from projector.check.evidence.state import TableState
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.files.storage.locations import without_authority
from projector.metadata.manifests.read import FileContent


def check(state: TableState) -> Iterator[Finding]:
    """One finding for all of them. Paths are compared by their text, as readers do that go wrong."""
    positional = [f for f in state.files.live.deletes if f.kind.content is FileContent.POSITION_DELETES]
    if not positional:
        return
    exact = set(state.files.live.data.paths)
    bare = {without_authority(path) for path in exact}
    found: list[LiveFile] = []
    first = ""
    for file in positional:
        path = file.target
        if path is not None and path not in exact and without_authority(path) in bare:
            first = first or path
            found.append(file)
    if found:
        yield Finding(
            f"position deletes spell their data file's path otherwise than the manifests: {first}",
            Direction.OLD_DATA_AT_RISK,
            evidence=manifest_evidence(found, len(positional), "these are delete files"),
            help="rewrite the data files with their deletes",
        )


RULE = Rule(
    "F113",
    "delete-path-spelling",
    "Finds position deletes that spell the path of their data file in another way.",
    Level.FOOTERS,
    "Position Delete Files",
    on_state=check,
)
