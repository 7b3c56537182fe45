"""Plot results: ratio to the raw scan by scenario, and cost against files, columns, schema versions and rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .scenario import scenarios

_AXES = {"files": "files", "columns": "columns", "versions": "schema versions", "values": "rows"}


def draw(results: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write every plot that there are results for, as SVG. Return the files."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "projector"  # the same figures give the same file
    folder.mkdir(parents=True, exist_ok=True)
    made = [_ratios(results, folder)]
    made += [_growth(results, axis, folder) for axis in _AXES]
    return [path for path in made if path is not None]


def _ratios(results: Mapping[str, Any], folder: Path) -> Path | None:
    import matplotlib.pyplot as plt

    names = {name for name, each in scenarios().items() if each.group == "reads"}
    shown: dict[str, dict[str, float]] = {}
    for result in results["results"]:
        if result["scenario"] in names and result["ratio"] is not None:
            shown.setdefault(result["runner"], {})[result["scenario"]] = result["ratio"]
    if not shown:
        return None
    rows = [name for name in scenarios() if any(name in ratios for ratios in shown.values())]
    figure, axes = plt.subplots(figsize=(8, 0.5 * len(rows) + 1.5))
    for runner, ratios in shown.items():
        pairs = [(ratio, rows.index(name)) for name, ratio in ratios.items()]
        ours = runner.startswith("projector")
        axes.plot(*zip(*pairs, strict=True), "o" if ours else "x", label=runner, markersize=7 if ours else 6)
    axes.axvline(1, color="gray", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), rows)
    axes.invert_yaxis()
    axes.set_xlabel("time / time of the raw scan by the same engine (1 = the raw scan)")
    axes.legend(fontsize=8)
    return _saved(figure, folder / "ratio-to-raw.svg")


def _growth(results: Mapping[str, Any], axis: str, folder: Path) -> Path | None:
    import matplotlib.pyplot as plt

    prefix = f"growth-{axis}-"
    seconds: dict[str, list[tuple[int, float]]] = {}
    memory: dict[str, list[tuple[int, float]]] = {}
    for result in results["results"]:
        if result["scenario"].startswith(prefix) and result["median_seconds"] is not None:
            value = int(result["size"].split("x")[0]) if axis == "files" else int(result["scenario"][len(prefix) :])
            seconds.setdefault(result["runner"], []).append((value, result["median_seconds"]))
            if (peak := result.get("facts", {}).get("peak_bytes")) is not None:
                memory.setdefault(result["runner"], []).append((value, peak / 2**20))
    if not seconds:
        return None
    panels = {"seconds": seconds} | ({"MiB resident at most": memory} if memory else {})
    figure, (row,) = plt.subplots(1, len(panels), figsize=(7 * len(panels), 4.5), squeeze=False)
    for axes, (label, lines) in zip(row, panels.items(), strict=True):
        for runner, points in lines.items():
            style = "o-" if runner.startswith("projector") else "x--"
            axes.plot(*zip(*sorted(points), strict=True), style, label=runner)
        axes.set_xscale("log")
        if lines is seconds:
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)
        axes.set_xlabel(_AXES[axis])
        axes.set_ylabel(label)
        axes.grid(True, which="major", linewidth=0.3)
        axes.legend(fontsize=8)
    return _saved(figure, folder / f"growth-{axis}.svg")


def _saved(figure: Any, path: Path) -> Path:
    import matplotlib.pyplot as plt

    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    return path
