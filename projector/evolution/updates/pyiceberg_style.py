"""Schema updates in pyiceberg's style: a context manager, its method names, dotted or tuple paths."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from projector.errors import SchemaUpdateError
from projector.evolution.operations.schema import NOT_GIVEN
from projector.evolution.updates.schema_commit import SchemaCommit
from projector.evolution.updates.update_schema import Names, UpdateSchema


class UpdateSchemaContext:
    """Records changes inside a `with` block, and commits them if the block ends without an error.

    Parameters
    ----------
    update:
        The update to record to.
    finish:
        Called with the update at the end of the block: commits it or, for a dry run, only prepares it.

    Attributes
    ----------
    commit:
        The commit that the end of the block made; None before that, and after an error.
    """

    def __init__(self, update: UpdateSchema, finish: Callable[[UpdateSchema], SchemaCommit]) -> None:
        self.update = update
        self.commit: SchemaCommit | None = None
        self._finish = finish

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.commit = self._finish(self.update)

    def case_sensitive(self, case_sensitive: bool) -> Self:
        """Whether names must match in case."""
        self.update.case_sensitive = case_sensitive
        return self

    def add_column(
        self,
        path: Names,
        field_type: Any,
        doc: str | None = None,
        required: bool = False,
        default_value: Any = NOT_GIVEN,
        *,
        default: Any = NOT_GIVEN,
    ) -> Self:
        """Add a column; a tuple is the path of a nested one.

        Parameters
        ----------
        default_value, default:
            The value in rows written before; by pyiceberg's name, and by that of `UpdateSchema`.
        """
        if default_value is not NOT_GIVEN and default is not NOT_GIVEN:
            raise SchemaUpdateError("Cannot add a column with two defaults", hint="give default_value or default")
        value = default if default_value is NOT_GIVEN else default_value
        if required:
            self.update.add_required_column(path, field_type, default=value, doc=doc)
        else:
            self.update.add_column(path, field_type, doc=doc, default=value)
        return self

    def add_nested_column(
        self, parent: Names, name: str, field_type: Any, doc: str | None = "", default: Any = NOT_GIVEN
    ) -> Self:
        """Add an optional field to a struct, to the elements of a list of structs, or to the values of a map."""
        self.update.add_nested_column(parent, name, field_type, doc, default)
        return self

    def add_required_column(
        self,
        path: Names,
        field_type: Any,
        default: Any = NOT_GIVEN,
        parent: Names | None = None,
        doc: str | None = "",
    ) -> Self:
        """Add a required column. It needs a default, unless incompatible changes are allowed."""
        self.update.add_required_column(path, field_type, default, parent, doc)
        return self

    def update_column_type(self, path: Names, new_type: Any) -> Self:
        """Promote a column to a wider type."""
        self.update.update_column_type(path, new_type)
        return self

    def update_column_doc(self, path: Names, doc: str | None) -> Self:
        """Set a column's documentation; None removes it."""
        self.update.update_column_doc(path, doc)
        return self

    def update_column_default(self, path: Names, value: Any) -> Self:
        """Set a column's write default; None removes it."""
        self.update.update_column_default(path, value)
        return self

    def require_column(self, path: Names) -> Self:
        """Forbid nulls in a column."""
        self.update.require_column(path)
        return self

    def update_column(
        self, path: Names, field_type: Any = None, required: bool | None = None, doc: str | None = None
    ) -> Self:
        """Change a column's type, nullability or doc; arguments that are not given change nothing."""
        if field_type is not None:
            self.update.update_column_type(path, field_type)
        if required is not None:
            (self.update.require_column if required else self.update.make_column_optional)(path)
        if doc is not None:
            self.update.update_column_doc(path, doc)
        return self

    def set_default_value(self, path: Names, default_value: Any) -> Self:
        """Set a column's write default; None removes it."""
        self.update.update_column_default(path, default_value)
        return self

    def delete_column(self, path: Names) -> Self:
        """Drop a column."""
        self.update.delete_column(path)
        return self

    def rename_column(self, path_from: Names, new_name: str) -> Self:
        """Rename a column; `new_name` is one name, not a path."""
        self.update.rename_column(path_from, new_name)
        return self

    def make_column_optional(self, path: Names) -> Self:
        """Allow nulls in a column."""
        self.update.make_column_optional(path)
        return self

    def move_first(self, path: Names) -> Self:
        """Move a column to the front of its struct."""
        self.update.move_first(path)
        return self

    def move_before(self, path: Names, before_path: Names) -> Self:
        """Move a column before another of the same struct."""
        self.update.move_before(path, before_path)
        return self

    def move_after(self, path: Names, after_name: Names) -> Self:
        """Move a column after another of the same struct."""
        self.update.move_after(path, after_name)
        return self

    def set_identifier_fields(self, *fields: Names) -> Self:
        """Set the identifier fields."""
        self.update.set_identifier_fields(*fields)
        return self

    def union_by_name(self, new_schema: Any, promote: bool = False) -> Self:
        """Merge a schema by name."""
        self.update.union_by_name(new_schema, promote=promote)
        return self
