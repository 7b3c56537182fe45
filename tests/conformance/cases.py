"""The cases in the archive: tables that Iceberg's Java implementation wrote, and the rows that they hold."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.conformance.pack import ARCHIVE


@dataclass(frozen=True)
class Expectation:
    """The rows of one read of one table.

    Parameters
    ----------
    case:
        Name of the table's folder.
    snapshot_id, ref:
        What is read; the current state where both are None.
    schema_id:
        The schema of the rows; None for a query.
    file:
        The expected rows, relative to the case's folder; None where Java could not read them.
    query:
        The SQL that gave the rows, where it is more than all columns.
    oracle:
        Who gave the rows: Spark, Iceberg's generic reader, both, or the spec by hand.
    note:
        What is to be said of them.
    """

    case: str
    snapshot_id: int | None
    ref: str | None
    schema_id: int | None
    file: str | None
    query: str | None
    oracle: str | None
    note: str

    @property
    def label(self) -> str:
        """A name in the suite, such as `time_travel/current` or `defaults_nested/current.spec`."""
        stem = Path(self.file).name.removesuffix(".parquet") if self.file else str(self.snapshot_id or "current")
        return f"{self.case}/{stem}"

    @property
    def by_the_spec(self) -> bool:
        """Whether the rows were derived from the spec, outside Java."""
        return self.oracle is not None and self.oracle.startswith("spec")

    def replaces(self, other: Expectation) -> bool:
        """Whether these rows, derived from the spec, stand for another read's where Java has none or others."""
        same_read = (self.case, self.snapshot_id, self.ref) == (other.case, other.snapshot_id, other.ref)
        differs = other.oracle is None or "JAVA'S ANSWER DIFFERS" in self.note
        return self.by_the_spec and not other.by_the_spec and other.query is None and same_read and differs


@dataclass(frozen=True)
class Case:
    """One table: what it exercises and what is expected of it."""

    name: str
    exercises: str
    format_version: int
    expectations: tuple[Expectation, ...]


def _case(document: dict[str, Any]) -> Case:
    expectations = tuple(
        Expectation(
            case=document["name"],
            snapshot_id=entry["snapshot_id"],
            ref=entry.get("ref"),
            schema_id=entry.get("schema_id"),
            file=entry["file"],
            query=entry.get("query"),
            oracle=entry["oracle"],
            note=entry.get("note", ""),
        )
        for entry in document["expectations"]
    )
    return Case(document["name"], document["exercises"], document["format_version"], expectations)


@cache
def cases() -> tuple[Case, ...]:
    """Every case of the archive, by name."""

    def documents() -> Iterator[dict[str, Any]]:
        with tarfile.open(ARCHIVE) as archive:
            for entry in archive:
                if entry.name.endswith("/case.json"):
                    file = archive.extractfile(entry)
                    assert file is not None
                    yield json.load(file)

    return tuple(sorted(map(_case, documents()), key=lambda case: case.name))


def replaced() -> list[tuple[Expectation, Expectation]]:
    """Java's answers that do not count, each with the one that does."""
    everything = [expectation for case in cases() for expectation in case.expectations]
    return [(old, new) for new in everything if new.by_the_spec for old in everything if new.replaces(old)]


def binding() -> list[Expectation]:
    """The expectations that projector is held to; Java's answer gives way where the spec's stands beside it."""
    gone = {old for old, _ in replaced()}
    return [expectation for case in cases() for expectation in case.expectations if expectation not in gone]
