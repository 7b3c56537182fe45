"""What a scenario is, and all of them by name."""

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
    """One question, asked of several runners.

    Parameters
    ----------
    name:
        Stable: results are compared by it.
    about:
        What is measured, in a sentence; the documentation prints it.
    size:
        `size(scale)` names what is measured at a scale; 1 is the size of the published figures.
    prepare:
        `prepare(folder, scale)` makes the files below a folder, unless they are there, and gives the runners.
    runs:
        Rounds at most; long scenarios need few.
    """

    name: str
    about: str
    size: Callable[[float], str]
    prepare: Callable[[Path, float], Prepared]
    runs: int = 5
    group: str = ""


MODULES = ("reads", "streaming", "footers", "planning", "checks", "values", "growth", "startup")


def scenarios() -> dict[str, Scenario]:
    """Every scenario by its name, in the order of the documentation."""
    found: dict[str, Scenario] = {}
    for module in MODULES:
        for each in import_module(f".scenarios.{module}", __package__).SCENARIOS:
            found[each.name] = each
    return found


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """A folder with what is made in it, unless that is there. What was left half made is made anew."""
    done = folder.with_name(f"{folder.name}.made")
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        make(folder)
        done.touch()
    return folder


def scaled(number: int, scale: float, least: int = 1) -> int:
    return max(least, round(number * scale))
