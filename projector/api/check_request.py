"""What a check is asked for, as its callers spell it, made into a proposal and the settings of a check."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from projector.check.change.proposal import Proposal, from_schema, from_sql
from projector.check.level import Level
from projector.check.report.policy import Compatibility
from projector.check.report.suppressions import matches
from projector.check.rules import all_rules
from projector.errors import NotFoundError, ProjectorError, UnsupportedError
from projector.evolution.diff.schema_sources import SchemaSource, load_schema, source_from_arrow
from projector.evolution.updates.transaction import Transaction
from projector.evolution.updates.update_schema import UpdateSchema
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema
from projector.schema.type_json import MAX_INT

if TYPE_CHECKING:
    from typing import TypeAlias

    import pyarrow as pa

    SchemaLike: TypeAlias = "Schema | pa.Schema | str | Mapping[str, Any] | os.PathLike[str]"


def to_proposal(
    metadata: TableMetadata,
    update: UpdateSchema | Transaction | Proposal | str | None,
    sql: str | None,
    schema: SchemaLike | None,
    dialect: str,
    sql_file: str | None,
    table_names: tuple[tuple[str, ...], ...],
) -> Proposal | None:
    """Return what is proposed for a table; None if nothing is. Raises `ProjectorError` for more than one proposal."""
    if sum(given is not None for given in (update, sql, schema)) > 1:
        raise ProjectorError("Cannot check several proposals at once", hint="give one of update, sql and schema")
    if isinstance(update, str):
        update, sql = None, update
    if sql is not None:
        return from_sql(sql, dialect, metadata, sql_file, table_names=table_names)
    if update is not None:
        return update if isinstance(update, Proposal) else Proposal(update)
    if schema is not None:
        return from_schema(_source(schema), metadata.current_schema, metadata.format_version)
    return None


def to_level(level: str | Level) -> Level:
    """Return a level by its name. Raises `UnsupportedError` for a name that is not a level's."""
    try:
        return Level.of(level)
    except KeyError:
        raise UnsupportedError(f"Unknown level: {level!r}", hint="choose schema, footers or values") from None


def to_codes(prefixes: Iterable[str]) -> tuple[str, ...]:
    """Return prefixes of codes. Raises `UnsupportedError` for one that no rule's code begins with.

    A slip in a prefix must not make a check pass.
    """
    given = tuple(prefixes)
    for prefix in given:
        if not any(matches(code, (prefix,)) for code in all_rules()):
            raise UnsupportedError(
                f"No rule has a code that begins with {prefix!r}", hint="`projector rules` lists them"
            )
    return given


def to_compatibility(compatibility: str) -> Compatibility:
    """Return a compatibility by its name. Raises `UnsupportedError` for a name that is not one's."""
    try:
        return Compatibility(compatibility)
    except ValueError:
        known = ", ".join(Compatibility)
        raise UnsupportedError(f"Unknown compatibility: {compatibility!r}", hint=f"choose one of: {known}") from None


def _source(schema: SchemaLike) -> SchemaSource:
    match schema:
        case Schema():
            return SchemaSource("schema", "schema", schema)
        case Mapping():
            return SchemaSource("schema", "schema", Schema.from_json(schema, MAX_INT))
        case str() if schema.lstrip().startswith("{"):
            return SchemaSource("schema", "schema", Schema.from_json(schema, MAX_INT))
        case str() | os.PathLike():
            try:
                return load_schema(os.fspath(schema))
            except NotFoundError as error:
                raise NotFoundError(f"There is no schema at {os.fspath(schema)}", hint=error.hint) from None
    return source_from_arrow(schema)
