"""Streams that run ahead of their turn give what they would give one after the other, and end when they are left."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.files.concurrency.ordered import prefetched, streams_in_order


def counting(*items: int) -> Callable[[], Iterator[int]]:
    return lambda: iter(items)


@given(st.lists(st.lists(st.integers(), max_size=4), max_size=12), st.integers(1, 5))
def test_in_order(streams: list[list[int]], workers: int) -> None:
    made = (counting(*items) for items in streams)
    assert list(streams_in_order(made, workers)) == [item for items in streams for item in items]


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_comes_when_its_turn_comes(workers: int) -> None:
    def failing() -> Iterator[int]:
        yield 3
        raise ValueError("broken")

    items = streams_in_order([counting(1, 2), failing, counting(9)], workers)
    assert [next(items) for _ in range(3)] == [1, 2, 3]
    with pytest.raises(ValueError, match="broken"):
        next(items)


def test_no_stream_is_more_than_an_item_ahead_nor_more_of_them_than_workers() -> None:
    made: list[tuple[int, int]] = []
    started: list[int] = []

    def stream(number: int) -> Callable[[], Iterator[int]]:
        def items() -> Iterator[int]:
            started.append(number)
            for i in range(5):
                made.append((number, i))
                yield i

        return items

    source = streams_in_order((stream(n) for n in range(10)), 3)
    assert next(source) == 0
    deadline = time.monotonic() + 10
    while len(made) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sorted(made) == [(0, 0), (0, 1), (1, 0), (2, 0)]
    assert sorted(started) == [0, 1, 2]
    source.close()


def test_streams_that_are_left_are_closed() -> None:
    closed: list[int] = []

    def stream(number: int) -> Callable[[], Iterator[int]]:
        def items() -> Iterator[int]:
            try:
                yield from range(1000)
            finally:
                closed.append(number)

        return items

    before = threading.active_count()
    source = streams_in_order((stream(n) for n in range(10)), 3)
    assert [next(source) for _ in range(3)] == [0, 1, 2]
    source.close()
    assert sorted(closed) == [0, 1, 2]
    assert threading.active_count() == before


def test_streams_are_drawn_from_by_the_thread_that_takes_the_items() -> None:
    drawing: set[int] = set()

    def streams() -> Iterator[Callable[[], Iterator[int]]]:
        for n in range(6):
            drawing.add(threading.get_ident())
            yield counting(n)

    assert list(streams_in_order(streams(), 2)) == list(range(6))
    assert drawing == {threading.get_ident()}


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_of_drawing_streams_comes_when_its_turn_comes(workers: int) -> None:
    def streams() -> Iterator[Callable[[], Iterator[int]]]:
        yield counting(1, 2)
        yield counting(3)
        raise ValueError("no more")

    items = streams_in_order(streams(), workers)
    assert [next(items) for _ in range(3)] == [1, 2, 3]
    with pytest.raises(ValueError, match="no more"):
        next(items)


def test_items_drawn_ahead() -> None:
    assert [list(part) for part in prefetched(range(5), 2)] == [[0, 1], [2, 3, 4]]

    def failing() -> Iterator[int]:
        yield 1
        raise ValueError("no more")

    first, rest = prefetched(failing(), 2)
    assert first == [1]
    with pytest.raises(ValueError, match="no more"):
        next(rest)


def test_a_process_ends_with_streams_half_way() -> None:
    script = """
from projector.files.concurrency.ordered import prefetched, streams_in_order
items = streams_in_order([lambda: iter(range(1000))] * 9, 3)
print(next(items), next(items), flush=True)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.split() == ["0", "1"]


def test_work_is_done_while_the_process_ends() -> None:
    script = """
import atexit
from projector.files.concurrency.ordered import streams_in_order, worked_ahead
def late():
    print(list(streams_in_order([lambda: iter([1, 2]), lambda: iter([3])], 2)))
    print(dict(worked_ahead([1, 2], str, workers=2)))
atexit.register(late)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == "[1, 2, 3]\n{1: '1', 2: '2'}\n"
