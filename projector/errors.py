"""Define the errors of the project: one root, and the context that a caller needs to act."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from projector.text import line_and_column

# Paths and column names are data: what would end the line or steer a terminal is shown, not done.
_ESCAPED = {c: chr(c).encode("unicode_escape").decode() for c in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)}


class ProjectorError(Exception):
    """Root of all errors raised by projector.

    Parameters
    ----------
    message:
        What failed, as one sentence.
    table, file:
        Where it failed: the table's location, the file's path.
    path, field_id:
        The field it failed on: its dotted path and its id.
    hint:
        What to do about it.
    """

    def __init__(
        self,
        message: str,
        *,
        table: str | None = None,
        file: str | None = None,
        path: str | None = None,
        field_id: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.table = table
        self.file = file
        self.path = path
        self.field_id = field_id
        self.hint = hint

    def __str__(self) -> str:
        where = self._in_text()
        if self.path is not None:
            where.append(f"field {self.path}" + (f" (id {self.field_id})" if self.field_id is not None else ""))
        if self.file is not None:
            where.append(f"file {self.file}")
        if self.table is not None:
            where.append(f"table {self.table}")
        text = self.message + (f" [{', '.join(where)}]" if where else "")
        return (text + (f"; {self.hint}" if self.hint else "")).translate(_ESCAPED)

    def _in_text(self) -> list[str]:
        """Return the place in a text, for errors about texts."""
        return []


class ProjectorWarning(UserWarning):
    """A warning that does not stop a read: a moved table, files without field ids."""


class NotFoundError(ProjectorError):
    """A table, file, column, snapshot, ref or schema id that does not exist."""


class CorruptFileError(ProjectorError):
    """A file whose bytes do not follow its format."""


class InvalidMetadataError(ProjectorError):
    """Metadata, or a schema, that contradicts the spec or itself."""


class ExhaustedError(ProjectorError):
    """The machine ran out of memory, threads, file handles or disk space. The file may be fine."""


class StoreError(ProjectorError):
    """A store or disk failed to return the bytes of a file. The file may be fine."""


class UnsupportedError(ProjectorError):
    """Something legal that projector does not read, or an optional dependency that is not installed."""


class ProjectionError(ProjectorError):
    """Files that cannot be read under the requested schema.

    Attributes
    ----------
    failures:
        The plan's `Fail` nodes, or empty when a value read from a file is what failed.
    """

    def __init__(self, message: str, *, failures: Sequence[Any] = (), **where: Any) -> None:
        super().__init__(message, **where)
        self.failures = tuple(failures)


class SchemaUpdateError(ProjectorError):
    """A recorded schema change that cannot be applied to the current schema.

    Attributes
    ----------
    operation:
        The operation that failed (projector.evolution.operations.schema); None if the schema as a whole fails.
    operation_index:
        Its place among the recorded operations, from 0.
    """

    operation: Any = None
    operation_index: int | None = None


class CommitConflictError(ProjectorError):
    """A commit that lost its race and cannot be retried."""


class CommitUnknownError(ProjectorError):
    """A commit that a catalog did not answer. It may or may not have succeeded; this could not be determined."""


class ParseError(ProjectorError):
    """Text (SQL, a filter, JSON, a type) that cannot be parsed.

    Attributes
    ----------
    text:
        The text.
    position:
        Offset in `text`, in characters from 0, of the first part that cannot be parsed; None if unknown.
    """

    def __init__(self, message: str, *, text: str | None = None, position: int | None = None, **where: Any) -> None:
        super().__init__(message, **where)
        self.text = text
        self.position = position

    def _in_text(self) -> list[str]:
        at = self.line_and_column
        return [] if at is None else [f"line {at[0]}, column {at[1]}"]

    @property
    def line_and_column(self) -> tuple[int, int] | None:
        """Line and column of `position`, both from 1; None if the position is unknown."""
        if self.text is None or self.position is None:
            return None
        return line_and_column(self.text, self.position)
