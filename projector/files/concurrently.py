"""Work handed to an executor in order, so much at a time that memory stays bounded however long the list is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, wait
from itertools import islice
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def in_order(
    executor: Executor, action: Callable[[_Item], _Result], items: Iterable[_Item], ahead: int
) -> Iterator[tuple[_Item, Future[_Result]]]:
    """Each item with its finished future, in the order of the items; `ahead` of them are waiting or running at most.

    An executor that takes nothing more gives futures with its error. Whoever stops early leaves the waiting ones
    cancelled.
    """
    source = iter(items)
    waiting: deque[tuple[_Item, Future[_Result]]] = deque()
    try:
        while True:
            for item in islice(source, ahead - len(waiting)):
                waiting.append((item, _submitted(executor, action, item)))
            if not waiting:
                return
            item, future = waiting.popleft()
            wait((future,))
            yield item, future
    finally:
        for _, future in waiting:
            future.cancel()


def _submitted(executor: Executor, action: Callable[[_Item], _Result], item: _Item) -> Future[_Result]:
    try:
        return executor.submit(action, item)
    except RuntimeError as error:  # broken, or shut down
        failed: Future[_Result] = Future()
        failed.set_exception(error)
        return failed
