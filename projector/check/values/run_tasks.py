"""Run tasks in this process, or on the executor of a check, with the same answers in the same order."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from projector.check.values.reading import without_warnings
from projector.errors import ProjectorWarning, UnsupportedError
from projector.files.concurrency.tasks import task_answers, worker_storage
from projector.files.storage.storage import Storage

if TYPE_CHECKING:
    from projector.check.evidence.state import TableFiles

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Sent(Generic[_Task, _Answer]):
    """A task for a worker, and the function that runs it.

    Parameters
    ----------
    do:
        A module's function, which can be pickled.
    properties:
        The storage's; they may hold secrets and are not shown.
    """

    do: Callable[[_Task, Storage], _Answer]
    task: _Task
    properties: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"Sent({self.task!r})"


def run_sent(sent: Sent[_Task, _Answer]) -> _Answer:
    """Run a task on a worker."""
    return sent.do(sent.task, worker_storage(sent.properties))


def run_tasks(files: TableFiles, do: Callable[[_Task, Storage], _Answer], tasks: Iterable[_Task]) -> Iterator[_Answer]:
    """Yield the answer of `do` to every task, in order: on the check's executor if it has one, else in this process.

    Warn once if the executor loses tasks, and run those in this process. Raises `UnsupportedError` as `refuse_forks`.
    """
    if files.executor is None:
        for task in tasks:
            yield do(task, files.storage)
        return
    refuse_forks(files.executor)
    properties = tuple(files.storage.properties.items())
    sent = (Sent(do, task, properties) for task in tasks)
    lost: list[str] = []
    there: Callable[[Sent[_Task, _Answer]], _Answer] = run_sent
    with without_warnings():  # of threads, which share this process's
        found = list(
            task_answers(files.executor, there, sent, lost.append, here=lambda each: do(each.task, files.storage))
        )
    for text in lost:
        warnings.warn(text, ProjectorWarning, stacklevel=2)
    yield from found


def refuse_forks(executor: Executor) -> None:
    """Raise `UnsupportedError` for an executor of forked processes: Polars hangs in them if it was used before."""
    context = getattr(executor, "_mp_context", None) if isinstance(executor, ProcessPoolExecutor) else None
    if context is not None and context.get_start_method() == "fork":
        raise UnsupportedError(
            "Cannot read values in forked processes: Polars hangs in them",
            hint='give ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))',
        )
