"""Compare streams of batches row by row, although each is cut into batches at different places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from projector.check.values.differences import Tally
from projector.check.values.reading import ReadFailedError


class RowStream:
    """A stream of batches that yields any number of rows at a time.

    Attributes
    ----------
    failure:
        Why the stream failed; None if it has not.
    """

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches
        self._rest: pa.RecordBatch | None = None
        self.failure: str | None = None

    def take(self, length: int) -> Iterator[pa.RecordBatch]:
        """Yield the next `length` rows in pieces; fewer if the stream ends or fails."""
        while length:
            batch = self._next()
            if batch is None:
                return
            piece = batch.slice(0, length)
            self._rest = batch.slice(length) if batch.num_rows > length else None
            length -= piece.num_rows
            yield piece

    def count_rest(self) -> int:
        """Read the remaining rows and return their number."""
        count = 0
        while (batch := self._next()) is not None:
            count += batch.num_rows
            self._rest = None
        return count

    def close(self) -> None:
        """Close the stream before its end."""
        close = getattr(self._batches, "close", None)
        if close is not None:
            close()

    def _next(self) -> pa.RecordBatch | None:
        while self._rest is None or not self._rest.num_rows:
            try:
                self._rest = next(self._batches, None)
            except ReadFailedError as error:
                self.failure = str(error)
                self._rest = None
            if self._rest is None:
                return None
        return self._rest


def compare_next(stream: RowStream, batch: pa.RecordBatch, expected: Sequence[pa.Array], tally: Tally) -> None:
    """Compare the next rows of an engine with Arrow's."""
    at = 0
    for piece in stream.take(batch.num_rows):
        if not piece.schema.equals(batch.schema, check_metadata=False):
            stream.failure = f"returns Arrow types {piece.schema.types}, not {batch.schema.types}"
            return
        tally.add([column.slice(at, piece.num_rows) for column in expected], piece.columns, piece.num_rows)
        at += piece.num_rows
    if at < batch.num_rows:
        tally.add_missing(batch.num_rows - at)
