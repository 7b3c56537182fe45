"""A few hundred damaged tables, by fixed seeds. `python -m tests.damage` runs thousands, within limits."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.damage.__main__ import unpacked
from tests.damage.damages import damage
from tests.damage.verbs import USES, try_use

TABLES = [
    "add_files_nested_rename", "deletion_vectors", "eq_delete_plain", "gzip_metadata", "position_deletes",
    "v1_promotions",
]  # fmt: skip
QUICK = [name for name in USES if "values" not in name]
BATCHES, INPUTS = 10, 20


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("damage"), TABLES)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_damaged_tables_give_rows_or_a_refusal(tables: Path, tmp_path: Path, batch: int) -> None:
    for seed in range(batch * INPUTS, (batch + 1) * INPUTS):
        rng = random.Random(seed)
        table = tmp_path / str(seed)
        shutil.copytree(tables / rng.choice(TABLES), table)
        done = damage(table, rng)
        for use in (rng.choice(QUICK[:8]), rng.choice(QUICK[8:])):
            assert try_use(use, table) is None, f"seed {seed}, {use}: {done}"
