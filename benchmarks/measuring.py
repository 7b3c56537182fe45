"""Time runners against each other, interleaved, so that noise of the machine affects all of them alike."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

AGAIN = " again"
"""Suffix of the name under which a baseline is measured a second time. The ratio of the two is the noise."""


@dataclass(frozen=True)
class Runner:
    """Work that is timed.

    Parameters
    ----------
    run:
        Does the work and returns its outcome. All runners of a scenario must have the same outcome.
    baseline:
        The runner whose time its time is divided by; None for a baseline.
    facts:
        Returns figures to record with the times. Called once, after the last run.
    """

    run: Callable[[], object]
    baseline: str | None = None
    facts: Callable[[], Mapping[str, object]] = dict


@dataclass(frozen=True)
class Timing:
    """The runs of one runner, in seconds of wall-clock time and of CPU time of this process."""

    name: str
    seconds: tuple[float, ...]
    baseline: str | None = None
    ratio: float | None = None
    cpu_seconds: tuple[float, ...] = ()
    cpu_ratio: float | None = None
    outcome: object = None
    error: str | None = None
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def median(self) -> float | None:
        return statistics.median(self.seconds) if self.seconds else None

    @property
    def cpu_median(self) -> float | None:
        return statistics.median(self.cpu_seconds) if self.cpu_seconds else None


def measure(runners: Mapping[str, Runner], runs: int, noise: bool = True) -> list[Timing]:
    """Run all runners for `runs` rounds, each in a different order, after one round that is not measured.

    A ratio is the median of the ratios of the rounds. On a shared machine, the ratio of CPU times is more stable, but
    does not show whether threads were used well. A runner that fails is listed with its error and not run again.
    """
    measured = dict(runners)
    if noise:
        for name in {r.baseline for r in runners.values() if r.baseline is not None} & runners.keys():
            measured[name + AGAIN] = Runner(runners[name].run, name)
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in measured}
    outcomes: dict[str, object] = {}
    errors: dict[str, str] = {}
    for turn in range(runs + 1):
        for name in _rotated(list(measured), turn):
            if name in errors:
                continue
            gc.collect()
            start = time.perf_counter(), _cpu_seconds()
            try:
                outcomes[name] = measured[name].run()
            except Exception as error:  # a reader may fail in any way, which is a result too
                errors[name] = _message(error)
                continue
            if turn:
                took[name].append((time.perf_counter() - start[0], _cpu_seconds() - start[1]))
    return [_timing(name, runner, took, outcomes, errors) for name, runner in measured.items()]


def _timing(
    name: str,
    runner: Runner,
    took: Mapping[str, Sequence[tuple[float, float]]],
    outcomes: Mapping[str, object],
    errors: Mapping[str, str],
) -> Timing:
    if name in errors:
        return Timing(name, (), runner.baseline, error=errors[name])
    clock, cpu = ([each[i] for each in took[name]] for i in (0, 1))
    base = took.get(runner.baseline or "", ())
    return Timing(
        name,
        tuple(clock),
        runner.baseline,
        _ratio(clock, [each[0] for each in base]),
        tuple(cpu),
        _ratio(cpu, [each[1] for each in base]),
        outcomes.get(name),
        facts=_facts(runner),
    )


def _facts(runner: Runner) -> Mapping[str, object]:
    try:
        return runner.facts()
    except Exception as error:  # the times are still valid
        return {"figures failed": _message(error)}


def _message(error: Exception) -> str:
    text = " ".join(str(error).split()).replace(os.path.expanduser("~/"), "~/")  # do not reveal the user name
    return f"{type(error).__name__}: {text[:200]}"


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> float | None:
    found = [one / other for one, other in zip(ours, theirs, strict=False) if other > 0]
    return statistics.median(found) if found else None


def _cpu_seconds() -> float:
    """Return the CPU time of this process, and of the child processes that have ended."""
    try:
        import resource
    except ImportError:  # on Windows
        return time.process_time() + sum(os.times()[2:4])
    children = resource.getrusage(resource.RUSAGE_CHILDREN)  # to the microsecond; os.times counts in hundredths
    return time.process_time() + children.ru_utime + children.ru_stime


def _rotated(names: list[str], by: int) -> list[str]:
    by %= len(names)
    return names[by:] + names[:by]
