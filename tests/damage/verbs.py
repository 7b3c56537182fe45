"""The ways to use a damaged table, and what counts as a clean answer of each."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import projector
from cli.main import run
from projector.errors import ProjectorError

Use = Callable[[Path], None]


class Unclean(Exception):
    """An answer of the command line that is neither rows, findings nor a refusal in a sentence."""


def _scan(read: Callable[[Any], Any]) -> Use:
    def use(table: Path) -> None:
        # DuckDB's and Polars' own errors may come from their own objects only; none is used here.
        with contextlib.suppress(ProjectorError):
            read(projector.load_table(str(table)).scan())

    return use


def _lazy(scan: Any) -> None:
    import polars as pl

    with contextlib.suppress(pl.exceptions.ComputeError):  # what Polars makes of an error of its source
        scan.to_lazy().collect()


def _command(*args: str) -> Use:
    def use(table: Path) -> None:
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run([str(table) if a == "TABLE" else a for a in args])
        text = err.getvalue()
        if code not in (0, 1, 2) or "bug in projector" in text or "Traceback" in text or (code == 2 and not text):
            raise Unclean(f"exit {code}: {text[-600:]}")

    return use


_ADD = "ALTER TABLE t ADD COLUMN added_by_test string"

USES: dict[str, Use] = {
    "rows": _scan(lambda scan: scan.to_arrow(engine="rows")),
    "arrow": _scan(lambda scan: scan.to_arrow()),
    "polars": _scan(lambda scan: scan.to_polars()),
    "duckdb": _scan(lambda scan: scan.to_arrow(engine="duckdb")),
    "lazy": _scan(_lazy),
    "count": _scan(lambda scan: scan.count()),
    "explain": _scan(lambda scan: scan.explain()),
    "read": _command("read", "TABLE", "-f", "json"),
    "query": _command("query", "TABLE", "SELECT * FROM t"),
    "query polars": _command("query", "TABLE", "SELECT count(*) FROM t", "--engine", "polars"),
    "audit": _command("audit", "TABLE"),
    "audit values": _command("audit", "TABLE", "--level", "values"),
    "check schema": _command("check", "TABLE", "--any-table", "--sql", _ADD, "--level", "schema"),
    "check": _command("check", "TABLE", "--any-table", "--sql", _ADD, "-f", "json"),
    "check values": _command("check", "TABLE", "--any-table", "--sql", _ADD, "--level", "values", "--all-columns"),
    "plan": _command("plan", "TABLE", "--any-table", "--sql", _ADD),
    "inspect files": _command("inspect", "TABLE", "files"),
    "inspect history": _command("inspect", "TABLE", "history"),
    "commit unchecked": _command("commit", "TABLE", "--any-table", "--no-check", "--sql", _ADD),
    "commit": _command("commit", "TABLE", "--any-table", "--sql", _ADD),
}
"""The uses, in this order: a commit comes last, since it changes the table."""


def try_use(name: str, table: Path) -> str | None:
    """Use a table in one way; return the error if the answer is not clean."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            USES[name](table)
        except Exception as error:
            return _summary(error)
    return None


def _summary(error: BaseException) -> str:
    frames = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "projector" in code.co_filename:
            frames.append(f"{Path(code.co_filename).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{type(error).__name__}: {str(error)[:500]!r} at {' '.join(frames[-3:])}"
