"""The protocol of the reader programs: a JSON request on each line of stdin, a framed answer on stdout for each.

A request is `{"metadata": path, "columns": [names] or null, "where": SQL condition or null, "count": bool}`; with
`count` the answer is the number of rows, as a column `count`. An answer is one line of JSON, `{"bytes": n}` or
`{"error": text}`, and then n bytes: an Arrow IPC stream of the rows. A program that crashes ends the stream. It runs in
the reader's environment, which need not have projector.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa

Read = Callable[[dict[str, Any]], pa.Table]


def answer_requests(read: Read) -> None:
    """Answer every request on stdin; what the reader raises is an answer."""
    out = sys.stdout.buffer
    for line in sys.stdin:
        content = b""
        try:
            content = _stream(read(json.loads(line)))
            head: dict[str, Any] = {"bytes": len(content)}
        except BaseException as error:  # a panic of a Rust reader is not an Exception
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            head = {"error": f"{type(error).__name__}: {error}"}
        out.write(json.dumps(head).encode() + b"\n" + content)
        out.flush()


def _stream(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()
