"""Define scenarios, and list all of them by name."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from .measuring import Runner

Prepared = Mapping[str, Runner]


@dataclass(frozen=True)
class Scenario:
    """One task, measured with several runners.

    Parameters
    ----------
    name:
        Stable, because results are compared by it.
    about:
        What is measured, in a sentence for the documentation.
    size:
        `size(scale)` returns the size at a scale as text. Published figures have scale 1.
    prepare:
        `prepare(folder, scale)` creates missing files in a folder, and returns the runners.
    runs:
        The number of rounds. Long scenarios need few.
    """

    name: str
    about: str
    size: Callable[[float], str]
    prepare: Callable[[Path, float], Prepared]
    runs: int = 5
    group: str = ""


MODULES = ("reads", "streaming", "footers", "planning", "checks", "values", "growth", "startup")


def scenarios() -> dict[str, Scenario]:
    """Return every scenario by its name, in the order of the documentation."""
    found: dict[str, Scenario] = {}
    for module in MODULES:
        for each in import_module(f".scenarios.{module}", __package__).SCENARIOS:
            found[each.name] = each
    return found


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Create a folder with `make`, unless it is complete already. Replace one that was left incomplete."""
    done = folder.with_name(f"{folder.name}.made")
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        make(folder)
        done.touch()
    return folder


def scaled(number: int, scale: float, least: int = 1) -> int:
    return max(least, round(number * scale))
