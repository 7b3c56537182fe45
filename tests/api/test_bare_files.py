"""Files without a table, and explanations, as a newcomer asks for them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import projector
from projector.errors import NotFoundError, ProjectorError
from projector.schema.types import LongType, NestedField, StringType

ORDERS = Path(__file__).parent.parent.parent / "sample_data" / "orders"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "several letters.parquet"
    pq.write_table(pa.table({"x": [1, 2]}), path)
    return path


@pytest.mark.parametrize("spelled", [str, Path])
def test_one_path_alone_is_one_file(file: Path, spelled: type) -> None:
    (group,) = projector.shapes(spelled(file))
    assert (group.files, group.row_counts) == ((str(file),), (2,))


def test_a_partition_value_of_another_type_is_refused_as_one(file: Path) -> None:
    schema = projector.Schema((NestedField(1, "x", LongType(), False), NestedField(2, "shop", StringType(), False)))
    mapping = '[{"field-id": 1, "names": ["x"]}]'
    rows = projector.read_files(file, schema=schema, name_mapping=mapping, partition={2: "porto"}).to_arrow()
    assert rows["shop"].to_pylist() == ["porto", "porto"]
    with pytest.raises(ProjectorError) as caught:
        projector.read_files(file, schema=schema, partition={1: "porto"})
    assert str(caught.value) == "Cannot use 'porto' as a partition value: it is not a long [field x (id 1)]"


@pytest.mark.filterwarnings("ignore:the table records its location")
def test_a_column_is_explained_under_every_name_that_selects_it() -> None:
    explanation = projector.load_table(str(ORDERS)).scan().explain()
    assert len(explanation.shapes) == len(explanation.column("shop")) > 1
    short, full = explanation.column("items.isbn"), explanation.column("items.element.isbn")
    assert short == full
    assert {field.path for _, field in short} == {"items.element.isbn"}
    with pytest.raises(NotFoundError, match="did you mean shop"):
        explanation.column("shopp")
