"""What is asked of the tables that are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Query:
    """A question: `full` takes all columns, `sum` adds up one, `clustered` and `scattered` filter as well.

    Parameters
    ----------
    bounds:
        From the number of rows to the half-open range of the filter.
    """

    name: str
    about: str
    bounds: Callable[[int], tuple[int, int]] = lambda rows: (0, rows)


QUERIES = (
    Query("full", "All rows of all columns"),
    Query("sum", "The sum of one column that was promoted"),
    Query(
        "clustered",
        "All columns of 2 % of the rows, picked by a column that follows the files",
        lambda rows: (rows // 2, rows // 2 + rows // 50),
    ),
    Query(
        "scattered",
        "All columns of 2 % of the rows, picked by a column that is spread over all files",
        lambda rows: (rows // 2, rows // 2 + rows // 50),
    ),
)
