"""Timing runners against each other: interleaved, so that a noisy machine is noisy for all of them."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

AGAIN = " again"
"""Ending of the name under which the baseline is measured a second time: the ratio of the two is the noise."""


@dataclass(frozen=True)
class Runner:
    """Something that is timed.

    Parameters
    ----------
    run:
        Does the work and gives what it came to; all runners of a scenario must come to the same.
    baseline:
        The runner that its time is divided by; None for a baseline.
    facts:
        Figures to keep beside the times, asked for once after a run.
    """

    run: Callable[[], object]
    baseline: str | None = None
    facts: Callable[[], Mapping[str, object]] = dict


@dataclass(frozen=True)
class Timing:
    """The runs of one runner, in seconds by the clock and seconds of this process on any CPU."""

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
    """Run all runners in turn, `runs` rounds, each round in another order; one unmeasured round goes before.

    A ratio is the median of the ratios of each round. On a machine that others use as well, the ratio of CPU times is
    the steadier one, though it cannot tell whether threads were put to use. A runner that fails is listed with its
    error and not run again.
    """
    wanted = dict(runners)
    if noise:
        for name in {r.baseline for r in runners.values() if r.baseline is not None} & runners.keys():
            wanted[name + AGAIN] = Runner(runners[name].run, name)
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in wanted}
    outcomes: dict[str, object] = {}
    errors: dict[str, str] = {}
    for turn in range(runs + 1):
        for name in _rotated(list(wanted), turn):
            if name in errors:
                continue
            gc.collect()
            start = time.perf_counter(), _cpu_seconds()
            try:
                outcomes[name] = wanted[name].run()
            except Exception as error:  # a peer may fail in any way; that is a result too
                errors[name] = _told(error)
                continue
            if turn:
                took[name].append((time.perf_counter() - start[0], _cpu_seconds() - start[1]))
    return [_timing(name, runner, took, outcomes, errors) for name, runner in wanted.items()]


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
    except Exception as error:  # the times are none the worse for it
        return {"figures failed": _told(error)}


def _told(error: Exception) -> str:
    said = " ".join(str(error).split()).replace(os.path.expanduser("~/"), "~/")  # whose machine it is, is not told
    return f"{type(error).__name__}: {said[:200]}"


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> float | None:
    found = [one / other for one, other in zip(ours, theirs, strict=False) if other > 0]
    return statistics.median(found) if found else None


def _cpu_seconds() -> float:
    """Of this process, and of those that it started and that have ended."""
    try:
        import resource
    except ImportError:  # on Windows
        return time.process_time() + sum(os.times()[2:4])
    children = resource.getrusage(resource.RUSAGE_CHILDREN)  # to the microsecond; os.times counts in hundredths
    return time.process_time() + children.ru_utime + children.ru_stime


def _rotated(names: list[str], by: int) -> list[str]:
    by %= len(names)
    return names[by:] + names[:by]
