"""The page `docs/performance.md`, made from results: nothing on it is written by hand but the words between tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .comparing import results_table, short
from .plots import draw
from .scenario import scenarios

_PARTS = {
    "reads": (
        "Reading",
        "Each reader is divided by a plain scan, by its own engine, of a copy of the same rows that is already in the"
        " last schema: 1.0 means that projection costs nothing. `raw-*` are those scans.",
    ),
    "memory": (
        "Streaming",
        "Memory is what is resident at most, beyond an interpreter with the same imports.",
    ),
    "footers": (
        "Footers and shapes",
        "A footer whose beginning is known is not parsed. Files are local and in the page cache.",
    ),
    "planning": ("Planning", "Both planners start from the metadata file, with nothing remembered."),
    "checks": (
        "Checking a change",
        "pyarrow only reads the footers; the check reads metadata, manifests and footers, and applies its rules. The"
        " first run fills the cache on disk besides; the second one finds manifests and shapes there, and is divided by"
        " a run without it.",
    ),
    "growth-files": ("Growth with files", ""),
    "growth-columns": ("Growth with columns", ""),
    "growth-versions": ("Growth with schema versions", "Each version is a shape of its own here."),
    "growth-values": (
        "Growth with rows",
        "Values compared at level `values`, before and after a promotion; pyarrow only reads the column, twice.",
    ),
    "start": ("Starting", ""),
}


def write_page(results: Mapping[str, Any], page: Path) -> list[Path]:
    """Write the page and its plots beside it; gives what was written."""
    plots = draw(results, page.parent / "performance")
    page.write_text(page_text(results, [Path(os.path.relpath(plot, page.parent)) for plot in plots]), "utf-8")
    return [page, *plots]


def page_text(results: Mapping[str, Any], plots: list[Path]) -> str:
    lines = [
        "# Performance",
        "",
        "<!-- made by `projector bench page`; change the harness, not this file -->",
        "",
        "Made by `projector bench run` and `projector bench page` (extra `bench`). Runners of a scenario take turns; a"
        " time is the median of its runs, a ratio the median of the ratios of each round. *Noise* is the ratio of the"
        " baseline to itself, measured in the same way: a difference within it is none.",
        "",
        "*CPU* is the same ratio in seconds of CPU. Where the noise is far from 1, others used the machine: go by CPU.",
        "",
        f"Machine: {_facts(results['machine'])}. Versions: {_facts(results['versions'])}.",
    ]
    known = scenarios()
    for group, (title, words) in _PARTS.items():
        names = [name for name, each in known.items() if each.group == group]
        if not any(result["scenario"] in names for result in results["results"]):
            continue
        lines += ["", f"## {title}", ""]
        if words:
            lines += [words, ""]
        if not group.startswith("growth-"):
            measured = {result["scenario"] for result in results["results"]}
            lines += [f"* `{name}`: {known[name].about}" for name in names if name in measured]
            lines.append("")
        wanted = "ratio-to-raw" if group == "reads" else group
        lines += [f"![{title}]({plot.as_posix()})\n" for plot in plots if plot.stem == wanted]
        lines.append(results_table(results, names))
        if told := _told(results, names):
            lines += ["", *told]
    return "\n".join(lines) + "\n"


def _facts(facts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in facts.items() if value is not None)


def _told(results: Mapping[str, Any], names: list[str]) -> list[str]:
    """The figures that runners gave beside their times."""
    return [
        f"* `{result['name']}`: "
        + ", ".join(f"{key.replace('_', ' ')} {_shown(value)}" for key, value in result["facts"].items())
        for result in results["results"]
        if result["scenario"] in names and result.get("facts")
    ]


def _shown(value: Any) -> str:
    if isinstance(value, int) and value >= 10_000_000:
        return f"{short(value / 1e6)} million"
    return f"{value:,}" if isinstance(value, int) else str(value)
