"""Parse ALTER TABLE in the SQL of Spark, Trino and DuckDB as a proposal for a change of the table."""

from projector.evolution.sql.script import (
    AlterScript,
    AlterStatement,
    Located,
    Note,
    parse_alter,
    to_transaction,
    to_update,
)

__all__ = ["AlterScript", "AlterStatement", "Located", "Note", "parse_alter", "to_transaction", "to_update"]
