"""Apache Iceberg schema evolution and projection: tried on the old files before the commit.

Names are handed on lazily (PEP 562): importing the package loads no engine and takes a few milliseconds.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from projector.api.check import audit, check
    from projector.api.read_files import read_files
    from projector.api.scan import Scan
    from projector.api.table import Table, load_table
    from projector.check.progress import Progress
    from projector.check.report.report import CheckFailedError, Report
    from projector.errors import (
        CommitConflictError,
        CommitUnknownError,
        CorruptFileError,
        ExhaustedError,
        InvalidMetadataError,
        NotFoundError,
        ParseError,
        ProjectionError,
        ProjectorError,
        ProjectorWarning,
        SchemaUpdateError,
        StoreError,
        UnsupportedError,
    )
    from projector.evolution.commit.rest_body import schema_update_body, transaction_body
    from projector.evolution.updates.schema_commit import SchemaCommit, prepare_schema_update
    from projector.evolution.updates.transaction import Transaction, TransactionCommit, prepare_transaction
    from projector.evolution.updates.update_schema import UpdateSchema
    from projector.evolution.updates.update_sort_order import UpdateSortOrder
    from projector.evolution.updates.update_spec import UpdateSpec
    from projector.files.shapes.groups import ShapeGroup, shapes
    from projector.metadata.table_metadata import TableMetadata
    from projector.projection.plan import Plan
    from projector.projection.resolve import resolve
    from projector.schema import types
    from projector.schema.schema import Schema

__version__ = "0.1.0"

__all__ = [
    "CheckFailedError",
    "CommitConflictError",
    "CommitUnknownError",
    "CorruptFileError",
    "ExhaustedError",
    "InvalidMetadataError",
    "NotFoundError",
    "ParseError",
    "Plan",
    "Progress",
    "ProjectionError",
    "ProjectorError",
    "ProjectorWarning",
    "Report",
    "Scan",
    "Schema",
    "SchemaCommit",
    "SchemaUpdateError",
    "ShapeGroup",
    "StoreError",
    "Table",
    "TableMetadata",
    "Transaction",
    "TransactionCommit",
    "UnsupportedError",
    "UpdateSchema",
    "UpdateSortOrder",
    "UpdateSpec",
    "audit",
    "check",
    "load_table",
    "prepare_schema_update",
    "prepare_transaction",
    "read_files",
    "resolve",
    "schema_update_body",
    "shapes",
    "transaction_body",
    "types",
]

_HOMES = {
    "CheckFailedError": "projector.check.report.report",
    "Plan": "projector.projection.plan",
    "Progress": "projector.check.progress",
    "Report": "projector.check.report.report",
    "Scan": "projector.api.scan",
    "Schema": "projector.schema.schema",
    "SchemaCommit": "projector.evolution.updates.schema_commit",
    "ShapeGroup": "projector.files.shapes.groups",
    "Table": "projector.api.table",
    "TableMetadata": "projector.metadata.table_metadata",
    "Transaction": "projector.evolution.updates.transaction",
    "TransactionCommit": "projector.evolution.updates.transaction",
    "UpdateSchema": "projector.evolution.updates.update_schema",
    "UpdateSortOrder": "projector.evolution.updates.update_sort_order",
    "UpdateSpec": "projector.evolution.updates.update_spec",
    "audit": "projector.api.check",
    "check": "projector.api.check",
    "load_table": "projector.api.table",
    "prepare_schema_update": "projector.evolution.updates.schema_commit",
    "prepare_transaction": "projector.evolution.updates.transaction",
    "read_files": "projector.api.read_files",
    "resolve": "projector.projection.resolve",
    "schema_update_body": "projector.evolution.commit.rest_body",
    "shapes": "projector.files.shapes.groups",
    "transaction_body": "projector.evolution.commit.rest_body",
}
"""Where each public name lives; errors and `types` are found below."""


def __getattr__(name: str) -> Any:
    if name == "types":
        return import_module("projector.schema.types")
    home = _HOMES.get(name) or ("projector.errors" if name in __all__ else None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """`projector.check` is the function: importing the room of that name does not put the room in its place."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
