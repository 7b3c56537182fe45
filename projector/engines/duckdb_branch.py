"""One group of files as one SELECT over DuckDB's own reader, and the tables that it joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from projector.engines.delete_files import DeleteReader
from projector.engines.duckdb_filter import filter_sql
from projector.engines.duckdb_groups import FileGroup
from projector.engines.duckdb_lower import Lowering, NotLowered
from projector.engines.duckdb_support import probed_type
from projector.engines.duckdb_tables import Constants, KeyTables, TooManyKeysError, key_tables, position_table
from projector.engines.duckdb_types import column_types, duckdb_type, identifier, text
from projector.errors import UnsupportedError
from projector.planning.expressions import AlwaysTrue, BoundTerm
from projector.planning.scan_request import ScanRequest
from projector.schema.schema import Schema

if TYPE_CHECKING:
    import duckdb

FILES, CONSTANTS, POSITIONS, KEYS = "f", "m", "p", "k"
"""Aliases of the tables in a SELECT. Columns of the files are always named with theirs."""


@dataclass(frozen=True, eq=False)
class Branch:
    """The rows of a group of files that a request gives out.

    Parameters
    ----------
    group:
        The files.
    select:
        The SELECT, its columns `c0`, `c1`, ... in the DuckDB types of the request's schema; one column `c0` that means
        nothing where the schema has none.
    check:
        A SELECT of one file, of pairs of columns whose types must be the same.
    tables:
        What `select` joins, by the names that it uses.
    """

    group: FileGroup
    select: str
    check: str
    tables: dict[str, pa.Table]

    def is_seen(self, connection: duckdb.DuckDBPyConnection) -> bool:
        """Whether DuckDB sees in the first file what its shape says; `tables` are there by now."""
        import duckdb

        try:
            described = connection.execute(f"DESCRIBE {self.check}").fetchall()
        except duckdb.Error:
            return False
        kinds = [row[1] for row in described]
        return kinds[::2] == kinds[1::2]


def branch(group: FileGroup, request: ScanRequest, deletes: DeleteReader, prefix: str) -> Branch:
    """The branch of a group; `prefix` begins the names of its tables. Raises `NotLowered` where it has none."""
    constants = Constants(group, FILES, CONSTANTS)
    lowering = Lowering(group.plan, FILES, constants.bind)
    width = len(request.schema.fields)
    nodes = group.plan.fields
    given = [lowering.column(node) for node in nodes[:width]]
    probed = {p.field_id: lowering.probe(node, p) for p, node in zip(request.probes, nodes[width:], strict=True)}
    tables: dict[str, pa.Table] = {}
    keys = _keys(group, request, deletes) if group.keys else None
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
    return Branch(group, select, _check(group, request.schema, given, lowering.seen, joined), tables)


def _reader(paths: Sequence[str]) -> str:
    # NaN is greater than every number, but in no statistics: can_have_nan keeps row groups that may hold one.
    options = "hive_partitioning = false, union_by_name = false, binary_as_string = false, can_have_nan = true"
    return f"read_parquet([{', '.join(map(text, paths))}], {options}) AS {FILES}"


def _check(group: FileGroup, schema: Schema, given: Sequence[str], seen: dict[str, str], joined: str) -> str:
    pairs = [*seen.items(), *zip(given, column_types(schema), strict=True)]
    columns = [c for expr, kind in pairs for c in (expr, f"CAST(NULL AS {kind})")] or ["1", "1"]
    named = ", ".join(f"{expr} AS c{i}" for i, expr in enumerate(columns))
    return f"SELECT {named} FROM {_reader(group.paths[:1])}{joined}"


def _join(name: str) -> str:
    return f"JOIN {identifier(name)} AS {CONSTANTS} ON {CONSTANTS}.file_index = {FILES}.file_index"


def _key_join(name: str, alias: str, compared: Sequence[tuple[str, str]]) -> str:
    same = [f"{alias}.key_set = {CONSTANTS}.key_set"]
    same += [f"CAST({alias}.k{i} AS {kind}) IS NOT DISTINCT FROM {expr}" for i, (expr, kind) in enumerate(compared)]
    return f"ANTI JOIN {identifier(name)} AS {alias} ON {' AND '.join(same)}"


def _keys(group: FileGroup, request: ScanRequest, deletes: DeleteReader) -> KeyTables:
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
