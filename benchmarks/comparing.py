"""Compare two results, and print results as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def compared(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, float | None, float | None, str]]:
    """Return for each name the ratios to the baseline before and after (seconds for a baseline), and a verdict.

    Compare ratios, not seconds, because the machine is rarely in the same state in both runs. A change within the noise
    of both runs counts as none.
    """
    old, new = ({r["name"]: r for r in results["results"]} for results in (before, after))
    rows = []
    for name in dict.fromkeys((*old, *new)):
        one, other = _figure(old.get(name)), _figure(new.get(name))
        rows.append((name, one, other, _verdict(one, other, _noise(before, after))))
    return rows


def _figure(result: Mapping[str, Any] | None) -> float | None:
    if result is None:
        return None
    found = result["ratio"] if result["ratio"] is not None else result["median_seconds"]
    return None if found is None else float(found)


def _noise(*results: Mapping[str, Any]) -> float:
    """Return how much measurements of the same work differ: the largest of the noise figures, but at least a tenth."""
    apart = [abs(ratio - 1) for each in results for ratio in each["noise"].values() if ratio is not None]
    return max([0.1, *apart])


def _verdict(one: float | None, other: float | None, noise: float) -> str:
    if one is None or other is None:
        return "only after" if other is not None else "only before" if one is not None else "failed"
    change = other / one
    return "same" if 1 / (1 + noise) <= change <= 1 + noise else "slower" if change > 1 else "faster"


def worst_change(rows: Iterable[tuple[str, float | None, float | None, str]]) -> float:
    """Return the largest factor by which anything got slower; 1 if nothing did."""
    return max([1.0, *(other / one for _, one, other, verdict in rows if verdict == "slower" and one and other)])


def comparison_table(rows: Sequence[tuple[str, float | None, float | None, str]]) -> str:
    head = ["| name | before | after | after / before | |", "|---|--:|--:|--:|---|"]
    for name, one, other, verdict in rows:
        change = other / one if one and other else None
        head.append(f"| {name} | {short(one)} | {short(other)} | {short(change)} | {verdict} |")
    return "\n".join(head)


def results_table(results: Mapping[str, Any], scenarios: Iterable[str] | None = None) -> str:
    """Return all results, or those of some scenarios, as a Markdown table."""
    chosen = None if scenarios is None else set(scenarios)
    lines = ["| scenario | size | runner | median | ratio to | | CPU | noise |", "|---|---|---|--:|---|--:|--:|--:|"]
    for result in results["results"]:
        if chosen is not None and result["scenario"] not in chosen:
            continue
        time = "" if result["median_seconds"] is None else seconds(result["median_seconds"])
        if "error" in result:
            time = f"failed: {result['error'][:60]}".replace("|", "\\|")
        if result.get("agrees") is False:
            time += " (different result)"
        noise = results["noise"].get(f"{result['scenario']}/{result['baseline']}/{result['size']}")
        lines.append(
            f"| {result['scenario']} | {result['size']} | {result['runner']} | {time} | {result['baseline'] or ''}"
            f" | {short(result['ratio'])} | {short(result['cpu_ratio'])} | {short(noise)} |"
        )
    return "\n".join(lines)


def seconds(value: float) -> str:
    """Return a time as text in a suitable unit."""
    for limit, factor, unit in ((1e-3, 1e6, "µs"), (1, 1e3, "ms")):
        if value < limit:
            return f"{value * factor:.3g} {unit}"
    return f"{value:.3g} s"


def short(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}" if value < 10 else f"{value:.1f}"
