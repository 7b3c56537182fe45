"""Tasks done in this process, or by the executor of a check: with the same answers in the same order."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from projector.check.values.reading import without_warnings
from projector.check.values.tasks import Sent
from projector.errors import ProjectorWarning, UnsupportedError
from projector.files.storage import Storage
from projector.files.task_answers import task_answers

if TYPE_CHECKING:
    from projector.check.state import TableFiles

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")


def answers(
    files: TableFiles,
    tasks: Iterable[_Task],
    here: Callable[[_Task, Storage], _Answer],
    there: Callable[[Sent[_Task]], _Answer],
) -> Iterator[_Answer]:
    """The answer to every task, in order: by `there` on the check's executor, where it has one, else by `here`."""
    if files.executor is None:
        for task in tasks:
            yield here(task, files.storage)
        return
    refuse_forks(files.executor)
    properties = tuple(files.storage.properties.items())
    sent = (Sent(task, properties) for task in tasks)
    lost: list[str] = []
    with without_warnings():  # of threads, which share this process's
        found = list(
            task_answers(files.executor, there, sent, lost.append, here=lambda each: here(each.task, files.storage))
        )
    for text in lost:
        warnings.warn(text, ProjectorWarning, stacklevel=2)
    yield from found


def refuse_forks(executor: Executor) -> None:
    """Refuse processes that are forked: Polars, used before, hangs in them. Raises `UnsupportedError`."""
    context = getattr(executor, "_mp_context", None) if isinstance(executor, ProcessPoolExecutor) else None
    if context is not None and context.get_start_method() == "fork":
        raise UnsupportedError(
            "Values are not read by forked processes, in which Polars hangs",
            hint='give ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))',
        )
