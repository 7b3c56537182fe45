"""From a footer's schema elements to a `FileSchema`: the tree, and the layouts of lists and maps.

Layouts follow the backward-compatibility rules of Parquet's logical types. Where those leave room, the structure is the
one that pyarrow's reader gives, because places must address the same children there:

* a repeated column outside a list is a list that cannot be null, and so are its elements; the field id is the list's;
* a map whose entries have no value is a list of its keys (`FileList` of layout `set`);
* key and value of a map are told apart by their order, whatever they are called.

The structure is the same, but pyarrow says other things of it: it repeats the field id of an unannotated repeated group
on its element. It refuses to read any column of a file that has a map with optional keys, or a list or map that is
itself the repeated element of a two-level list and has its own three levels (`LIST-annotated groups must not be
repeated`). Those schemas are described here all the same; other engines read them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from projector.errors import CorruptFileError
from projector.files import thrift
from projector.files.footer import Footer, damaged
from projector.files.parquet_types import BadElement, Repetition, SchemaElement, leaf_type, schema_element
from projector.files.physical import FileColumn, FileList, FileMap, FileSchema, FileStruct, FileType, FileVariant

MAX_DEPTH = 100
"""Columns nested deeper than this in the footer's schema are refused."""


def file_schema(footer: Footer) -> FileSchema:
    """The columns of the file that a footer is of.

    Raises
    ------
    CorruptFileError
        The schema contradicts itself; the error names the file and the column.
    """
    return parse_schema(footer.data, footer.schema_at, footer.path)


def parse_schema(data: bytes, at: int, path: str) -> FileSchema:
    """Like `file_schema`, from the list of schema elements at offset `at` of a footer's bytes."""
    root = _tree(_elements(data, at, path), path)
    return FileSchema(tuple(_column(child, path) for child in root.children))


@dataclass(slots=True)
class _Node:
    """A schema element with its children and the names on the way to it."""

    element: SchemaElement
    names: tuple[str, ...] = ()
    children: list[_Node] = field(default_factory=list)

    @property
    def is_repeated(self) -> bool:
        return self.element.repetition is Repetition.REPEATED

    @property
    def is_leaf(self) -> bool:
        return self.element.physical is not None

    @property
    def leaf_count(self) -> int:
        return 1 if self.is_leaf else sum(child.leaf_count for child in self.children)


def _elements(data: bytes, at: int, path: str) -> list[SchemaElement]:
    elements: list[SchemaElement] = []
    try:
        kind, size, at = thrift.read_list_header(data, at)
        if kind != thrift.STRUCT:
            raise damaged(path, "the schema is not a list of schema elements")
        for _ in range(size):
            fields, at = thrift.read_struct(data, at)
            elements.append(schema_element(fields))
    except BadElement as error:
        raise damaged(path, f"schema element {len(elements)}: {error}") from None
    except CorruptFileError as error:
        raise error if error.file else damaged(path, f"schema element {len(elements)}: {error.message}") from None
    return elements


def _tree(elements: list[SchemaElement], path: str) -> _Node:
    """Put the depth-first list of elements together, without recursion."""
    if not elements:
        raise damaged(path, "the schema is empty, without even a root")
    root = _Node(elements[0])
    if root.is_leaf:
        raise damaged(path, "the root of the schema is a leaf column")
    open_groups = [root]
    for element in elements[1:]:
        while open_groups and len(open_groups[-1].children) == open_groups[-1].element.num_children:
            open_groups.pop()
        if not open_groups:
            raise damaged(path, f"the schema has elements after its last column, from {element.name!r} on")
        parent = open_groups[-1]
        node = _Node(element, (*parent.names, element.name))
        parent.children.append(node)
        _check_element(node, path)
        if element.num_children:
            open_groups.append(node)
            if len(open_groups) > MAX_DEPTH:
                raise damaged(path, f"the schema is nested more than {MAX_DEPTH} levels deep")
    for group in open_groups:
        missing = group.element.num_children - len(group.children)
        if missing:
            raise damaged(path, f"the schema ends {missing} children short of what {group.element.name!r} claims")
    return root


def _check_element(node: _Node, path: str) -> None:
    element = node.element
    if element.repetition is None:
        _bad(node, "it does not say whether it is required, optional or repeated", path)
    if element.physical is None and not element.num_children:
        _bad(node, "it has neither a physical type nor children", path)
    if element.physical is not None and element.num_children:
        _bad(node, "it has both a physical type and children", path)


def _column(node: _Node, path: str) -> FileColumn:
    """A child of a struct. Repeated without a list around it, it is a list that cannot be null."""
    element = node.element
    if node.is_repeated:
        item = FileColumn(element.name, _type(node, path), optional=False)
        return FileColumn(element.name, FileList(item, "repeated"), optional=False, field_id=element.field_id)
    return FileColumn(
        element.name,
        _type(node, path),
        optional=element.repetition is Repetition.OPTIONAL,
        field_id=element.field_id,
    )


def _type(node: _Node, path: str) -> FileType:
    """The type of a node, whatever its repetition."""
    element = node.element
    if node.is_leaf:
        try:
            return leaf_type(element)
        except BadElement as error:
            _bad(node, str(error), path)
    if element.is_list:
        return _list(node, path)
    if element.is_map:
        return _map(node, path)
    if element.is_variant:
        return FileVariant(node.leaf_count)
    return FileStruct(tuple(_column(child, path) for child in node.children))


def _list(node: _Node, path: str) -> FileList:
    repeated = _only_repeated_child(node, "list", path)
    if _is_element(repeated, node.element.name):
        element = repeated.element
        item = FileColumn(element.name, _type(repeated, path), optional=False, field_id=element.field_id)
        return FileList(item, "two-level")
    return FileList(_column(repeated.children[0], path))


def _is_element(repeated: _Node, list_name: str) -> bool:
    """Whether the repeated node of a list is the element itself, not a group around it."""
    if repeated.is_leaf or len(repeated.children) > 1:
        return True
    return repeated.children[0].is_repeated or repeated.element.name in ("array", f"{list_name}_tuple")


def _map(node: _Node, path: str) -> FileMap | FileList:
    entries = _only_repeated_child(node, "map", path)
    if entries.is_leaf or len(entries.children) > 2:
        _bad(entries, "the entries of a map are not a group of a key and a value", path)
    if len(entries.children) == 1:
        return FileList(_list(node, path).element, "set")
    key, value = (_column(child, path) for child in entries.children)
    return FileMap(key, value, entries.element.name)


def _only_repeated_child(node: _Node, what: str, path: str) -> _Node:
    if len(node.children) != 1 or not node.children[0].is_repeated:
        _bad(node, f"a group annotated as a {what} must have one child, which is repeated", path)
    return node.children[0]


def _bad(node: _Node, what: str, path: str) -> NoReturn:
    error = damaged(path, what)
    error.path = ".".join(node.names)
    raise error
