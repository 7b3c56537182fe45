"""Read the configuration of the check: `projector.toml`, or `[tool.projector]` in `pyproject.toml`."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from projector.check.report.suppressions import Suppression
from projector.errors import NotFoundError, ParseError

_TEXTS = {
    "level": ("schema", "footers", "values"),
    "compatibility": (
        "backward-transitive", "backward", "forward-transitive", "forward", "full-transitive", "full", "none",
    ),
    "fail-on": ("error", "warning", "info", "never"),
}  # fmt: skip
_LISTS = ("select", "ignore-codes", "engines")
_NUMBERS = {"sample": "files", "sample-rows": "rows"}
_KEYS = {*_TEXTS, *_LISTS, *_NUMBERS, "ignore"}
_IGNORE_KEYS = {"table", "field", "codes", "reason", "until"}


@dataclass(frozen=True)
class Config:
    """The settings of a configuration file; None or empty if the file does not set them."""

    file: Path | None = None
    level: str | None = None
    compatibility: str | None = None
    fail_on: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    sample: int | None = None
    sample_rows: int | None = None
    suppressions: tuple[Suppression, ...] = ()


def find_config(folder: Path) -> Config:
    """Return the nearest configuration: in a folder or one of its parents.

    Within a folder `projector.toml` takes precedence over `pyproject.toml`, which counts only if it has
    `[tool.projector]`. Raises `ParseError` for an invalid file.
    """
    for place in (folder, *folder.parents):
        own = place / "projector.toml"
        if own.is_file():
            return read_config(own)
        shared = place / "pyproject.toml"
        if shared.is_file() and _section(_toml(shared)) is not None:
            return read_config(shared)
    return Config()


def read_config(file: Path) -> Config:
    """Read a configuration file. Raises `ParseError`, also for unknown keys, and `NotFoundError`."""
    document = _toml(file)
    table = document
    if file.name == "pyproject.toml" and (table := _section(document)) is None:
        table = {}
    _only(table, _KEYS, file, "")
    for key, known in _TEXTS.items():
        if key in table and not (isinstance(table[key], str) and table[key] in known):
            raise ParseError(f"{key} = {table[key]!r} is not one of: {', '.join(known)}", file=str(file))
    for key, what in _NUMBERS.items():
        number = table.get(key, 1)
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ParseError(f"{key} = {number!r} is not a number of {what}", file=str(file), hint=f"write {key} = 10")
    return Config(
        file=file,
        level=table.get("level"),
        compatibility=table.get("compatibility"),
        fail_on=table.get("fail-on"),
        select=_codes(_texts(table, "select", file)),
        ignore=_codes(_texts(table, "ignore-codes", file)),
        engines=_texts(table, "engines", file),
        sample=table.get("sample"),
        sample_rows=table.get("sample-rows"),
        suppressions=tuple(_suppression(entry, number, file) for number, entry in enumerate(_entries(table, file), 1)),
    )


def _section(document: Mapping[str, Any]) -> Any:
    """Return [tool.projector] of a pyproject.toml, None if it is missing."""
    tools = document.get("tool")
    return tools.get("projector") if isinstance(tools, dict) else None


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        raise NotFoundError(f"There is no configuration {file}") from None
    except OSError as error:
        raise ParseError(f"Cannot read the configuration: {error.strerror}", file=str(file)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ParseError(f"Cannot read the configuration: {error}", file=str(file)) from None


def _only(table: Any, keys: set[str], file: Path, where: str) -> None:
    if not isinstance(table, dict):
        raise ParseError(f"The configuration{where} is not a table", file=str(file))
    unknown = sorted(table.keys() - keys)
    if unknown:
        raise ParseError(
            f"The configuration{where} has an unknown key: {unknown[0]}",
            file=str(file),
            hint=f"known are {', '.join(sorted(keys))}",
        )


def _texts(table: Mapping[str, Any], key: str, file: Path) -> tuple[str, ...]:
    texts = table.get(key, [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ParseError(f"{key} = {texts!r} is not a list of texts", file=str(file), hint=f'write {key} = ["..."]')
    return tuple(texts)


def _codes(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(code.strip().upper() for code in texts)


def _entries(table: Mapping[str, Any], file: Path) -> Sequence[Any]:
    entries = table.get("ignore", [])
    if not isinstance(entries, list):
        raise ParseError(f"ignore = {entries!r} is not a list of tables", file=str(file), hint="write [[ignore]]")
    return entries


def _suppression(entry: Any, number: int, file: Path) -> Suppression:
    where = f" ([[ignore]] {number})"
    _only(entry, _IGNORE_KEYS, file, where)
    until = entry.get("until")
    if until is not None and (isinstance(until, datetime.datetime) or not isinstance(until, datetime.date)):
        raise ParseError(
            f"until is not a date{where}: {until!r}", file=str(file), hint="write until = 2030-01-31, without quotes"
        )
    for key in ("table", "field", "reason"):
        if not isinstance(entry.get(key, ""), str):
            raise ParseError(f"{key} = {entry[key]!r} is not a text{where}", file=str(file))
    codes = _codes(_texts(entry, "codes", file))
    if not codes:
        raise ParseError(f"codes are missing{where}", file=str(file), hint='write codes = ["T105"]')
    return Suppression(
        codes=codes,
        reason=entry.get("reason", "").strip(),
        where=f"{file.name} [[ignore]] {number}",
        table=entry.get("table", "*"),
        path=entry.get("field", "*"),
        until=until,
    )
