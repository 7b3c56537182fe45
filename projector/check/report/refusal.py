"""The parts of a proposal that cannot be applied, and why."""

from __future__ import annotations

from dataclasses import dataclass

from projector.errors import ProjectorError, SchemaUpdateError
from projector.evolution.operations.schema import AddColumn, Operation, Source, dotted
from projector.schema.schema import Schema


@dataclass(frozen=True)
class Refusal:
    """An operation, or a whole proposal, that cannot be applied.

    Parameters
    ----------
    error:
        Why, in Iceberg's own words if it has some.
    operation:
        The operation; None if the schema or the table as a whole forbids the change.
    schema:
        The schema that the operation was applied to.
    """

    error: SchemaUpdateError
    operation: Operation | None
    schema: Schema
    case_sensitive: bool = True

    @property
    def source(self) -> Source | None:
        """The operation's place in the text."""
        return None if self.operation is None else self.operation.source

    @property
    def field_id(self) -> int | None:
        """The id of the field that it is about, if `schema` has that field."""
        path = getattr(self.operation, "path", None) or getattr(self.operation, "column", None)
        if self.error.field_id is not None or path is None:
            return self.error.field_id
        try:
            return self.schema.find_id(path, self.case_sensitive)
        except ProjectorError:
            return None

    @property
    def path(self) -> str | None:
        """The dotted path of the field that it is about, or the name in the operation."""
        if self.field_id is not None and self.field_id in self.schema.fields_by_id:
            return self.schema.name_of(self.field_id)
        match self.operation:
            case AddColumn(parent=parent, name=name):
                return name if not parent else f"{dotted(parent)}.{name}"
            case None:
                return self.error.path
            case operation:
                path = getattr(operation, "path", None) or getattr(operation, "column", None)
                return self.error.path if path is None else dotted(path)
