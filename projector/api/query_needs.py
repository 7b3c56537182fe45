"""Find what a query needs of each table: the columns it reads, and a filter that excludes only rows it cannot use.

What is not understood is not used: then every column is read, and every file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from projector.api.query_conditions import condition
from projector.api.query_text import QueryText
from projector.errors import ProjectorError
from projector.planning.filters.bind import bind
from projector.planning.filters.expressions import TRUE, Expression, all_of, any_of
from projector.planning.scan.metadata_columns import METADATA_FIELDS
from projector.schema.schema import Schema

if TYPE_CHECKING:
    from sqlglot import exp


_OF_TABLE = ("this", "alias", "db", "catalog")
"""The parts of a reference to a table that change neither its rows nor the names of its columns."""
_OF_SELECT = ("sample", "pivots", "laterals", "match", "connect", "prewhere")
"""The parts of a SELECT between its tables and its WHERE."""


@dataclass(frozen=True)
class Needs:
    """What a query needs of a table.

    Parameters
    ----------
    columns:
        Names of the columns that it reads; None for all of the schema.
    row_filter:
        A bound filter; the query uses only rows that pass it.
    metadata:
        Names of the metadata columns that the query mentions, such as `_file`.
    """

    columns: tuple[str, ...] | None = None
    row_filter: Expression = TRUE
    metadata: tuple[str, ...] = ()

    @property
    def selected(self) -> tuple[str | tuple[str, ...], ...]:
        """The columns to select in a scan."""
        named: tuple[str | tuple[str, ...], ...] = ("*",) if self.columns is None else tuple((c,) for c in self.columns)
        return (*named, *((name,) for name in self.metadata))


def needs(query: QueryText, name: str, schema: Schema) -> Needs:
    """Return what a query needs of the table that it knows by a name."""
    from sqlglot import exp

    metadata = metadata_needs(query, schema)
    lowered = [f.name.lower() for f in schema.fields]
    if len(set(lowered)) < len(lowered) or any(cte.alias.lower() == name for cte in query.tree.find_all(exp.CTE)):
        return Needs(metadata=metadata)
    columns = _columns(query.tree, name, schema)
    filters = [_filter_of(table, schema) for table in query.tree.find_all(exp.Table) if table.name.lower() == name]
    return Needs(columns, any_of(filters) if filters else TRUE, metadata)


def metadata_needs(query: QueryText, schema: Schema) -> tuple[str, ...]:
    """Return the metadata columns that a query mentions. A column of the table with such a name takes precedence."""
    from sqlglot import exp

    said = {identifier.name.lower() for identifier in query.tree.find_all(exp.Identifier)}
    own = {f.name.lower() for f in schema.fields}
    known = (*(f.name for f in METADATA_FIELDS.values()), "_partition")
    return tuple(name for name in known if name in said and name not in own)


def _columns(tree: exp.Expr, name: str, schema: Schema) -> tuple[str, ...] | None:
    """Return every column whose name occurs in the query; None if a star may stand for any."""
    from sqlglot import exp

    for star in tree.find_all(exp.Star):
        if not isinstance(star.parent, exp.Count):
            return None
    if any(tree.find_all(exp.Columns, exp.Pivot, exp.PositionalColumn)):
        return None
    if any(j.method == "NATURAL" for j in tree.find_all(exp.Join)):
        return None
    if any(table.alias_column_names for table in tree.find_all(exp.Table) if table.name.lower() == name):
        return None  # it renames the columns, by position
    said = {identifier.name.lower() for identifier in tree.find_all(exp.Identifier)}
    rows = {name, *(t.alias.lower() for t in tree.find_all(exp.Table) if t.name.lower() == name and t.alias)}
    if any(column.name.lower() in rows for column in tree.find_all(exp.Column)):
        return None  # it reads the whole row as a struct
    found = tuple(f.name for f in schema.fields if f.name.lower() in said)
    return found or tuple(f.name for f in schema.fields[:1])


def _filter_of(table: exp.Table, schema: Schema) -> Expression:
    """Return the filter that the rows of one reference to a table pass, by the WHERE of its SELECT."""
    from sqlglot import exp

    above = table.parent
    join = above if isinstance(above, exp.Join) else None
    select = above.parent if above is not None else None
    if not isinstance(above, exp.From | exp.Join) or not isinstance(select, exp.Select):
        return TRUE
    if table.alias_column_names or any(said and part not in _OF_TABLE for part, said in table.args.items()):
        return TRUE
    if any(select.args.get(part) for part in _OF_SELECT):
        return TRUE
    where = select.args.get("where")
    if where is None or _may_be_null_extended(select, join):
        return TRUE
    sources = 1 + len(select.args.get("joins") or ())
    alias = (table.alias or table.name).lower()
    found = []
    for part in _conjuncts(where.this):
        try:
            made = condition(part, alias, sources == 1, schema)
            if made is not None:
                found.append(bind(made, schema, case_sensitive=False))
        except (ProjectorError, RecursionError):
            continue
    return all_of(found)


def _may_be_null_extended(select: exp.Select, own: exp.Join | None) -> bool:
    """Return whether a source of a SELECT may be an outer join's, or be paired with rows by more than a condition."""
    passed = own is None
    for join in select.args.get("joins") or ():
        if join.method not in ("", "NATURAL") or join.kind not in ("", "INNER", "CROSS", "OUTER"):
            return True
        if own is not None and join is own:
            passed = True
            if join.side in ("LEFT", "FULL"):
                return True
        elif passed and join.side in ("RIGHT", "FULL"):
            return True
    return not passed


def _conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    from sqlglot import exp

    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, exp.And):
            pending += [part.expression, part.this]
        elif isinstance(part, exp.Paren):
            pending.append(part.this)
        else:
            yield part
