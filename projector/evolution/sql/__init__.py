"""ALTER TABLE in Spark's, Trino's and DuckDB's SQL, read as a proposal for a change of the table."""

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
