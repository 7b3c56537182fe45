"""Build the SELECT that reads one group of files with DuckDB's own reader, and the tables that it joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from projector.engines.arrow.delete_files import DeleteReader
from projector.engines.common.support import NotLowered
from projector.engines.duckdb.filter import filter_sql
from projector.engines.duckdb.groups import FileGroup
from projector.engines.duckdb.lookup_tables import Constants, KeyTables, TooManyKeysError, key_tables, position_table
from projector.engines.duckdb.lower import Lowering
from projector.engines.duckdb.maps import MapForm
from projector.engines.duckdb.support import probed_type
from projector.engines.duckdb.types import duckdb_type, identifier, text
from projector.errors import UnsupportedError
from projector.files.parquet.file_schema import FileSchema
from projector.planning.filters.expressions import AlwaysTrue, BoundTerm
from projector.planning.scan.request import ScanRequest

if TYPE_CHECKING:
    import duckdb

FILES, CONSTANTS, POSITIONS, KEYS = "f", "m", "p", "k"
"""Aliases of the tables in a SELECT. Columns of the files are always qualified with theirs."""


@dataclass(frozen=True, eq=False)
class Branch:
    """The SELECT of a group of files.

    Parameters
    ----------
    group:
        The files.
    select:
        The SQL. Its columns `c0`, `c1`, ... have the DuckDB types of the request's schema. For a schema without columns
        it has one column `c0` without a meaning.
    expected:
        Expressions over the files' columns, and the types that DuckDB must report for them.
    joined:
        The joins that the expressions need.
    tables:
        The tables that `select` joins, by name.
    """

    group: FileGroup
    select: str
    expected: tuple[tuple[str, str], ...]
    joined: str
    tables: dict[str, pa.Table]

    def is_seen(self, connection: duckdb.DuckDBPyConnection) -> bool:
        """Return whether DuckDB sees the types in the first file that its footer implies. `tables` must exist.

        A shape for which DuckDB once reported the expected types is not asked for again.
        """
        import duckdb

        known = (self.group.plan.file_schema, self.expected)
        if known in _seen:
            return True
        kinds = dict.fromkeys(kind for _, kind in self.expected)
        columns = [*(expression for expression, _ in self.expected), *(f"CAST(NULL AS {kind})" for kind in kinds)]
        named = ", ".join(f"{column} AS c{i}" for i, column in enumerate(columns or ["1"]))
        try:
            described = connection.execute(
                f"DESCRIBE SELECT {named} FROM {_reader(self.group.paths[:1])}{self.joined}"
            ).fetchall()
        except duckdb.Error:
            return False
        types = [row[1] for row in described]
        wanted = dict(zip(kinds, types[len(self.expected) :], strict=False))
        found = all(t == wanted[kind] for t, (_, kind) in zip(types, self.expected, strict=False))
        if found:
            if len(_seen) >= _MOST_SEEN:
                _seen.clear()
            _seen.add(known)
        return found


_seen: set[tuple[FileSchema, tuple[tuple[str, str], ...]]] = set()
_MOST_SEEN = 1000


def branch(group: FileGroup, request: ScanRequest, deletes: DeleteReader, prefix: str, maps: MapForm) -> Branch:
    """Return the branch of a group. `prefix` begins the names of its tables.

    Raises `NotLowered` if DuckDB cannot read the group exactly.
    """
    constants = Constants(group, FILES, CONSTANTS)
    lowering = Lowering(group.plan, FILES, constants.bind, maps)
    width = len(request.schema.fields)
    nodes = group.plan.fields
    given = [lowering.column(node) for node in nodes[:width]]
    probed = {p.field_id: lowering.probe(node, p) for p, node in zip(request.probes, nodes[width:], strict=True)}
    tables: dict[str, pa.Table] = {}
    keys = _keys(group, deletes) if group.keys else None
    if constants.nodes or keys is not None:
        tables[f"{prefix} constants"] = constants.table(None if keys is None else keys.sets)
    joins = [_join(f"{prefix} constants")] if tables else []
    if group.positions:
        name = f"{prefix} positions"
        tables[name] = position_table(group, deletes)
        joins.append(
            f"ANTI JOIN {identifier(name)} AS {POSITIONS} "
            f"ON {POSITIONS}.file_index = {FILES}.file_index AND {POSITIONS}.pos = {FILES}.file_row_number"
        )
    for number, (ids, table) in enumerate(keys.tables.items() if keys else ()):
        name = f"{prefix} keys {number}"
        tables[name] = table
        joins.append(_key_join(name, f"{KEYS}{number}", [(probed[i], _probe_type(request, i)) for i in ids]))
    where = ""
    if not isinstance(request.row_filter, AlwaysTrue):

        def column(term: BoundTerm) -> str:
            return probed[term.field_id]

        where = f" WHERE {filter_sql(request.row_filter, column)}"
    joined = "".join(f" {join}" for join in joins)
    columns = ", ".join(f"{expr} AS c{i}" for i, expr in enumerate(given)) or "true AS c0"
    select = f"SELECT {columns} FROM {_reader(group.paths)}{joined}{where}"
    kinds = (duckdb_type(maps.type_of(f.field_type)) for f in request.schema.fields)
    expected = dict.fromkeys((*lowering.seen.items(), *zip(given, kinds, strict=True)))
    return Branch(group, select, tuple(expected), joined, tables)


def _reader(paths: Sequence[str]) -> str:
    # NaN is greater than every number, but in no statistics: can_have_nan keeps row groups that may hold one.
    options = "hive_partitioning = false, union_by_name = false, binary_as_string = false, can_have_nan = true"
    return f"read_parquet([{', '.join(map(text, paths))}], {options}) AS {FILES}"


def _join(name: str) -> str:
    return f"JOIN {identifier(name)} AS {CONSTANTS} ON {CONSTANTS}.file_index = {FILES}.file_index"


def _key_join(name: str, alias: str, compared: Sequence[tuple[str, str]]) -> str:
    same = [f"{alias}.key_set = {CONSTANTS}.key_set"]
    same += [f"CAST({alias}.k{i} AS {kind}) IS NOT DISTINCT FROM {expr}" for i, (expr, kind) in enumerate(compared)]
    return f"ANTI JOIN {identifier(name)} AS {alias} ON {' AND '.join(same)}"


def _keys(group: FileGroup, deletes: DeleteReader) -> KeyTables:
    try:
        return key_tables(group, deletes)
    except TooManyKeysError:
        raise NotLowered from None


def _probe_type(request: ScanRequest, field_id: int) -> str:
    (probe,) = (p for p in request.probes if p.field_id == field_id)
    try:
        return duckdb_type(probed_type(probe))
    except UnsupportedError:
        raise NotLowered from None
