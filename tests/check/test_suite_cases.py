"""Labelled changes of tables that Iceberg's Java implementation wrote: what the check says of them, and nothing else.

A label holds the codes of all findings that the change introduces and that are errors or warnings, and some notes.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import projector
from projector import Transaction, UpdateSchema, UpdateSpec
from projector.check.kit.rule import Family
from projector.check.rules import all_rules
from tests.check.test_ordinary_changes import open_table
from tests.conformance.conftest import tables  # noqa: F401 - the fixture

T = "ALTER TABLE t "


@dataclass(frozen=True)
class Label:
    """A change of a table of the suite, the codes it must get (`notes`: among the infos), and why."""

    table: str
    change: Any
    codes: str = ""
    notes: str = ""
    how: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The label in a test's name."""
        words = self.change if isinstance(self.change, str) else type(self.change).__name__ if self.change else "audit"
        return f"{self.table}-{words.removeprefix(T).replace(' ', '_')[:50]}"


def update(version: int = 2) -> UpdateSchema:
    return UpdateSchema(format_version=version, allow_incompatible_changes=True)


LABELS = [
    # types
    Label("add_columns_top", T + "ALTER COLUMN id TYPE bigint", "", "T108"),
    Label("add_columns_top", T + "ALTER COLUMN id TYPE string", "T101"),
    Label("add_columns_top", T + "ALTER COLUMN b TYPE int", "T101"),
    Label("add_columns_top", T + "ALTER COLUMN c TYPE timestamp_ntz", "T102"),
    Label("add_columns_top", T + "ALTER COLUMN c TYPE timestamp", "T101"),  # in Spark it has a zone
    Label("add_columns_top", T + "ALTER COLUMN d TYPE date", "T101"),
    Label("pages", T + "ALTER COLUMN d TYPE decimal(20, 2)", "", "T108"),
    Label("pages", T + "ALTER COLUMN d TYPE decimal(20, 3)", "T103"),
    Label("pages", T + "ALTER COLUMN d TYPE decimal(17, 2)", "T101"),
    Label("pages", T + "ALTER COLUMN f TYPE float", "T101"),
    Label("codecs", T + "ALTER COLUMN l.element TYPE int", "T101"),
    Label("v1_promotions", T + "ALTER COLUMN i TYPE int", "T101"),
    Label("eq_delete_plain", T + "ALTER COLUMN id TYPE bigint", "", "T108"),
    Label("eq_delete_promoted_decimal", T + "ALTER COLUMN d TYPE decimal(20, 2)", "T107"),
    Label("uuid_fixed", T + "ALTER COLUMN uid TYPE string", "T101"),
    Label("time_travel", T + "ALTER COLUMN w TYPE timestamp_ntz", "T102"),
    Label("rollback", update().add_column("z", "timestamp_ns"), "T109"),
    # nullability and defaults
    Label("add_columns_top", T + "ADD COLUMN z int NOT NULL", "N101"),
    Label("empty_table", update().add_required_column("z", "int"), ""),
    Label("add_columns_top", update().add_required_column("z", "int"), "N101"),
    Label("add_columns_top", T + "ALTER COLUMN id SET NOT NULL", "N102"),
    Label("add_columns_top", update().require_column("id"), "", "N102"),
    Label("add_columns_top", update().require_column("c"), "N102"),
    Label("make_optional", T + "ALTER COLUMN id DROP NOT NULL", ""),
    Label("rollback", T + "ADD COLUMN z int DEFAULT 3", "N105"),
    Label("defaults_write_only", T + "ADD COLUMN z int DEFAULT 3", "X103"),
    Label("defaults_write_only", update(3).add_column("z", "int", default="three"), "N103"),
    Label("defaults_write_only", update(3).add_required_column("z", "int", default=3), "N109"),
    Label("defaults_required", T + "ALTER COLUMN v SET NOT NULL", "N102"),
    # deletion
    Label("add_columns_top", T + "DROP COLUMN a", "", "D101"),
    Label("add_columns_top", T + "DROP COLUMN nope", "S101"),
    Label("object_store_paths", T + "DROP COLUMN w", "D102"),
    Label("metadata_columns", T + "DROP COLUMN id", "D102"),
    Label("metadata_columns", T + "DROP COLUMN area", "D103"),
    Label("eq_delete_plain", T + "DROP COLUMN k", "D104", "D101"),
    Label("eq_delete_plain", T + "DROP COLUMN v", "", "D101"),
    Label("drop_readd_same_name", T + "DROP COLUMN v", ""),
    Label("eq_delete_dropped", T + "ADD COLUMN k string", "", "D106"),
    Label("branches_tags", T + "DROP COLUMN n", "D105"),
    Label("partition_nested_source", T + "DROP COLUMN loc", "D102"),
    # rename and mapping
    Label("no_ids_no_mapping", T + "RENAME COLUMN aa TO zz", "", "R101"),
    Label("no_ids_no_mapping", Transaction().set_name_mapping(), "X111", "R112"),
    Label("add_files_outside", T + "RENAME COLUMN w TO zz", ""),
    Label("add_files_outside", T + "RENAME COLUMN w TO zz; " + T + "ADD COLUMN w string", "", "D106"),
    Label("add_files_outside", T + "ADD COLUMN v string", "R103", "D106"),  # the name in the files without ids
    Label("add_files_drop_readd", T + "RENAME COLUMN v TO zz; " + T + "ADD COLUMN v string", "R103", "D106"),
    Label("add_files_drop_readd", T + "DROP COLUMN v", ""),
    Label("add_files_outside", T + "UNSET TBLPROPERTIES ('schema.name-mapping.default')", "R102"),
    Label("add_files_outside", T + "SET TBLPROPERTIES ('schema.name-mapping.default' = '{')", "R105"),
    Label(
        "add_files_outside",
        T + """SET TBLPROPERTIES ('schema.name-mapping.default' = '[{"field-id": 1, "names": ["id"]}]')""",
        "R111 X111",
    ),
    Label("swap_names", T + "RENAME COLUMN a TO zz", ""),
    Label("rollback", T + "RENAME COLUMN w TO id", "S102"),
    Label("rollback", T + "RENAME COLUMN w TO `a b`", "", "R108"),
    # structure
    Label("add_columns_top", T + "ADD COLUMN ID int", "S102"),  # Spark ignores case
    Label("add_columns_top", update().add_column("ID", "int"), "S108"),
    Label("add_columns_top", T + "ADD COLUMN id int", "S102"),
    Label("add_columns_top", T + "ADD COLUMN _pos bigint", "S112"),
    Label("map_struct_key", T + "DROP COLUMN mm.key.k2", "S103"),
    Label("map_struct_key", T + "ADD COLUMN mm.key.k3 int", "S103"),
    Label("struct_all_replaced", T + "DROP COLUMN s.c", "", "D101"),
    Label("codecs", T + "ALTER COLUMN l TYPE string", "S104"),
    Label("empty_table", T + "DROP COLUMN s.x", "D107"),
    Label("nested_reorder", T + "ADD COLUMN l.element.zz int", "", "X114"),
    # partitioning and sort order
    Label("promote_partition_source", T + "ADD COLUMN p int", "S102"),
    Label("spec_month_to_day", T + "DROP PARTITION FIELD day(event_time)", "", "P118"),
    Label("spec_month_to_day", T + "REPLACE PARTITION FIELD day(event_time) WITH hour(event_time)", "X112", "P118"),
    Label("spec_month_to_day", T + "DROP PARTITION FIELD nope", "S100"),
    Label("rollback", T + "ADD PARTITION FIELD bucket(8, id)", "", "P118"),
    Label("rollback", T + "ADD PARTITION FIELD year(w)", "S100"),
    Label("rollback", T + "ADD PARTITION FIELD w; " + T + "RENAME COLUMN w TO v", ""),
    Label("rollback", Transaction().record(UpdateSpec().add_field("id", "bucket[4]", "n")), "P103"),
    Label("rollback", T + "WRITE ORDERED BY id", "", "P116"),
    Label("object_store_paths", T + "DROP PARTITION FIELD w; " + T + "DROP COLUMN w", "D103", "P118 D101"),
    Label("object_store_paths", T + "ALTER COLUMN id TYPE bigint", "", "T108"),
    Label("rename_partition_source", T + "RENAME COLUMN area TO region", ""),
    Label("metadata_columns", T + "ADD COLUMN id_bucket_2 int", "P103"),
    # files
    Label("imported_narrower", T + "ADD COLUMN z int", ""),
    Label("nested_swap_names", T + "ADD COLUMN z int", ""),
    Label("ids_against_names", None, "F103 R109"),
    Label("add_files_legacy_lists", None, "F107"),
    Label("zero_row_file", T + "ADD COLUMN z int", ""),
    # properties and versions
    Label("rollback", T + "SET TBLPROPERTIES ('format-version' = '3')", ""),
    Label("defaults_write_only", T + "SET TBLPROPERTIES ('format-version' = '2')", "S100"),
    Label("rollback", T + "SET TBLPROPERTIES ('write.metadata.metrics.column.nope' = 'full')", "S100"),
    Label("rollback", T + "SET TBLPROPERTIES ('comment' = 'x')", ""),
    # columns that come back
    Label("drop_readd_same_name", Transaction().undelete_column("v", "old_v"), "", "R112"),
    Label("schema_reverted", Transaction().undelete_column("nope"), "S100"),
    Label("eq_delete_dropped", Transaction().undelete_column("k"), "X106", "R112"),
]


@pytest.mark.parametrize("label", LABELS, ids=lambda label: label.id)
def test_label(label: Label, tables: Path) -> None:  # noqa: F811
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = open_table(label.table, tables)
        change: dict[str, Any] = {"sql" if isinstance(label.change, str) else "update": label.change}
        report = projector.check(table, **change, **label.how)
    grave = {f.code for f in report.deciding if f.severity != "info"}
    notes = {f.code for f in report.deciding if f.severity == "info"}
    told = [f"{f.severity} {f.code} {f.path}: {f.message}" for f in report.deciding]
    assert grave == set(label.codes.split()), told
    assert set(label.notes.split()) <= notes, told


def test_labels_cover_every_family() -> None:
    """With the cases of the rules there are some hundred labels; here are those on tables that another writer made."""
    said = Counter(code[0] for label in LABELS for code in (*label.codes.split(), *label.notes.split()))
    assert set(said) == {family.name for family in Family}
    assert sum(not label.codes for label in LABELS) >= 20, "harmless changes are labelled too"
    of_rules = sum(len(import_module(f"tests.check.cases.{code.lower()}").CASES) for code in all_rules())
    assert of_rules + len(LABELS) >= 500
