"""Tasks handed to an executor, and those that it loses done here: no file is to blame for what becomes of a worker."""

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
"""Tasks of an executor that are waiting or running at most."""


def task_answers(
    executor: Executor,
    run: Callable[[_Task], _Answer],
    tasks: Iterable[_Task],
    tell: Callable[[str], None],
    *,
    here: Callable[[_Task], _Answer] | None = None,
) -> Iterator[_Answer]:
    """The answer to every task, in the order of the tasks.

    Parameters
    ----------
    executor:
        Threads, processes, or a cluster's. It is given `run` and a task, which can be pickled.
    tell:
        Told the first time that a task is lost, with a sentence for the user.
    here:
        Does a lost task in this process; `run` unless given.
    """
    told = False
    for task, future in in_order(executor, run, tasks, TASKS_AHEAD):
        lost = "cancelled" if future.cancelled() else future.exception()
        if lost is None:
            yield future.result()
            continue
        if not told:
            what = lost if isinstance(lost, str) else f"{type(lost).__name__}: {lost}"
            tell(f"The executor lost a task ({' '.join(what.split())}); its files are read by this process")
            told = True
        yield (here or run)(task)


@lru_cache(maxsize=4)
def worker_storage(properties: tuple[tuple[str, str], ...]) -> Storage:
    """The storage of a worker that does many tasks, by the properties that come with them: its connections are kept."""
    return Storage(dict(properties))
