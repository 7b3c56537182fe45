"""R110 property-names-no-column.

What it does:
    Finds a table property about one column, by a name that the schema does not have.

Why it matters:
    The property does nothing: metrics or bloom filters that were asked for are not written any more. Iceberg moves such
    properties with a column that is renamed, but not with fields inside it, and not those about its filter's size.

Evidence:
    The property.

Example:
    ALTER TABLE orders RENAME COLUMN buyer TO customer, with write.metadata.metrics.column.buyer.name = full

Instead:
    Set the property under the new name, and remove the old one.

Reference:
    Table properties of Iceberg: write.metadata.metrics.column, write.parquet.bloom-filter-enabled.column.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.apply.property_updates import COLUMN_PROPERTY_PREFIXES

PREFIXES = (*COLUMN_PROPERTY_PREFIXES, "write.parquet.bloom-filter-fpp.column.")


def check(state: TableState) -> Iterator[Finding]:
    """Every such property."""
    for key in state.metadata.properties:
        prefix = next((p for p in PREFIXES if key.startswith(p)), None)
        if prefix is None or key.removeprefix(prefix) in state.schema.ids_by_name:
            continue
        yield Finding(
            f"the table property {key} is about a column that is not there",
            Direction.ADVICE,
            key.removeprefix(prefix),
            help="set it under the column's present name, or remove it",
            key=prefix,
        )


RULE = Rule(
    "R110",
    "property-names-no-column",
    "Finds table properties about columns that are not there.",
    Level.SCHEMA,
    "Table properties",
    on_state=check,
)
