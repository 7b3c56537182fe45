"""Numbers that are none are refused by the name of their parameter, before anything is opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import projector
from projector.errors import ProjectorError

ORDERS = str(Path(__file__).parent.parent.parent / "sample_data" / "orders")
pytestmark = pytest.mark.filterwarnings("ignore:the table records its location")


def scan() -> projector.Scan:
    return projector.load_table(ORDERS).scan()


TAKERS: dict[str, Callable[[Any], Any]] = {
    "batch_size": lambda value: scan().to_arrow_batch_reader(batch_size=value),
    "limit": lambda value: scan().with_limit(value),
    "sample": lambda value: projector.check(ORDERS, sample=value),
    "sample_rows": lambda value: projector.check(ORDERS, sample_rows=value),
}


@pytest.mark.parametrize("name", TAKERS)
@pytest.mark.parametrize(
    ("value", "shown"), [(-1, "-1"), (2.5, "2.5 (float)"), (True, "True (bool)"), ("3", "'3' (str)")]
)
def test_a_number_that_is_none_is_refused_by_name(name: str, value: object, shown: str) -> None:
    with pytest.raises(ProjectorError) as caught:
        TAKERS[name](value)
    least = 0 if name == "limit" else 1
    assert str(caught.value) == f"Invalid {name}: {shown}; give an int that is {least} or more"


def test_zero_rows_are_a_limit_and_no_size_of_a_batch() -> None:
    assert scan().with_limit(0).to_arrow().num_rows == 0
    with pytest.raises(ProjectorError, match="Invalid batch_size: 0"):
        scan().to_arrow_batch_reader(batch_size=0)
    with pytest.raises(ProjectorError, match="Invalid limit: -3"):
        projector.load_table(ORDERS).scan(limit=-3)


def test_integers_of_numpy_are_integers() -> None:
    assert scan().with_limit(np.int64(2)).to_arrow().num_rows == 2  # type: ignore[arg-type]


def test_a_limit_beyond_64_bits_is_above_every_number_of_rows() -> None:
    assert scan().with_limit(10**23).to_arrow().num_rows == 13


def test_an_empty_location_is_not_the_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ORDERS)
    with pytest.raises(ProjectorError, match="The table's location is empty; give its folder"):
        projector.load_table("")
