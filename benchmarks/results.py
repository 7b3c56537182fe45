"""Store results as one JSON document: every timing under a stable name, the versions, and the kind of machine.

A name is `{scenario}/{runner}/{size}`. Nothing identifies the machine: no host name, no path.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from .measuring import AGAIN, Timing

FORMAT = 1
PACKAGES = (
    "iceberg-projector", "pyarrow", "polars", "polars-iceberg", "duckdb", "fastavro", "pyiceberg", "pyiceberg-core",
    "daft",
)  # fmt: skip


def document(found: Iterable[tuple[str, str, Timing]], runs: int) -> dict[str, Any]:
    """Return the results of `(scenario, size, timing)`. Runners must have the same outcome as their baseline."""
    results, noise = [], {}
    agreed: dict[tuple[str, str, str], object] = {}
    for scenario, size, timing in found:
        if timing.name.endswith(AGAIN):
            noise[f"{scenario}/{timing.baseline}/{size}"] = _rounded(timing.ratio)
            continue
        same = None
        if timing.error is None and timing.outcome is not None:
            same = agreed.setdefault((scenario, size, timing.baseline or timing.name), timing.outcome) == timing.outcome
        results.append(
            {
                "name": f"{scenario}/{timing.name}/{size}",
                "scenario": scenario,
                "runner": timing.name,
                "size": size,
                "median_seconds": _rounded(timing.median),
                "seconds": [_rounded(s) for s in timing.seconds],
                "cpu_seconds": _rounded(timing.cpu_median),
                "baseline": timing.baseline,
                "ratio": _rounded(timing.ratio),
                "cpu_ratio": _rounded(timing.cpu_ratio),
                **({"agrees": False} if same is False else {}),
                **({"error": timing.error} if timing.error else {}),
                **({"facts": dict(timing.facts)} if timing.facts else {}),
            }
        )
    return {
        "format": FORMAT,
        "runs": runs,
        "versions": versions(),
        "machine": machine(),
        "noise": noise,
        "results": results,
    }


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Replace old results by new ones of the same name."""
    names = {result["name"] for result in new["results"]}
    others = [result for result in old.get("results", ()) if result["name"] not in names]
    return {**new, "noise": {**old.get("noise", {}), **new["noise"]}, "results": [*others, *new["results"]]}


def versions() -> dict[str, str]:
    """Return the versions of the measured packages."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """Return the kind of this machine."""
    try:
        memory = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (ValueError, OSError, AttributeError):
        memory = None
    return {"system": sys.platform, "architecture": platform.machine(), "cpus": os.cpu_count(), "memory_gib": memory}


def load(file: Path) -> dict[str, Any]:
    """Load saved results. Raises `ValueError` for another format."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is not JSON: {error}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f"{file} does not hold results of format {FORMAT}")
    return found


def save(results: Mapping[str, Any], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


def _rounded(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.4g}")
