"""Write what a verb found: rows and listings as text, JSON, CSV or Parquet.

Data goes to stdout or to a file; notes, warnings and progress go to stderr. JSON documents have a `schema_version`,
which changes when a key changes its meaning.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from projector.errors import ProjectorError, UnsupportedError
from projector.text import printable

from .values import json_values

if TYPE_CHECKING:
    import pyarrow as pa

    from projector.check.progress import Progress

SCHEMA_VERSION = 1
TEXT_ROWS = 100
"""The most rows that the text format shows without a limit."""

SUFFIXES = {
    ".txt": "text", ".json": "json", ".csv": "csv", ".parquet": "parquet",
    ".md": "markdown", ".html": "html", ".sarif": "sarif", ".xml": "junit",
}  # fmt: skip
"""The format that the suffix of a file's name selects."""


@dataclass(frozen=True)
class Target:
    """Where output goes, and in which format."""

    format: str
    file: Path | None = None

    @staticmethod
    def chosen(output_format: str | None, file: Path | None) -> Target:
        """Return the format that was requested, or that the file's name selects, or text."""
        guessed = SUFFIXES.get(file.suffix.lower()) if file else None
        return Target(output_format or guessed or "text", file)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Return the stream to write to. A file appears under its name only when it is complete.

        A path that is not a regular file, such as `/dev/null` or a pipe, is written directly; a link stays a link.
        """
        if self.file is None:
            if sys.stdout is None:
                raise ProjectorError("Cannot write: standard output is closed", hint="give --output FILE")
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
            return
        file = Path(os.path.realpath(self.file))
        if file.exists() and not file.is_file():
            with self._opened(file) as stream:
                yield stream
            return
        partial = file.with_name(f".{file.name}.{os.getpid()}.partial")
        try:
            with self._opened(partial) as stream:
                yield stream
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)

    def _opened(self, place: Path) -> IO[bytes]:
        try:
            return place.open("wb")
        except OSError as error:
            raise ProjectorError(f"Cannot write {self.file}: {error.strerror}") from None


@dataclass(frozen=True)
class Listing:
    """A table of facts: the names of its columns, and its rows of JSON values."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as objects."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def write_document(document: Mapping[str, Any], target: Target) -> None:
    """Write one JSON document."""
    with target.open() as stream:
        text = json.dumps({"schema_version": SCHEMA_VERSION, **document}, ensure_ascii=False, indent=2)
        stream.write(text.encode("utf-8", "backslashreplace") + b"\n")


def write_text(text: str, target: Target) -> None:
    """Write text unchanged."""
    with target.open() as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))


def write_count(count: int, target: Target) -> None:
    """Write a number of rows; as text it is the bare number."""
    if target.format == "text":
        write_text(f"{count}\n", target)
    elif target.format == "json":
        write_document({"count": count}, target)
    else:
        write_listing(Listing("count", ("count",), ((count,),)), target)


def write_listing(listing: Listing, target: Target, more: Mapping[str, Any] | None = None) -> None:
    """Write a listing; `more` are further keys of its JSON document."""
    match target.format:
        case "json":
            write_document({**(more or {}), listing.name: listing.objects()}, target)
        case "csv":
            with target.open() as stream:
                rows = ([printable(cell) if isinstance(cell, str) else cell for cell in row] for row in listing.rows)
                _write_csv(listing.columns, rows, stream)
        case "text":
            with target.open() as stream:
                stream.write(_text_listing(listing))
        case other:
            raise UnsupportedError(f"Cannot write {listing.name} as {other}", hint="choose text, json or csv")


def write_sections(sections: Sequence[tuple[str, Listing]], target: Target) -> None:
    """Write listings as text, each under its heading."""
    with target.open() as stream:
        for number, (heading, listing) in enumerate(sections):
            stream.write((("\n" if number else "") + printable(heading) + "\n\n").encode("utf-8", "backslashreplace"))
            stream.write(_text_listing(listing))


def write_rows(batches: pa.RecordBatchReader, target: Target, limit: int | None) -> None:
    """Write rows as they arrive; without a limit the text format stops at `TEXT_ROWS`."""
    match target.format:
        case "json":
            _refuse_repeated(batches.schema.names)
            with target.open() as stream:
                _write_json_rows(batches, stream)
        case "csv":
            with target.open() as stream:
                _write_csv(batches.schema.names, _tuples(batches), stream)
        case "parquet":
            _write_parquet(batches, target)
        case _:
            shown = list(islice(_tuples(batches), TEXT_ROWS + 1 if limit is None else None))
            with target.open() as stream:
                stream.write(_text_table(batches.schema.names, shown[: TEXT_ROWS if limit is None else None]))
            if limit is None and len(shown) > TEXT_ROWS:
                note(f"these are the first {TEXT_ROWS} rows; --limit asks for more, --format csv|json|parquet for all")


def text_width(stream: IO[str] | None) -> int | None:
    """Return the columns to wrap text to: the terminal's, 80 if it does not say; None if it is not a terminal."""
    return shutil.get_terminal_size((80, 24)).columns if _is_terminal(stream) else None


def _is_terminal(stream: IO[str] | None) -> bool:
    """Return whether a standard stream is a terminal; the stream is None if the caller closed it."""
    return stream is not None and stream.isatty()


def note(text: str) -> None:
    """Write a note for the user, which is not data, to stderr."""
    click.echo(f"note: {text}", err=True)


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Any]:
    """Yield a function to call with the number of further items done. Draws on stderr, and only on a terminal."""
    if not _is_terminal(sys.stderr) or (total is not None and total < 1):
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)


@contextmanager
def check_progress() -> Iterator[Callable[[Progress], None] | None]:
    """Yield a callback that shows the progress of a check on stderr, if that is a terminal: files, rows, time left."""
    if not _is_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[done]}"), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None, done="")

        def show(progress: Progress) -> None:
            by_rows = bool(progress.total_rows)
            total = progress.total_rows if by_rows else progress.total
            what = "columns" if progress.stage == "filters" else "files"
            of = "" if progress.total is None else f" of {progress.total:,}"
            rows = f", {progress.rows:,} of {progress.total_rows:,} rows" if by_rows else ""
            if progress.done == 0:
                bar.reset(task, description=progress.stage, total=total)
            bar.update(
                task, completed=progress.rows if by_rows else progress.done, done=f"{progress.done:,}{of} {what}{rows}"
            )

        yield show


def watched(batches: pa.RecordBatchReader, total: Callable[[], int | None]) -> pa.RecordBatchReader:
    """Yield the same batches, with a progress bar that counts their rows if stderr is a terminal."""
    if not _is_terminal(sys.stderr):
        return batches
    import pyarrow as pa

    def counted() -> Iterator[pa.RecordBatch]:
        with progress("rows", total()) as advance:
            for batch in batches:
                yield batch
                advance(batch.num_rows)

    return pa.RecordBatchReader.from_batches(batches.schema, counted())


def _tuples(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Any, ...]]:
    for batch in batches:
        columns = [json_values(column) for column in batch.columns]
        yield from zip(*columns, strict=True) if columns else iter([()] * batch.num_rows)


def _write_json_rows(batches: pa.RecordBatchReader, stream: IO[bytes]) -> None:
    columns = []
    for field in batches.schema:
        field_id = (field.metadata or {}).get(b"PARQUET:field_id")
        columns.append({"name": field.name, "field_id": int(field_id) if field_id else None, "type": str(field.type)})
    head = json.dumps({"schema_version": SCHEMA_VERSION, "columns": columns}, ensure_ascii=False)
    stream.write((head[:-1] + ', "rows": [').encode("utf-8", "backslashreplace"))
    separator = "\n"
    for row in _tuples(batches):
        text = json.dumps(dict(zip(batches.schema.names, row, strict=True)), ensure_ascii=False)
        stream.write((separator + text).encode("utf-8", "backslashreplace"))
        separator = ",\n"
    stream.write(b"\n]}\n")


def _refuse_repeated(names: Sequence[str]) -> None:
    """Reject columns that share a name: a JSON object would keep only the last one."""
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ProjectorError(
            f"Cannot write JSON: more than one column is called {repeated}", hint="rename one with AS, or write csv"
        )


def _write_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]], stream: IO[bytes]) -> None:
    # Names are escaped, because they could control a terminal. Values are data and stay as they are.
    for row in chain([[printable(name) for name in columns]], rows):
        stream.write((",".join(map(_csv_cell, row)) + "\n").encode("utf-8", "backslashreplace"))


def _csv_cell(value: Any) -> str:
    """Return a CSV cell. Null is empty and empty text is quoted; the standard library's writer cannot do that."""
    match value:
        case None:
            return ""
        case str():
            text = value
        case bool() | dict() | list():
            text = json.dumps(value, ensure_ascii=False)
        case _:
            text = str(value)
    plain = text and not any(c in text for c in ',"\r\n') and text == text.strip()
    return text if plain else '"' + text.replace('"', '""') + '"'


def _write_parquet(batches: pa.RecordBatchReader, target: Target) -> None:
    import pyarrow.parquet as pq

    if target.file is None and _is_terminal(sys.stdout):
        raise ProjectorError("Cannot write Parquet to a terminal", hint="give --output FILE, or redirect stdout")
    with target.open() as stream, pq.ParquetWriter(stream, batches.schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


def _text_listing(listing: Listing) -> bytes:
    """Return a listing as text. Empty cells are blank, and columns without any value are left out."""
    said = [i for i in range(len(listing.columns)) if any(row[i] not in (None, "", []) for row in listing.rows)]
    rows = [["" if row[i] is None else row[i] for i in said] for row in listing.rows]
    shown = [[", ".join(map(str, cell)) if isinstance(cell, list) else cell for cell in row] for row in rows]
    return _text_table([listing.columns[i] for i in said], shown) if said else b"none\n"


def _text_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    terminal, width = _is_terminal(sys.stdout), text_width(sys.stdout)
    cells = [[_text_cell(value) for value in row] for row in rows]
    words = [_longest_word([_heading(name), *(row[i] for row in cells)]) for i, name in enumerate(columns)]
    if width is not None and rows and sum(words) + 2 * len(words) > width:
        return _records(columns, rows, cells)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0) if terminal else (0, 1))
    numeric = [all(_is_number(row[i]) for row in rows if row[i] not in (None, "")) for i in range(len(columns))]
    widths: Sequence[int | None] = [None] * len(columns)
    if width is not None:
        needs = [max(map(cell_len, [*_heading(n).split("\n"), *(c[i] for c in cells)])) for i, n in enumerate(columns)]
        widths = _shared(words, needs, width - 2 * len(columns))
    for name, right, room in zip(columns, numeric, widths, strict=True):
        heading = Text(_heading(name) if terminal else printable(name))
        table.add_column(heading, justify="right" if right else "left", overflow="fold", width=room)
    for row, shown in zip(rows, cells, strict=True):
        table.add_row(*(Text(cell, "dim" if value is None else "") for value, cell in zip(row, shown, strict=True)))
    out = io.StringIO()
    # Without a terminal nothing is wrapped, because other programs read the output.
    console = Console(
        file=out, force_terminal=terminal or None, width=width or 1_000_000, soft_wrap=not terminal, highlight=False
    )
    console.print(table)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    return ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace")


def _records(columns: Sequence[str], rows: Sequence[Sequence[Any]], cells: Sequence[Sequence[str]]) -> bytes:
    """Return rows one below the other, a line for each cell that is not blank; for tables wider than a terminal."""
    from rich.cells import cell_len, set_cell_size

    names = [printable(name) for name in columns]
    room = max(map(cell_len, names))
    blocks = (
        "".join(f"{set_cell_size(n, room)}  {cell}\n" for n, v, cell in zip(names, row, shown, strict=True) if v != "")
        for row, shown in zip(rows, cells, strict=True)
    )
    return "\n".join(blocks).encode("utf-8", "backslashreplace")


def _shared(least: Sequence[int], needs: Sequence[int], width: int) -> list[int]:
    """Return the widths of columns: the width that each needs, or an equal share of what the narrower ones leave."""
    widths, left = list(least), width - sum(least)
    for done, i in enumerate(sorted(range(len(least)), key=lambda i: needs[i] - least[i])):
        more = max(0, min(needs[i] - least[i], left // (len(least) - done)))
        widths[i] += more
        left -= more
    return widths


def _heading(name: str) -> str:
    """Return a column's name for a terminal, a long one on several lines."""
    return printable(name).replace("_", "_\n") if len(name) > 12 else printable(name)


def _longest_word(cells: Iterable[str]) -> int:
    from rich.cells import cell_len

    return max((cell_len(word) for cell in cells for word in cell.split()), default=1)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text_cell(value: Any) -> str:
    match value:
        case None:
            return "null"
        case str():
            return printable(value)
        case bool() | dict() | list():
            return printable(json.dumps(value, ensure_ascii=False))
        case _:
            return str(value)
