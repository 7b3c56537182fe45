"""Work done several at a time and given out in order, so much ahead that memory stays bounded however long it is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from itertools import chain, islice
from queue import SimpleQueue
from typing import Generic, TypeVar

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


def streams_in_order(streams: Iterable[Callable[[], Iterator[_Item]]], workers: int) -> Iterator[_Item]:
    """What some streams give, one stream after the other; `workers` of them are under way in threads of their own.

    A stream goes no further than one item ahead of what was taken from it, so there are `workers` items more than the
    caller holds. What a stream raises is raised when its turn comes; the streams are drawn from by the caller's own
    thread. Whoever stops early has all of them closed. A stream that comes alone runs in the caller's thread.
    """
    source = iter(streams)
    first = list(islice(source, 2 if workers > 1 else 0))
    if len(first) < 2:
        for stream in chain(first, source):
            yield from stream()
        return
    waiting: deque[_Ahead[_Item]] = deque()
    source = chain(first, source)
    with ThreadPoolExecutor(workers, thread_name_prefix="streams") as pool:

        def start(count: int) -> None:
            for stream in islice(source, count):
                ahead = _Ahead(stream)
                pool.submit(copy_context().run, ahead.run)
                waiting.append(ahead)

        try:
            start(workers)
            while waiting:
                yield from waiting[0].items()
                waiting.popleft()
                start(1)
        finally:
            for ahead in waiting:
                ahead.stop()


class _Ahead(Generic[_Item]):
    """A stream that runs in another thread, one item ahead."""

    def __init__(self, stream: Callable[[], Iterator[_Item]]) -> None:
        self._stream = stream
        self._given: SimpleQueue[tuple[_Item] | BaseException | None] = SimpleQueue()
        self._wanted: SimpleQueue[bool] = SimpleQueue()

    def run(self) -> None:
        """Give out the items; to be run by the other thread."""
        try:
            items = self._stream()
            try:
                for item in items:
                    self._given.put((item,))
                    del item
                    if not self._wanted.get():
                        return
            finally:
                close = getattr(items, "close", None)
                if close is not None:
                    close()
        except BaseException as error:
            self._given.put(error)
        else:
            self._given.put(None)

    def items(self) -> Iterator[_Item]:
        """The items, each as soon as it is there."""
        while True:
            given = self._given.get()
            if given is None:
                return
            if isinstance(given, BaseException):
                raise given
            self._wanted.put(True)
            yield given[0]

    def stop(self) -> None:
        """Let the stream end at the next item."""
        self._wanted.put(False)
