"""Read with pyiceberg."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from answering import answer_requests
from pyiceberg.table import StaticTable


def read(request: dict[str, Any]) -> pa.Table:
    """Return the rows of the current snapshot."""
    table = StaticTable.from_metadata(request["metadata"])
    how: dict[str, Any] = {"selected_fields": tuple(request.get("columns") or ("*",))}
    if request.get("where"):
        how["row_filter"] = request["where"]
    scan = table.scan(**how)
    return pa.table({"count": [scan.count()]}) if request.get("count") else scan.to_arrow()


if __name__ == "__main__":
    answer_requests(read)
