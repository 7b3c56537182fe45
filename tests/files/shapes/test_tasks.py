"""Shapes read by executors: threads, processes, a cluster one of whose workers is killed; the same as read here."""

from __future__ import annotations

import io
import os
import pickle
import signal
import threading
import time
import warnings
from collections.abc import Iterable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from projector import NotFoundError, ProjectorError, ProjectorWarning, shapes
from projector.files.concurrency import tasks
from projector.files.shapes import reader as shape_reader
from projector.files.shapes.reader import read_shapes
from projector.files.shapes.shapes import KnownShapes
from projector.files.shapes.tasks import ShapeTask, run_task
from projector.files.storage.storage import Storage


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("files")
    found = []
    for n in range(150):
        out = io.BytesIO()
        pq.write_table(pa.table({f"c{i}": pa.array(range(n), pa.int32()) for i in range(1 + n % 3)}), out)
        path = folder / f"{n:03}.parquet"
        path.write_bytes(out.getvalue())
        found.append(str(path))
    return found


@pytest.fixture(autouse=True)
def _small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shape_reader, "FILES_IN_A_TASK", 10)
    monkeypatch.setattr(tasks, "TASKS_AHEAD", 4)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_gives_what_this_process_gives(kind: type[Any], files: list[str]) -> None:
    with kind(2) as executor:
        assert shapes(files, executor=executor) == shapes(files)


def test_tasks_and_answers_are_small_and_merge(files: list[str]) -> None:
    task = ShapeTask(tuple(files), (("s3.secret-access-key", "hush"),))
    assert "hush" not in repr(task)
    answer = pickle.loads(pickle.dumps(run_task(pickle.loads(pickle.dumps(task)))))
    assert len(answer.fingerprints) == 3
    assert len(pickle.dumps(answer)) < 40 * len(files)
    known = KnownShapes()
    schemas: list[Any] = []
    rows: list[int] = []
    for part in (answer, run_task(ShapeTask(tuple(files[:5])))):
        part.append_to(schemas, rows, known)
    assert rows == [*range(150), *range(5)]
    assert len({id(schema) for schema in schemas}) == 3


def test_errors_come_back_in_their_places(files: list[str], tmp_path: Path) -> None:
    wanted = [files[0], str(tmp_path / "absent.parquet"), files[1]]
    with ProcessPoolExecutor(1) as executor:
        found = read_shapes(wanted, Storage(), executor=executor)
        with pytest.raises(NotFoundError, match="absent"):
            shapes(wanted, executor=executor)
    assert [isinstance(schema, ProjectorError) for schema in found.schemas] == [False, True, False]
    assert found.row_counts == [0, 0, 1]


class Counting(Executor):
    """Runs tasks at once, and counts how many were handed out; loses those that `lose` says."""

    def __init__(self, lose: Iterable[int] = ()) -> None:
        self.tasks: list[ShapeTask] = []
        self._lose = set(lose)

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.tasks.append(args[0])
        if len(self.tasks) in self._lose:
            future.set_exception(OSError("the worker is gone"))
        else:
            future.set_result(function(*args, **kwargs))
        return future


def test_tasks_that_are_lost_are_done_here(files: list[str]) -> None:
    executor = Counting(lose=(2, 5))
    with pytest.warns(ProjectorWarning, match="lost a task .*the worker is gone") as told:
        found = read_shapes(files, Storage(), executor=executor)
    assert len(told) == 1
    assert found.row_counts == list(range(150))
    assert len(executor.tasks) == 15


def test_an_executor_that_is_shut_down(files: list[str]) -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.warns(ProjectorWarning, match="lost a task"):
        assert shapes(files[:20], executor=executor) == shapes(files[:20])


def kill_this_process(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_pool_of_processes_that_breaks(files: list[str]) -> None:
    with ProcessPoolExecutor(1) as executor:
        executor.submit(kill_this_process)
        with pytest.warns(ProjectorWarning, match="lost a task"):
            found = read_shapes(files, Storage(), executor=executor)
    assert found.row_counts == list(range(150))


def test_a_cluster_one_of_whose_workers_is_killed(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from distributed import Client, LocalCluster

        monkeypatch.setattr(shape_reader, "FILES_IN_A_TASK", 2)
        monkeypatch.setattr(tasks, "TASKS_AHEAD", 8)
        options = {"n_workers": 3, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with LocalCluster(**options, silence_logs=50) as cluster, Client(cluster) as client:
            victim = next(iter(client.run(os.getpid).values()))
            many = files * 20
            killer = threading.Thread(target=lambda: (time.sleep(0.3), os.kill(victim, signal.SIGKILL)))
            killer.start()
            found = read_shapes(many, Storage(), executor=client.get_executor())
            killer.join()
            assert victim not in client.run(os.getpid).values()
    assert found.row_counts == list(range(150)) * 20
    assert found.schemas == read_shapes(many, Storage()).schemas
