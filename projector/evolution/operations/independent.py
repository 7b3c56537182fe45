"""Group the statements of a script that cannot see each other's changes, so that they can be applied together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from projector.evolution.operations.schema import (
    AddColumn,
    DeleteColumn,
    FieldPath,
    MakeColumnOptional,
    NextStatement,
    Operation,
    RenameColumn,
    RequireColumn,
    UpdateColumnDefault,
    UpdateColumnDoc,
    UpdateColumnType,
    dotted,
)

Group = list[list[tuple[int, Operation]]]
"""Statements, each with its operations and their places among all operations."""


def groups_of_statements(operations: Iterable[Operation]) -> Iterator[Group]:
    """Yield the statements in order, in groups. Applied at once, a group gives the same schema as one statement at a
    time.

    That holds for statements that only add, drop, rename or change columns, if none of them touches a name that another
    one touches, nor a name above or below it. Names are compared ignoring case.
    """
    group: Group = []
    names = _Names()
    for statement in _statements(operations):
        touched = [name for _, operation in statement for name in _touched(operation)]
        mixes = all(touched) and not any(names.meets(name) for name in touched)
        if group and not mixes:
            yield group
            group, names = [], _Names()
        group.append(statement)
        if all(touched):
            names.add(touched)
        else:
            yield group
            group, names = [], _Names()
    if group:
        yield group


def _statements(operations: Iterable[Operation]) -> Iterator[list[tuple[int, Operation]]]:
    statement: list[tuple[int, Operation]] = []
    for index, operation in enumerate(operations):
        if isinstance(operation, NextStatement):
            yield statement
            statement = []
        else:
            statement.append((index, operation))
    yield statement


class _Names:
    """Names that a group touches, and the names above them."""

    def __init__(self) -> None:
        self._touched: set[tuple[str, ...]] = set()
        self._above: set[tuple[str, ...]] = set()

    def meets(self, name: tuple[str, ...]) -> bool:
        return name in self._above or any(name[:length] in self._touched for length in range(1, len(name) + 1))

    def add(self, names: Iterable[tuple[str, ...]]) -> None:
        for name in names:
            self._touched.add(name)
            self._above.update(name[:length] for length in range(1, len(name)))


def _touched(operation: Operation) -> tuple[tuple[str, ...], ...]:
    """Return the names that an operation looks up or creates; the empty name if the whole schema may matter."""
    match operation:
        case AddColumn(parent=parent, name=str() as name):
            return (_parts((name,) if not parent else (*_path(parent), name)),)
        case RenameColumn(path=path, new_name=str() as new_name):
            return _parts(path), _parts((*_path(path)[:-1], new_name))
        case (
            DeleteColumn(path=path)
            | MakeColumnOptional(path=path)
            | RequireColumn(path=path)
            | UpdateColumnType(path=path)
            | UpdateColumnDoc(path=path)
            | UpdateColumnDefault(path=path)
        ):
            return (_parts(path),)
    return ((),)


def _path(path: FieldPath) -> tuple[str, ...]:
    return tuple(path.split(".")) if isinstance(path, str) else tuple(path)


def _parts(path: Any) -> tuple[str, ...]:
    """Return the parts of a name in lower case, without `element` and `value`: a list and its element share a name."""
    if not isinstance(path, (str, tuple)) or not all(isinstance(part, str) for part in path):
        return ()
    first, *rest = dotted(path).lower().split(".")
    return (first, *(part for part in rest if part not in ("element", "value")))
