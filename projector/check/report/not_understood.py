"""Report a proposal that could not be parsed: one finding, at its place in the text."""

from __future__ import annotations

from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.check.report.policy import Compatibility
from projector.check.report.report import NOT_UNDERSTOOD, Report
from projector.errors import ParseError, ProjectorError
from projector.evolution.operations.schema import Source
from projector.metadata.table_metadata import TableMetadata


def not_understood(
    error: ProjectorError, file: str, metadata: TableMetadata, level: Level, compatibility: Compatibility
) -> Report:
    """Return the report on a file whose text is not a proposal. The table was not checked."""
    source = None
    if isinstance(error, ParseError) and error.text is not None and error.position is not None:
        source = Source(error.text, error.position, _end_of_word(error.text, error.position))
    finding = Finding(
        error.message,
        Direction.CANNOT_APPLY,
        help=error.hint,
        source=source,
        key=file,
        code=NOT_UNDERSTOOD,
        name="not-understood",
    )
    schema = metadata.current_schema
    text = error.text if isinstance(error, ParseError) else None
    return Report(
        table=metadata.location,
        proposal=text or "",
        level=level,
        compatibility=compatibility,
        before=schema,
        after=schema,
        findings=(finding,),
        not_looked_at=("the table: the proposal was not understood",),
        proposal_file=file,
    )


def _end_of_word(text: str, start: int) -> int:
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return max(end, min(start + 1, len(text)))
