"""Every error the project raises on purpose: one root, and what a caller needs to act on it."""

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
        """Where in a text it failed, for errors that are about one."""
        return []


class ProjectorWarning(UserWarning):
    """Something that a reader should be told though it can go on: a moved table, files without field ids."""


class NotFoundError(ProjectorError):
    """A table, a file, a column, a snapshot, a ref or a schema id that is not there."""


class CorruptFileError(ProjectorError):
    """A file whose bytes are not what its format asks for."""


class InvalidMetadataError(ProjectorError):
    """Metadata, or a schema, that contradicts the spec or itself."""


class ExhaustedError(ProjectorError):
    """The machine ran out of memory, threads, file handles or disk space: nothing is known to be wrong with a file."""


class StoreError(ProjectorError):
    """A store or a disk did not give the bytes of a file: nothing is known to be wrong with them."""


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
    """A recorded schema change that cannot be applied to the schema at hand.

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
    """A commit that lost its race for good."""


class CommitUnknownError(ProjectorError):
    """A commit that a catalog did not answer, and that may have been done or not: it could not be found out."""


class ParseError(ProjectorError):
    """Text (SQL, a filter, JSON, a type) that is not understood.

    Attributes
    ----------
    text:
        The text that was given.
    position:
        Offset in `text`, in characters from 0, where it stopped making sense; None where that is unknown.
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
        """Line and column of `position`, both from 1; None where the position is unknown."""
        if self.text is None or self.position is None:
            return None
        return line_and_column(self.text, self.position)
