"""Rewrite the Avro schema of a manifest or manifest list so that fields are found by id and values stay physical.

Names in Avro are sanitized, changed between versions and sometimes left to the writer; field ids are not. Every known
field gets its canonical name by its id (by its name if the writer wrote no id), every other field a name that is
dropped. Logical types are removed: fastavro then returns the stored number or bytes, never a `datetime` that cannot
hold it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

from projector.errors import CorruptFileError
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
)

_PRIMITIVES = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))
_MAX_NODES = 20_000
"""The most types in a schema; names that stand for copies of each other could grow it without end."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field to look for.

    Parameters
    ----------
    field_id, name:
        Its id, and its name in the decoded record.
    kinds:
        The Avro types that may store it: of the value, of a list's elements, or of the values of a map.
    holds:
        `value`, `list`, `pairs` (a map from ints, stored as an array of key-value records), `record`, `records` (a list
        of them) or `partition`.
    required:
        Whether a file without it is damaged.
    inner:
        The fields of a record.
    """

    field_id: int
    name: str
    kinds: tuple[str, ...] = ()
    holds: str = "value"
    required: bool = False
    inner: Mapping[int, Field] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PartitionColumn:
    """A field of the partition tuple as a manifest stores it: id, name in the decoded record, type, and conversion."""

    field_id: int
    name: str
    type: IcebergType
    convert: Callable[[Any], Any] | None


@dataclass
class Rewriter:
    """Rewrites one schema; afterwards `partition` holds the partition tuple's columns.

    `spec_fields` are the names and ids of the spec's fields, for a tuple whose Avro fields have no ids.
    """

    spec_fields: tuple[tuple[str, int], ...] = ()
    partition: tuple[PartitionColumn, ...] = ()
    _named: dict[str, Any] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)
    _count: int = 0

    def record(self, schema: Any, fields: Mapping[int, Field], what: str) -> dict[str, Any]:
        """Return a record type with its known fields under their canonical names. Raises `CorruptFileError`."""
        node = self._as_record(schema, what)
        by_name = {f.name: f for f in fields.values()}
        given = [as_dict(f, f"a field of {what}") for f in as_array(node.get("fields"), f"the fields of {what}")]
        ids = {f["field-id"] for f in given if isinstance(f.get("field-id"), int)}
        taken: set[str] = set()
        written = []
        for position, f in enumerate(given):
            field_id = f.get("field-id")
            if isinstance(field_id, int):
                known = fields.get(field_id)
            else:
                known = by_name.get(str(f.get("name")))
                if known is not None and known.field_id in ids:
                    known = None
            if known is None:
                written.append({"name": f"_{position}", "type": self.plain(f.get("type"))})
                continue
            if known.name in taken:
                raise CorruptFileError(f"Two fields of {what} have the id {known.field_id} ({known.name})")
            taken.add(known.name)
            written.append({"name": known.name, "type": self._known_type(f.get("type"), known)})
        for wanted in fields.values():
            if wanted.required and wanted.name not in taken:
                raise CorruptFileError(f"{what} has no field {wanted.name} (id {wanted.field_id})")
        return {"type": "record", "name": self._fresh(), "fields": written}

    def plain(self, schema: Any) -> Any:
        """Return a type without names, logical types and other annotations; it is stored in the same bytes."""
        self._count += 1
        if self._count > _MAX_NODES:
            raise CorruptFileError("The Avro schema is too large")
        match self._resolved(schema):
            case str(primitive) | {"type": str(primitive)} if primitive in _PRIMITIVES:
                return primitive
            case list(branches):
                return [self.plain(branch) for branch in branches]
            case {"type": "record", "fields": list(fields)} as node:
                leave = self._enter(node)
                out = [
                    {"name": f"_{i}", "type": self.plain(as_dict(f, "a field").get("type"))}
                    for i, f in enumerate(fields)
                ]
                self._open -= leave
                return {"type": "record", "name": self._fresh(), "fields": out}
            case {"type": "array"} as node:
                items = self.plain(node.get("items"))
                if _can_be_empty(items):
                    raise CorruptFileError("The Avro schema has an array whose elements take no bytes")
                return {"type": "array", "items": items}
            case {"type": "map"} as node:
                return {"type": "map", "values": self.plain(node.get("values"))}
            case {"type": "fixed", "size": int(size)} if not isinstance(size, bool) and 0 <= size <= 1 << 20:
                return {"type": "fixed", "name": self._fresh(), "size": size}
            case {"type": "enum"}:
                return "int"
        raise CorruptFileError(f"The Avro schema has a type that is not known: {str(schema)[:80]}")

    def _known_type(self, schema: Any, known: Field) -> Any:
        inner, wrapped = self._without_null(schema)
        match known.holds:
            case "partition":
                return wrapped(self._partition(self._as_record(inner, known.name)))
            case "record":
                return wrapped(self.record(inner, known.inner, known.name))
            case "records":
                items, item_wrapped = self._without_null(self._items(inner, known))
                return wrapped({"type": "array", "items": item_wrapped(self.record(items, known.inner, known.name))})
            case "list":
                return wrapped({"type": "array", "items": self._value(self._items(inner, known), known)})
            case "pairs":
                return wrapped({"type": "array", "items": self._pair(self._items(inner, known), known)})
        return wrapped(self._value(inner, known))

    def _value(self, schema: Any, known: Field) -> Any:
        inner, wrapped = self._without_null(schema)
        kind = _kind(inner)
        if kind not in known.kinds:
            raise CorruptFileError(f"{known.name} (id {known.field_id}) is stored as {kind}, not {known.kinds[0]}")
        return wrapped(self.plain(inner))

    def _items(self, node: Any, known: Field) -> Any:
        if _kind(node) != "array":
            raise CorruptFileError(f"{known.name} (id {known.field_id}) is stored as {_kind(node)}, not array")
        return node.get("items")

    def _pair(self, schema: Any, known: Field) -> dict[str, Any]:
        given = as_array(self._as_record(schema, known.name).get("fields"), known.name)
        types = [as_dict(f, known.name).get("type") for f in given]
        if len(types) != 2 or _kind(self._resolved(types[0])) not in ("int", "long"):
            raise CorruptFileError(f"{known.name} (id {known.field_id}) is not stored as pairs of an int and a value")
        fields = [{"name": "key", "type": "long"}, {"name": "value", "type": self._value(types[1], known)}]
        return {"type": "record", "name": self._fresh(), "fields": fields}

    def _partition(self, node: Any) -> dict[str, Any]:
        columns: list[PartitionColumn] = []
        written = []
        for position, f in enumerate(
            as_dict(f, "a partition field") for f in as_array(node.get("fields"), "partition")
        ):
            field_id = f.get("field-id")
            if not isinstance(field_id, int):
                field_id = dict(self.spec_fields).get(str(f.get("name")))
            if field_id is None and position < len(self.spec_fields):
                field_id = self.spec_fields[position][1]
            if field_id is None:
                raise CorruptFileError(f"Partition field {f.get('name')!r} has no field id")
            if any(column.field_id == field_id for column in columns):
                raise CorruptFileError(f"Two partition fields have the id {field_id}")
            inner, _ = self._without_null(f.get("type"))
            found, convert = _partition_type(inner)
            columns.append(PartitionColumn(field_id, f"_{position}", found, convert))
            written.append({"name": f"_{position}", "type": self.plain(f.get("type"))})
        self.partition = tuple(columns)
        return {"type": "record", "name": self._fresh(), "fields": written}

    def _without_null(self, schema: Any) -> tuple[Any, Callable[[Any], Any]]:
        """Return the type besides null, and a function that puts its rewritten form back into its union."""
        resolved = self._resolved(schema)
        if not isinstance(resolved, list):
            return resolved, lambda written: written
        kept = [self._resolved(branch) for branch in resolved]
        match kept:
            case ["null", other] if other != "null":
                return other, lambda written: ["null", written]
            case [other, "null"] if other != "null":
                return other, lambda written: [written, "null"]
            case [other]:
                return other, lambda written: [written]
        raise CorruptFileError("The Avro schema has a union that is not of one type and null")

    def _resolved(self, schema: Any) -> Any:
        """Return a type as a primitive's name, a list of branches or a dict with a complex `type`; resolve names."""
        for _ in range(100):
            if isinstance(schema, str):
                if schema in _PRIMITIVES:
                    return schema
                if schema not in self._named or schema in self._open:
                    raise CorruptFileError(f"The Avro schema has a type that is not known: {schema[:80]}")
                return self._named[schema]
            if isinstance(schema, dict):
                if isinstance(schema.get("type"), (dict, list)):
                    schema = schema["type"]
                    continue
                if schema.get("type") in ("record", "error", "fixed", "enum"):
                    self._remember(schema)
                    return {**schema, "type": "record"} if schema["type"] == "error" else schema
                if schema.get("type") in _PRIMITIVES and "logicalType" in schema:
                    return schema
                if schema.get("type") in ("array", "map"):
                    return schema
                schema = schema.get("type")
                continue
            if isinstance(schema, list):
                return schema
            break
        raise CorruptFileError(f"The Avro schema has a type that is not known: {str(schema)[:80]}")

    def _remember(self, node: dict[str, Any]) -> None:
        name = node.get("name")
        if isinstance(name, str):
            space = node.get("namespace")
            self._named.setdefault(name, node)
            self._named.setdefault(f"{space}.{name}" if isinstance(space, str) else name.rpartition(".")[2], node)

    def _enter(self, node: dict[str, Any]) -> set[str]:
        """Mark a record as being rewritten, so that it cannot contain itself."""
        names = {name for name, known in self._named.items() if known is node} - self._open
        self._open |= names
        return names

    def _as_record(self, schema: Any, what: str) -> dict[str, Any]:
        node = self._resolved(schema)
        if not isinstance(node, dict) or node.get("type") != "record":
            raise CorruptFileError(f"{what} is not stored as a record")
        return node

    def _fresh(self) -> str:
        self._count += 1
        return f"r{self._count}"


def as_dict(value: Any, what: str) -> dict[str, Any]:
    """Return a part of a schema that must be an object."""
    if not isinstance(value, dict):
        raise CorruptFileError(f"The Avro schema is damaged: {what} is not an object")
    return value


def as_array(value: Any, what: str) -> list[Any]:
    """Return a part of a schema that must be an array."""
    if not isinstance(value, list):
        raise CorruptFileError(f"The Avro schema is damaged: {what} is not an array")
    return value


def _kind(node: Any) -> str:
    return node if isinstance(node, str) else str(node.get("type")) if isinstance(node, dict) else "union"


def _can_be_empty(plain: Any) -> bool:
    """Return whether a value of a plain type may take no bytes at all: a huge count would then cost nothing."""
    match plain:
        case "null" | {"type": "fixed", "size": 0}:
            return True
        case {"type": "record", "fields": list(fields)}:
            return all(_can_be_empty(f["type"]) for f in fields)
    return False


_EXACT: dict[str, IcebergType] = {
    "null": UnknownType(),
    "boolean": BooleanType(),
    "int": IntegerType(),
    "long": LongType(),
    "float": FloatType(),
    "double": DoubleType(),
    "bytes": BinaryType(),
    "string": StringType(),
}


def _partition_type(node: Any) -> tuple[IcebergType, Callable[[Any], Any] | None]:
    """Return the Iceberg type of a partition column by its Avro type, and the conversion of stored to plain values."""
    kind = _kind(node)
    logical = node.get("logicalType") if isinstance(node, dict) else None
    utc = isinstance(node, dict) and node.get("adjust-to-utc") is True
    match kind, logical:
        case (("bytes" | "fixed"), "decimal"):
            precision, scale = node.get("precision"), node.get("scale", 0)
            if not isinstance(precision, int) or not isinstance(scale, int) or not 0 <= scale <= precision <= 38:
                raise CorruptFileError(f"The Avro schema has a decimal of precision {precision}, scale {scale}")
            return DecimalType(max(precision, 1), scale), partial(_decimal, scale)
        case "fixed", "uuid":
            return UUIDType(), _uuid
        case "string", "uuid":
            return UUIDType(), UUID
        case "fixed", _:
            return FixedType(node["size"] if isinstance(node.get("size"), int) else 0), None
        case "int", "date":
            return DateType(), None
        case "long", "time-micros":
            return TimeType(), None
        case "long", "timestamp-micros" | "local-timestamp-micros":
            return (TimestamptzType() if utc else TimestampType()), None
        case "long", "timestamp-nanos" | "local-timestamp-nanos":
            return (TimestamptzNanoType() if utc else TimestampNanoType()), None
    if kind not in _EXACT:
        raise CorruptFileError(f"A partition value is stored as {kind}, which no partition value is")
    return _EXACT[kind], None


def _decimal(scale: int, stored: bytes) -> Decimal:
    unscaled = int.from_bytes(stored, "big", signed=True)
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))


def _uuid(stored: bytes) -> UUID:
    return UUID(bytes=stored)
