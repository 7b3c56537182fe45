"""`UpdateProperties`: records table properties to set and to remove."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from projector.errors import ProjectorError, SchemaUpdateError
from projector.evolution.apply.pending import raise_at
from projector.evolution.operations.schema import Operation
from projector.evolution.updates.upgrade import upgrade
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema

FORMAT_VERSION = "format-version"
RESERVED_PROPERTIES = frozenset(
    {
        FORMAT_VERSION,
        "uuid",
        "snapshot-count",
        "current-snapshot-id",
        "current-snapshot-summary",
        "current-snapshot-timestamp-ms",
        "current-schema",
        "default-partition-spec",
        "default-sort-order",
    }
)
"""Names under which catalogs show the table's state; they are not stored as properties."""

METRICS_PREFIX = "write.metadata.metrics.column."


@dataclass(frozen=True, slots=True)
class SetProperty(Operation):
    """Set a table property; `format-version` raises the table's format version."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class RemoveProperty(Operation):
    """Remove a table property, if it exists."""

    key: str


PropertyOperation = SetProperty | RemoveProperty


class UpdateProperties:
    """Records changes of table properties, and applies them to the properties that are current at the commit."""

    def __init__(self) -> None:
        self._operations: list[PropertyOperation] = []

    @property
    def operations(self) -> tuple[PropertyOperation, ...]:
        """The recorded operations, in order."""
        return tuple(self._operations)

    def record(self, *operations: PropertyOperation) -> UpdateProperties:
        """Record operations that were made elsewhere, for example by a parser."""
        self._operations.extend(operations)
        return self

    def set(self, key: str, value: str) -> UpdateProperties:
        """Set a property."""
        return self.record(SetProperty(key, value))

    def remove(self, key: str) -> UpdateProperties:
        """Remove a property, if it exists."""
        return self.record(RemoveProperty(key))

    def __repr__(self) -> str:
        return f"UpdateProperties(operations=[{', '.join(map(str, self._operations))}])"


def change_properties(metadata: TableMetadata, update: UpdateProperties) -> TableMetadata:
    """Return a table's metadata with other properties, without commit time and log; the same object if nothing
    changes.

    Raises
    ------
    SchemaUpdateError
        A property is both set and removed, or reserved; a metrics mode names a missing column; or the table cannot be
        raised to the format version.
    """
    sets: dict[str, str] = {}
    removes: set[str] = set()
    for index, operation in enumerate(update.operations):
        try:
            _record(operation, sets, removes)
        except ProjectorError as error:
            raise_at(operation, index, error)
    version = sets.pop(FORMAT_VERSION, None)
    kept = {key: value for key, value in metadata.properties.items() if key not in removes}
    properties = {**kept, **sets}
    _check_metrics(properties, metadata.current_schema)
    after = metadata
    if properties != metadata.properties:
        after = TableMetadata.from_json({**metadata.raw, "properties": properties})
    return after if version is None else upgrade(after, _version(version))


def _record(operation: PropertyOperation, sets: dict[str, str], removes: set[str]) -> None:
    key = operation.key
    if not isinstance(key, str):
        raise SchemaUpdateError(f"Not a property name: {key!r}", hint="give text")
    if key in RESERVED_PROPERTIES and (key != FORMAT_VERSION or isinstance(operation, RemoveProperty)):
        raise SchemaUpdateError(
            f"Cannot change reserved property: {key}", hint="it shows the state of the table and is not stored"
        )
    if key in (removes if isinstance(operation, SetProperty) else sets):
        raise SchemaUpdateError(f"Cannot remove and update the same key: {key}")
    match operation:
        case SetProperty(value=value):
            if not isinstance(value, str):
                raise SchemaUpdateError(f"Not the value of a property: {value!r}", hint="properties are text")
            sets[key] = value
        case RemoveProperty():
            removes.add(key)


def _version(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise SchemaUpdateError(f"Invalid format version: {text!r} is not a number") from None


def _check_metrics(properties: Mapping[str, str], schema: Schema) -> None:
    for key in properties:
        column = key.removeprefix(METRICS_PREFIX)
        if column != key and schema.find_id(column) is None:
            shown = " ".join(str(schema).split())
            raise SchemaUpdateError(
                f"Invalid metrics config, could not find column {column} from table prop {key} in schema {shown}"
            )
