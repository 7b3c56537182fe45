"""The pages of the documentation that are made from the engines' own tables."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from projector.engines.duckdb import support as duckdb_support
from projector.engines.duckdb.types import duckdb_type
from projector.engines.polars import support as polars_support
from projector.engines.polars.types import polars_type
from projector.projection.casts import CASTS
from projector.projection.plan import Cast
from projector.schema.arrow_schema import arrow_type
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    GeographyType,
    GeometryType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
)

TYPES: tuple[tuple[str, IcebergType], ...] = (
    ("boolean", BooleanType()),
    ("int", IntegerType()),
    ("long", LongType()),
    ("float", FloatType()),
    ("double", DoubleType()),
    ("decimal(9, 2)", DecimalType(9, 2)),
    ("date", DateType()),
    ("time", TimeType()),
    ("timestamp", TimestampType()),
    ("timestamptz", TimestamptzType()),
    ("timestamp_ns", TimestampNanoType()),
    ("timestamptz_ns", TimestamptzNanoType()),
    ("string", StringType()),
    ("uuid", UUIDType()),
    ("fixed(4)", FixedType(4)),
    ("binary", BinaryType()),
    ("struct of a: int", StructType((NestedField(1, "a", IntegerType()),))),
    ("list of int", ListType(1, IntegerType())),
    ("map of string to int", MapType(1, StringType(), 2, IntegerType())),
    ("geometry", GeometryType()),
    ("geography", GeographyType()),
    ("unknown", UnknownType()),
)
"""One type of every kind, and how the page calls it."""

SUPPORT: Mapping[str, type[StrEnum]] = {"Polars": polars_support.Reason, "DuckDB": duckdb_support.Reason}
"""The tables of what the engines' own readers cannot do exactly."""

MADE_BY = "Made by `python docs/generate/engine_pages.py docs`."


def types_page() -> str:
    """Return the nearest types of every engine, and what a file may hold under each type, as Markdown."""
    lines = [
        "# Types of the engines",
        "",
        MADE_BY,
        "",
        "`to_arrow` gives the types of the column Arrow with every engine, `to_polars` and `to_lazy` those of the",
        "column Polars, `to_duckdb` those of the column DuckDB. Where an engine has no type for uuid, fixed, geometry",
        "or geography, it holds their bytes.",
        "",
        "| Iceberg | Arrow | Polars | DuckDB |",
        "|---|---|---|---|",
    ]
    for name, iceberg_type in TYPES:
        cells = (name, _arrow(iceberg_type), str(polars_type(iceberg_type)), duckdb_type(iceberg_type))
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    lines += [
        "",
        "## What a file may hold under a type",
        "",
        "A column of any other kind cannot be read under the type: the scan is refused before a row is read.",
        "",
        "| requested | the file's column | what is done to its values |",
        "|---|---|---|",
    ]
    names = {type(iceberg_type): name.partition("(")[0] for name, iceberg_type in TYPES}
    for (kind, requested), rules in CASTS.items():
        for rule in rules:
            stored = f"{kind}, {rule.condition}" if rule.condition else str(kind)
            lines.append(f"| {names[requested]} | {stored} | {'nothing' if rule.cast is Cast.NONE else rule.cast} |")
    return "\n".join(lines) + "\n"


def _arrow(iceberg_type: IcebergType) -> str:
    return "arrow.uuid" if isinstance(iceberg_type, UUIDType) else str(arrow_type(iceberg_type))


def support_page() -> str:
    """Return what the Arrow executor reads in the engines' place, as Markdown."""
    lines = [
        "# What the engines do not read themselves",
        "",
        MADE_BY,
        "",
        "An engine reads the files of a scan with its own reader wherever that gives exactly the rows of the",
        "reference. Where it does not, the Arrow executor reads the files and hands the engine its batches: the answer",
        "is the same. This is decided for each shape of file, so one odd file does not slow the others.",
    ]
    for engine, reasons in SUPPORT.items():
        lines += ["", f"## {engine}", "", "| case | what, and why |", "|---|---|"]
        lines += [f"| {reason.name.lower().replace('_', ' ')} | {reason.value} |" for reason in reasons]
    return "\n".join(lines) + "\n"


PAGES = {"engine-types.md": types_page, "engine-support.md": support_page}


def main(folder: str) -> None:
    """Write the pages into a folder."""
    for name, page in PAGES.items():
        (Path(folder) / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
