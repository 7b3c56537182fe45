"""Build a `FileSchema` from a footer's schema elements: the tree, and the layouts of lists and maps.

Layouts follow the backward-compatibility rules of Parquet's logical types. If those leave a choice, the structure is
that of pyarrow's reader, because places must address the same children there:

* a repeated column outside a list is a list that cannot be null, and so are its elements; the field id is the list's;
* a map whose entries have no value is a list of its keys (`FileList` of layout `set`);
* the first child of a map's entries is the key and the second is the value, whatever their names.

The structure is the same, but pyarrow differs in details. It repeats the field id of an unannotated repeated group
on its element. It rejects every column of a file that has a map with optional keys, or a list or map that is
itself the repeated element of a two-level list and has its own three levels (`LIST-annotated groups must not be
repeated`). This module still describes such schemas, because other engines read them.
"""

from __future__ import annotations

from collections.abc import Sequence

from projector.errors import CorruptFileError, UnsupportedError
from projector.files.parquet import thrift
from projector.files.parquet.elements import ElementType, SchemaElement, leaf_number, read_element, read_leaves
from projector.files.parquet.file_schema import (
    FileColumn,
    FileLeaf,
    FileList,
    FileMap,
    FileSchema,
    FileStruct,
    FileType,
    FileVariant,
)
from projector.files.parquet.footer import damaged
from projector.files.parquet.types import Annotation, BadElement, Repetition

MAX_DEPTH = 100
"""Schemas with columns nested deeper than this are rejected."""


def read_schema(data: bytes, at: int, path: str) -> tuple[FileSchema, int]:
    """Read the list of schema elements at an offset of a footer, and return the offset after it, too.

    Raises
    ------
    CorruptFileError
        If the schema contradicts itself; the error names the file and the column.
    UnsupportedError
        If columns are nested more than `MAX_DEPTH` levels deep.
    """
    elements, end = _elements(data, at, path)
    root = _tree(elements, path)
    return FileSchema(tuple([_column(child, path) for child in root.children])), end


SchemaKey = tuple[str | int | FileColumn | None, ...]
"""The values that make schemas equal, cheaper to hash than columns: three for a leaf, a column for anything else."""


def read_keyed_schema(data: bytes, at: int, path: str) -> tuple[FileSchema, SchemaKey, int]:
    """Read a schema as `read_schema` does, with a key: keys are equal if and only if schemas are.

    Top-level leaf columns, which most schemas mostly have, are read without building a tree.
    """
    try:
        found = _read_quickly(data, at, path)
    except (IndexError, BadElement, CorruptFileError):
        found = None
    if found is not None:
        return found
    schema, end = read_schema(data, at, path)
    return schema, tuple(part for column in schema.columns for part in _key(column)), end


def _read_quickly(data: bytes, at: int, path: str) -> tuple[FileSchema, SchemaKey, int] | None:
    """Read a well-formed schema; None for any other, for which the general reader raises the right error."""
    kind, size, at = thrift.read_list_header(data, at)
    if kind != thrift.STRUCT or not size:
        return None
    root, at = read_element(data, at)
    if root.type.problem is not None or root.type.leaf is not None:
        return None
    columns: list[FileColumn] = []
    keys: list[str | int | FileColumn | None] = []
    left, count = size - 1, root.type.num_children
    while len(columns) < count:
        leaves, leaf_keys, at = read_leaves(data, at, count - len(columns))
        columns += leaves
        keys += leaf_keys
        left -= len(leaves)
        if len(columns) == count:
            break
        elements, at = _subtree(data, at, left)
        if elements is None:
            return None
        left -= len(elements)
        top = SchemaElement("", None, ElementType(num_children=1))
        column = _column(_tree([top, *elements], path).children[0], path)
        columns.append(column)
        keys += _key(column)
    return (FileSchema(tuple(columns)), tuple(keys), at) if left == 0 else None


def _subtree(data: bytes, at: int, most: int) -> tuple[list[SchemaElement] | None, int]:
    """Read an element and all below it; None if they are more than `most`."""
    elements: list[SchemaElement] = []
    open_places = 1
    while open_places:
        if len(elements) == most:
            return None, at
        element, at = read_element(data, at)
        elements.append(element)
        open_places += element.type.num_children - 1
    return elements, at


def _key(column: FileColumn) -> SchemaKey:
    if isinstance(column.type, FileLeaf):
        return column.name, column.field_id, leaf_number(column.type, column.optional)
    return (column,)


class _Node:
    """A schema element and the elements below it. Only groups have a `path`, the dotted names from the root."""

    __slots__ = ("children", "element", "path")

    def __init__(self, element: SchemaElement, path: str, children: Sequence[_Node]) -> None:
        self.element = element
        self.path = path
        self.children = children

    @property
    def is_repeated(self) -> bool:
        return self.element.type.repetition is Repetition.REPEATED

    @property
    def is_leaf(self) -> bool:
        return self.element.type.leaf is not None

    @property
    def leaf_count(self) -> int:
        return 1 if self.is_leaf else sum(child.leaf_count for child in self.children)


def _elements(data: bytes, at: int, path: str) -> tuple[list[SchemaElement], int]:
    elements: list[SchemaElement] = []
    try:
        kind, size, at = thrift.read_list_header(data, at)
        if kind != thrift.STRUCT:
            raise damaged(path, "the schema is not a list of schema elements")
        for _ in range(size):
            element, at = read_element(data, at)
            elements.append(element)
    except BadElement as error:
        raise damaged(path, f"schema element {len(elements)}: {error}") from None
    except CorruptFileError as error:
        raise error if error.file else damaged(path, f"schema element {len(elements)}: {error.message}") from None
    return elements, at


def _tree(elements: list[SchemaElement], path: str) -> _Node:
    """Build a tree from the depth-first list of elements, without recursion."""
    if not elements:
        raise damaged(path, "the schema is empty, without even a root")
    top = elements[0].type
    if top.problem is not None or top.leaf is not None:
        raise damaged(path, f"the root of the schema is not a group: {top.problem or top.leaf}")
    children: list[_Node] = []
    root = _Node(elements[0], "", children)
    open_groups = [(root, children, top.num_children)]
    node, children, left = open_groups[0]
    for element in elements[1:]:
        while not left:
            open_groups.pop()
            if not open_groups:
                raise damaged(path, f"the schema has elements after its last column, from {element.name!r} on")
            node, children, left = open_groups[-1]
        left -= 1
        type_ = element.type
        if type_.leaf is not None and type_.repetition is not None:
            children.append(_Node(element, "", ()))
            continue
        below = f"{node.path}.{element.name}" if node is not root else element.name
        _check_element(element, below, path)
        open_groups[-1] = (node, children, left)
        parent_children, children, left = children, [], type_.num_children
        node = _Node(element, below, children)
        parent_children.append(node)
        open_groups.append((node, children, left))
        if len(open_groups) > MAX_DEPTH + 1:
            raise UnsupportedError(
                f"Parquet schemas nested more than {MAX_DEPTH} levels deep are not supported", file=path
            )
    open_groups[-1] = (node, children, left)
    for node, _, left in reversed(open_groups):
        if left:
            raise damaged(path, f"the schema ends {left} children short of what {node.element.name!r} claims")
    return root


def _check_element(element: SchemaElement, where: str, path: str) -> None:
    type_ = element.type
    if type_.problem is not None:
        raise _damaged_at(where, type_.problem, path)
    if type_.repetition is None:
        raise _damaged_at(where, "it does not say whether it is required, optional or repeated", path)
    if not type_.num_children:
        raise _damaged_at(where, "it has neither a physical type nor children", path)


def _column(node: _Node, path: str) -> FileColumn:
    """Return a child of a struct. If it is repeated without a list around it, it is a list that cannot be null."""
    name, field_id, element_type = node.element
    type_ = element_type.leaf or _group(node, path)
    if element_type.repetition is Repetition.REPEATED:
        return FileColumn(name, FileList(FileColumn(name, type_, optional=False), "repeated"), False, field_id)
    return FileColumn(name, type_, element_type.repetition is Repetition.OPTIONAL, field_id)


def _group(node: _Node, path: str) -> FileType:
    """Return the type of a group, whatever its repetition."""
    match node.element.type.annotation:
        case Annotation.LIST:
            return _list(node, path)
        case Annotation.MAP:
            return _map(node, path)
        case Annotation.VARIANT:
            return FileVariant(node.leaf_count)
        case _:
            return FileStruct(tuple(_column(child, path) for child in node.children))


def _list(node: _Node, path: str) -> FileList:
    repeated = _only_repeated_child(node, "list", path)
    if _is_element(repeated, node.element.name):
        name, field_id, element_type = repeated.element
        item = FileColumn(name, element_type.leaf or _group(repeated, path), optional=False, field_id=field_id)
        return FileList(item, "two-level")
    return FileList(_column(repeated.children[0], path))


def _is_element(repeated: _Node, list_name: str) -> bool:
    """Return whether the repeated node of a list is the element itself, not a group around it."""
    if repeated.is_leaf or len(repeated.children) > 1:
        return True
    return repeated.children[0].is_repeated or repeated.element.name in ("array", f"{list_name}_tuple")


def _map(node: _Node, path: str) -> FileMap | FileList:
    entries = _only_repeated_child(node, "map", path)
    if entries.is_leaf or len(entries.children) > 2:
        raise _damaged_at(node.path, "the entries of a map are not a group of a key and a value", path)
    if len(entries.children) == 1:
        return FileList(_list(node, path).element, "set")
    key, value = (_column(child, path) for child in entries.children)
    return FileMap(key, value, entries.element.name)


def _only_repeated_child(node: _Node, what: str, path: str) -> _Node:
    if len(node.children) != 1 or not node.children[0].is_repeated:
        raise _damaged_at(node.path, f"a group annotated as a {what} must have one child, which is repeated", path)
    return node.children[0]


def _damaged_at(where: str, what: str, path: str) -> CorruptFileError:
    error = damaged(path, what)
    error.path = where
    return error
