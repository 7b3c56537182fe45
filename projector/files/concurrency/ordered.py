"""Do work concurrently and yield its results in order, with bounded read-ahead."""

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
    """Threads. If the process is ending and cannot start any, as in `atexit`, the calling thread does the work."""

    def submit(self, fn: Callable[..., _Result], /, *args: Any, **kwargs: Any) -> Future[_Result]:
        """Schedule a call of `fn`."""
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
    """Yield each item with its finished future, in order. At most `ahead` futures wait or run at once.

    If the executor rejects an item, its future holds the error. If the caller stops early, waiting futures are
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
    """Yield each item with the result of `work` for it, in order. With several workers, work ahead on the next items.

    Parameters
    ----------
    workers:
        Threads. With one, the calling thread does the work when the turn of an item comes.
    ahead:
        The most items that wait or are worked on at once; by default as many as workers.

    Raises what `work` raises, when the turn of the item comes.
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
    """Yield the items of some streams, one stream after the other, while up to `workers` of them run in threads.

    A stream runs at most one item ahead of the items taken from it, so at most `workers` items wait. An error of a
    stream, or of the iterable of streams, is raised when its turn comes. The calling thread iterates over `streams`. If
    the caller stops early, all open streams are closed. A single stream runs in the calling thread.
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
    """Yield the streams. If their iterable raises, yield a stream that raises the error."""
    try:
        yield from streams
    except Exception as error:
        yield partial(_raised, error)


def prefetched(items: Iterable[_Item], count: int) -> tuple[list[_Item], Iterator[_Item]]:
    """Return the first `count` items, and an iterator of the rest. An error in the first ones is raised by the rest."""
    source = iter(items)
    first: list[_Item] = []
    try:
        first.extend(islice(source, count))
    except Exception as error:
        return first, _raised(error)
    return first, source


def _raised(error: Exception) -> Iterator[_Item]:
    yield from ()
    raise error


class _Ahead(Generic[_Item]):
    """A stream that runs one item ahead. No thread waits for the caller: that would keep the process alive."""

    def __init__(self, pool: Executor, stream: Callable[[], Iterator[_Item]]) -> None:
        self._pool = pool
        self._stream = stream
        self._items: Iterator[_Item] | None = None
        self._context = copy_context()
        self._next_item = self._submit()

    def _submit(self) -> Future[tuple[_Item] | None]:
        return self._pool.submit(self._context.run, self._next)

    def _next(self) -> tuple[_Item] | None:
        if self._items is None:
            self._items = self._stream()
        for item in self._items:
            return (item,)
        return None

    def items(self) -> Iterator[_Item]:
        """Yield the items, each as soon as it is available."""
        while True:
            item = self._next_item.result()
            if item is None:
                return
            self._next_item = self._submit()
            yield item[0]

    def stop(self) -> None:
        """Close the stream, after the item that it is producing."""
        self._next_item.cancel()
        self._next_item.add_done_callback(self._close)

    def _close(self, _: object) -> None:
        close = getattr(self._items, "close", None)
        if close is not None:
            close()
