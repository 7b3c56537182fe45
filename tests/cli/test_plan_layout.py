"""`projector plan` and `projector commit` for partition fields, write order and properties."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cli.main import run
from projector.api.table import Table, load_table

pytestmark = pytest.mark.filterwarnings("ignore:the table records its location")

ORDERS = Path(__file__).parents[2] / "sample_data" / "orders"


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ORDERS, tmp_path / "orders"))


def loaded(orders: Path) -> Table:
    return load_table(str(orders))


def column(orders: Path) -> str:
    return loaded(orders).schema().fields[0].name


def test_plan_says_what_files_keep_and_get(orders: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    name = column(orders)
    sql = f"ALTER TABLE orders ADD PARTITION FIELD bucket(4, {name}); ALTER TABLE orders WRITE ORDERED BY {name}"
    assert run(["plan", str(orders), "--sql", sql, "--filter", f"{name} = 1"]) == 0
    text = capfdbinary.readouterr().out.decode()
    assert "Schema" in text
    assert f"bucket[4]({name})" in text
    assert "new files: sorted by order 1 (added)" in text
    assert "the same rows as new files, after:" in text
    assert '"action": "set-default-spec"' in text


def test_plan_as_json(orders: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    name = column(orders)
    sql = f"ALTER TABLE orders ADD PARTITION FIELD bucket(4, {name})"
    assert run(["plan", str(orders), "--sql", sql, "--filter", f"{name} = 1", "--format", "json"]) == 0
    document = json.loads(capfdbinary.readouterr().out)
    assert (document["changed"], document["spec_added"], document["sort_order_added"]) == (True, True, False)
    layout = document["layout"]
    assert layout["specs"][-1]["default_after"] is True
    assert layout["filter"]["old_files"]["before"]["of_files"] == layout["files"]
    assert layout["filter"]["new_files"]["after"]["records"] <= layout["filter"]["new_files"]["before"]["records"]


def test_plan_of_columns_alone_reads_no_manifest(orders: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    shutil.rmtree(orders / "data", ignore_errors=True)
    for manifest in orders.rglob("*.avro"):
        manifest.unlink()
    assert run(["plan", str(orders), "--sql", "ALTER TABLE orders ADD COLUMN x int", "--format", "json"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["layout"] is None


def test_commit_of_several_kinds(orders: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    name = column(orders)
    sql = (
        "ALTER TABLE orders ADD COLUMN shard int; ALTER TABLE orders ADD PARTITION FIELD bucket(4, shard);"
        f"ALTER TABLE orders WRITE ORDERED BY {name}; ALTER TABLE orders SET TBLPROPERTIES ('owner' = 'me')"
    )
    assert run(["commit", str(orders), "--sql", sql, "--format", "json"]) == 0
    document = json.loads(capfdbinary.readouterr().out)
    after = loaded(orders)
    assert document["spec_id"] == after.metadata.default_spec_id
    assert after.spec().fields[-1].name == "shard_bucket_4"
    assert after.properties["owner"] == "me"
    assert run(["commit", str(orders), "--sql", "ALTER TABLE orders SET TBLPROPERTIES ('owner' = 'me')"]) == 0
    assert "Nothing to commit" in capfdbinary.readouterr().out.decode()


def test_a_mistake_is_one_line(orders: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["plan", str(orders), "--sql", "ALTER TABLE orders DROP PARTITION FIELD nope"]) == 2
    assert "Cannot find partition field to remove: nope" in capfdbinary.readouterr().err.decode()
