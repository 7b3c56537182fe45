"""Lower a plan to SQL over a file's own columns: one expression per requested column.

A struct, list or map that is null in the file stays null, lists keep their lengths and maps their entries. A subtree
that the file stores exactly as requested is the column itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from projector.engines.common.support import NotLowered
from projector.engines.duckdb.maps import AS_MAPS, MapForm
from projector.engines.duckdb.support import seen_type
from projector.engines.duckdb.types import duckdb_names, duckdb_type, identifier, literal, packed, text
from projector.files.parquet.file_schema import FileColumn, FileKind, FileLeaf, FileMap, FileStruct, Place
from projector.planning.scan.probes import Probe
from projector.projection.plan import (
    Cast,
    Constant,
    Fail,
    ListOf,
    MapOf,
    MetadataColumn,
    NewStruct,
    Null,
    PartitionValue,
    Plan,
    PlanNode,
    Read,
    StructOf,
)
from projector.schema.types import FloatType, IcebergType, StructType

Bind = Callable[[PartitionValue | MetadataColumn, "str | None"], str]
"""Returns the SQL of a node that is bound per file. The text is the file's stored metadata column, if it has one."""


@dataclass
class Lowering:
    """Lowers the nodes of one plan to expressions over the columns of `table`, an alias.

    `maps` is the form of maps in the expressions. `seen` collects what DuckDB must see in the file for the expressions
    to be right: expressions over the file's columns, and their types.
    """

    plan: Plan
    table: str
    bind: Bind
    maps: MapForm = AS_MAPS
    seen: dict[str, str] = field(default_factory=dict)
    _depth: int = 0

    def column(self, node: PlanNode) -> str:
        """Return the expression of a top-level node, in the DuckDB type of its field. Raises `NotLowered`."""
        return self._node(node, None, ())

    def probe(self, node: PlanNode, probe: Probe) -> str:
        """Return the expression of a probe, which is null if a struct above the field is null. Raises `NotLowered`.

        For a probe of a struct only whether it is null has a meaning.
        """
        guards: list[str] = []
        for _ in probe.path:
            match node:
                case StructOf(place=place, fields=(child,)):
                    if self.plan.file_schema.at(place).optional:
                        guards.append(f"{self._at(place, None, ())} IS NOT NULL")
                    node = child
                case NewStruct(fields=(child,)):
                    node = child
                case _:
                    break
        match node:
            case Read():
                return self._node(node, None, ())
            case StructOf(place=place):
                return self._at(place, None, ())
            case Null():
                return "CAST(NULL AS INTEGER)" if isinstance(node.field.field_type, StructType) else self._null(node)
        expression = self._node(node, None, ())
        return f"CASE WHEN {' AND '.join(guards)} THEN {expression} END" if guards else expression

    def _node(self, node: PlanNode, above: str | None, base: Place) -> str:
        """Return the expression of a node. `above` is that of the file's column at `base`, None at the top."""
        match node:
            case Read(place=place, cast=cast, check_null=check_null):
                leaf = self.plan.file_schema.at(place)
                assert isinstance(leaf.type, FileLeaf)
                own = self._at(place, above, base)
                self._see(own, leaf, above)
                cast_to = _cast(own, cast, node.field.field_type)
                return self._checked(cast_to, own, node) if check_null else cast_to
            case StructOf(place=place, fields=fields, check_null=check_null):
                own = self._at(place, above, base)
                column = self.plan.file_schema.at(place)
                if self._is_same(node, column):
                    self._see(own, column, above)
                    return own
                made = packed([f.field for f in fields], [self._node(f, own, place) for f in fields])
                return self._under(own, made, node, column.optional, check_null)
            case ListOf(place=place, element=element, check_null=check_null):
                own = self._at(place, above, base)
                column = self.plan.file_schema.at(place)
                self._see(own, column, above)
                if self._is_same(element, column.children[0]):
                    return self._checked(own, own, node) if check_null else own
                made = self._each(own, element, (*place, 0))
                return self._checked(made, own, node) if check_null else made
            case MapOf(place=place, key=key, value=value, check_null=check_null):
                own = self._at(place, above, base)
                column = self.plan.file_schema.at(place)
                self._see(own, column, above)
                assert isinstance(column.type, FileMap)
                same_key, same_value = self._is_same(key, column.type.key), self._is_same(value, column.type.value)
                if same_key and same_value and self.maps.keeps:
                    return self._checked(own, own, node) if check_null else own
                keys = f"map_keys({own})" if same_key else self._each(f"map_keys({own})", key, (*place, 0))
                values = f"map_values({own})" if same_value else self._each(f"map_values({own})", value, (*place, 1))
                return self._under(own, self.maps.build(keys, values), node, column.optional, check_null)
            case Constant(value=value):
                kind = node.field.field_type
                return literal(self.maps.value_of(value, kind), self.maps.type_of(kind))
            case NewStruct(fields=fields):
                return packed([f.field for f in fields], [self._node(f, above, base) for f in fields])
            case Null():
                return self._null(node)
            case PartitionValue():
                return self.bind(node, None)
            case MetadataColumn(place=None):
                return self.bind(node, None)
            case MetadataColumn(place=tuple() as place):
                leaf = self.plan.file_schema.at(place)
                own = self._at(place, above, base)
                self._see(own, leaf, above)
                return self.bind(node, f"CAST({own} AS {duckdb_type(node.field.field_type)})")
            case Fail():
                raise NotLowered
        raise AssertionError(f"not a plan node: {node!r}")

    def _null(self, node: PlanNode) -> str:
        return f"CAST(NULL AS {duckdb_type(self.maps.type_of(node.field.field_type))})"

    def _at(self, place: Place, above: str | None, base: Place) -> str:
        """Return the file's column at a place, starting from the one at `base`; the steps between are structs."""
        names = self.plan.file_schema.name_path(place)
        if above is None:
            found, left = f"{self.table}.{identifier(names[0])}", names[1:]
        else:
            found, left = above, names[len(base) :]
        for name in left:
            found = f"struct_extract({found}, {text(name)})"
        return found

    def _each(self, values: str, element: PlanNode, place: Place) -> str:
        # A name that no column has: DuckDB resolves a lambda's parameter among the columns too.
        name = identifier(f"projector element {self._depth}")
        self._depth += 1
        made = self._node(element, name, place)
        self._depth -= 1
        return f"list_transform({values}, lambda {name}: {made})"

    def _under(self, own: str, made: str, node: PlanNode, optional: bool, check_null: bool) -> str:
        if check_null:
            return f"CASE WHEN {own} IS NULL THEN {self._error(node)} ELSE {made} END"
        return f"CASE WHEN {own} IS NOT NULL THEN {made} END" if optional else made

    def _checked(self, made: str, own: str, node: PlanNode) -> str:
        return f"CASE WHEN {own} IS NULL THEN {self._error(node)} ELSE {made} END"

    def _error(self, node: PlanNode) -> str:
        said = f"Required {node.field.field_type} is null: the file has a null in it ({node.path}, "
        said += f"field id {node.field.field_id}) in "
        return f"error(concat({text(said)}, {self.table}.filename))"

    def _see(self, own: str, column: FileColumn, above: str | None) -> None:
        kind = seen_type(column.type)
        if kind is None:
            raise NotLowered
        if above is None or '"projector element' not in own:
            self.seen[own] = kind

    def _is_same(self, node: PlanNode, column: FileColumn) -> bool:
        """Return whether DuckDB reads a column of the file exactly as the node requests it."""
        match node:
            case Read(cast=cast, check_null=False):
                return isinstance(column.type, FileLeaf) and _is_kept(cast, column.type, node.field.field_type)
            case StructOf(fields=fields, check_null=False):
                if not isinstance(column.type, FileStruct) or len(column.children) != len(fields) or not fields:
                    return False
                names = duckdb_names([f.field for f in fields])
                return all(
                    name == child.name and f.place is not None and f.place[-1] == i and self._is_same(f, child)
                    for i, (name, f, child) in enumerate(zip(names, fields, column.children, strict=True))
                )
            case ListOf(element=element, check_null=False):
                return self._is_same(element, column.children[0])
            case MapOf(key=key, value=value, check_null=False) if self.maps.keeps:
                return self._is_same(key, column.children[0]) and self._is_same(value, column.children[1])
            case _:
                return False


def _is_kept(cast: Cast, leaf: FileLeaf, requested: IcebergType) -> bool:
    if cast in (Cast.RESCALE_TIME, Cast.RESCALE_TIMESTAMP):
        return True  # DuckDB's reader has rescaled them
    return cast is Cast.NONE or (leaf.kind is FileKind.FLOAT16 and isinstance(requested, FloatType))


def _cast(own: str, cast: Cast, requested: IcebergType) -> str:
    kind = duckdb_type(requested)
    match cast:
        case Cast.NONE | Cast.RESCALE_TIME | Cast.RESCALE_TIMESTAMP:
            return own
        case Cast.WIDEN_INTEGER | Cast.CHECKED_INTEGER | Cast.WIDEN_FLOAT | Cast.WIDEN_DECIMAL | Cast.BYTES_TO_UUID:
            return f"CAST({own} AS {kind})"
        case Cast.DATE_TO_TIMESTAMP:
            # DuckDB takes the first and the last date for infinities, which would become infinite timestamps.
            refused = f"error(concat('Cannot read the date ', {own}, ' as {requested}: out of range'))"
            return f"CASE WHEN isfinite({own}) OR {own} IS NULL THEN CAST({own} AS {kind}) ELSE {refused} END"
        case Cast.BYTES_TO_STRING:
            return f"decode({own})"
        case Cast.STRING_TO_BYTES:
            return f"encode({own})"
        case _:
            raise NotLowered
