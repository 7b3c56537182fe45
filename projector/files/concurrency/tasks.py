"""Run tasks on an executor, and run those that it loses in this process: a lost worker is not the fault of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from functools import lru_cache
from typing import TypeVar

from projector.files.concurrency.ordered import in_order
from projector.files.storage.storage import Storage

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")

TASKS_AHEAD = 64
"""The most tasks of an executor that wait or run at once."""


def task_answers(
    executor: Executor,
    run: Callable[[_Task], _Answer],
    tasks: Iterable[_Task],
    warn: Callable[[str], None],
    *,
    here: Callable[[_Task], _Answer] | None = None,
) -> Iterator[_Answer]:
    """Yield the answer to every task, in order.

    Parameters
    ----------
    executor:
        Threads, processes, or a cluster. Receives `run` and a task, which can both be pickled.
    warn:
        Called with a sentence for the user, the first time that a task is lost.
    here:
        Does a lost task in this process; by default `run`.
    """
    warned = False
    for task, future in in_order(executor, run, tasks, TASKS_AHEAD):
        lost = "cancelled" if future.cancelled() else future.exception()
        if lost is None:
            yield future.result()
            continue
        if not warned:
            what = lost if isinstance(lost, str) else f"{type(lost).__name__}: {lost}"
            warn(f"The executor lost a task ({' '.join(what.split())}); its files are read by this process")
            warned = True
        yield (here or run)(task)


@lru_cache(maxsize=4)
def worker_storage(properties: tuple[tuple[str, str], ...]) -> Storage:
    """Return the storage for some properties, cached, so that a worker reuses its connections from task to task."""
    return Storage(dict(properties))
