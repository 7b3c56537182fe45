"""Work done several at a time and given out in order, so much ahead that memory stays bounded however long it is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from itertools import chain, islice
from typing import Any, Generic, TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Threads(ThreadPoolExecutor):
    """Threads. Where the process is ending and starts none any more, as in `atexit`, the caller's own does the work."""

    def submit(self, fn: Callable[..., _Result], /, *args: Any, **kwargs: Any) -> Future[_Result]:
        """Have `fn` called."""
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError as error:
            if "interpreter shutdown" not in str(error):
                raise
        done: Future[_Result] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:
            done.set_exception(error)
        return done


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


def worked_ahead(
    items: Iterable[_Item], work: Callable[[_Item], _Result], *, workers: int, ahead: int | None = None
) -> Iterator[tuple[_Item, _Result]]:
    """Each item with what `work` makes of it, in order; with several workers the next ones are under way meanwhile.

    Parameters
    ----------
    workers:
        Threads; with one, `work` is done by the caller's own when an item's turn comes.
    ahead:
        Items that are waiting or worked on at most; as many as workers unless given.

    What `work` raises is raised when the item's turn comes.
    """
    if workers <= 1:
        for item in items:
            yield item, work(item)
        return
    pool = Threads(workers, thread_name_prefix="ahead")
    try:
        for item, future in in_order(pool, work, items, ahead or workers):
            yield item, future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def streams_in_order(streams: Iterable[Callable[[], Iterator[_Item]]], workers: int) -> Iterator[_Item]:
    """What some streams give, one stream after the other; `workers` of them are under way in threads of their own.

    A stream goes no further than one item ahead of what was taken from it, so there are `workers` items more than the
    caller holds. What a stream raises, or the drawing of one, is raised when its turn comes; the streams are drawn by
    the caller's own thread. Whoever stops early has all of them closed. A stream that comes alone runs in the caller's
    thread.
    """
    source = _and_error(streams)
    first = list(islice(source, 2 if workers > 1 else 0))
    if len(first) < 2:
        for stream in chain(first, source):
            yield from stream()
        return
    waiting: deque[_Ahead[_Item]] = deque()
    source = chain(first, source)
    with Threads(workers, thread_name_prefix="streams") as pool:
        try:
            waiting.extend(_Ahead(pool, stream) for stream in islice(source, workers))
            while waiting:
                yield from waiting[0].items()
                waiting.popleft()
                waiting.extend(_Ahead(pool, stream) for stream in islice(source, 1))
        finally:
            for ahead in waiting:
                ahead.stop()


def _and_error(streams: Iterable[Callable[[], Iterator[_Item]]]) -> Iterator[Callable[[], Iterator[_Item]]]:
    """The streams; where no more of them can be drawn, one that says why."""
    try:
        yield from streams
    except Exception as error:
        yield partial(_raised, error)


def drawn_ahead(items: Iterable[_Item], count: int) -> tuple[list[_Item], Iterator[_Item]]:
    """The first `count` items, and the items after them. What drawing the first ones raises comes in its turn."""
    source = iter(items)
    drawn: list[_Item] = []
    try:
        drawn.extend(islice(source, count))
    except Exception as error:
        return drawn, _raised(error)
    return drawn, source


def _raised(error: Exception) -> Iterator[_Item]:
    yield from ()
    raise error


class _Ahead(Generic[_Item]):
    """A stream that is one item ahead. No thread waits for what the caller will do: it would keep the process alive."""

    def __init__(self, pool: Executor, stream: Callable[[], Iterator[_Item]]) -> None:
        self._pool = pool
        self._stream = stream
        self._items: Iterator[_Item] | None = None
        self._context = copy_context()
        self._coming = self._asked()

    def _asked(self) -> Future[tuple[_Item] | None]:
        return self._pool.submit(self._context.run, self._next)

    def _next(self) -> tuple[_Item] | None:
        if self._items is None:
            self._items = self._stream()
        for item in self._items:
            return (item,)
        return None

    def items(self) -> Iterator[_Item]:
        """The items, each as soon as it is there."""
        while True:
            given = self._coming.result()
            if given is None:
                return
            self._coming = self._asked()
            yield given[0]

    def stop(self) -> None:
        """End the stream, as soon as the item is there that it is making."""
        self._coming.cancel()
        self._coming.add_done_callback(self._close)

    def _close(self, _: object) -> None:
        close = getattr(self._items, "close", None)
        if close is not None:
            close()
