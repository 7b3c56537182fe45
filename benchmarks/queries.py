"""What is asked of the tables that are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """The columns that a runner reads (None for all), of the rows with `low <= column < high`."""

    columns: tuple[str, ...] | None = None
    column: str | None = None
    low: int = 0
    high: int = 0

    @property
    def condition(self) -> str | None:
        """The filter, in a form that is valid SQL and a valid filter string of all readers."""
        if self.column is None:
            return None
        return f"{self.column} >= {self.low} and {self.column} < {self.high}"


@dataclass(frozen=True)
class Query:
    """A named question about a table of any size.

    Parameters
    ----------
    ask:
        `ask(columns, rows)` returns the question, given the columns of a full read and the number of rows.
    """

    name: str
    about: str
    ask: Callable[[tuple[str, ...] | None, int], Question]


def _one_in_a_hundred(column: str) -> Callable[[tuple[str, ...] | None, int], Question]:
    return lambda columns, rows: Question(columns, column, rows // 2, rows // 2 + rows // 100)


QUERIES = (
    Query("full", "All rows", lambda columns, _rows: Question(columns)),
    Query("sum", "The sum of one column that was promoted", lambda _columns, _rows: Question(("amount",))),
    Query(
        "clustered",
        "1 % of the rows, picked by a renamed column that follows the files",
        _one_in_a_hundred("clustered"),
    ),
    Query(
        "scattered",
        "1 % of the rows, picked by a renamed column that is spread over all files",
        _one_in_a_hundred("scattered"),
    ),
)
