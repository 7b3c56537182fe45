"""Values compared by executors: threads, processes, a cluster one of whose workers is killed; the same as done here."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import tarfile
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import projector
from projector import ProjectorWarning, Report, UnsupportedError
from projector.check.values import run_tasks, state_values
from projector.check.values.compare_task import CompareTask, compare
from projector.check.values.filters.task import FilterTask
from projector.check.values.run_tasks import Sent
from tests.check import faults
from tests.check.tables import evolve, table
from tests.conformance.pack import ARCHIVE

FILES = 12
SQL = (
    "ALTER TABLE t ALTER COLUMN b TYPE bigint; ALTER TABLE t RENAME COLUMN s.x TO xx; ALTER TABLE t ADD COLUMN n string"
)
SPAWN = multiprocessing.get_context("spawn")
make = table(
    "1 id int, 2 s {3 x int, 4 y string}",
    *([{"id": i, "s": {"x": i, "y": str(i)} if i % 3 else None}] for i in range(FILES // 2)),
    evolve("1 id int, 2 s {3 x int, 4 y string}, 5 b int"),
    *([{"id": i, "s": None, "b": i}, {"id": -i, "s": {"x": None, "y": "z"}, "b": None}] for i in range(FILES // 2)),
)


@pytest.fixture(scope="module")
def location(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make(tmp_path_factory.mktemp("table")).location


@pytest.fixture(autouse=True)
def _small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_values, "FILES_IN_A_TASK", 2)


def checked(location: str, executor: Executor | None = None) -> Report:
    return projector.check(location, sql=SQL, level="values", all_columns=True, cache=False, executor=executor)


def threads() -> Executor:
    return ThreadPoolExecutor(2)


def processes() -> Executor:
    return ProcessPoolExecutor(2, mp_context=SPAWN)


@pytest.mark.parametrize("kind", [threads, processes])
def test_any_executor_gives_what_this_process_gives(kind: Callable[[], Executor], location: str) -> None:
    here = checked(location)
    assert here.looked_at.values_files == FILES
    assert here.looked_at.filters > 20
    with kind() as executor, warnings.catch_warnings():
        warnings.simplefilter("error")
        assert checked(location, executor).to_json() == here.to_json()


def test_findings_of_a_faulty_engine_are_the_same(location: str) -> None:
    with faults.planted(batch_fault=faults.row_lost):
        here = checked(location)
        with threads() as executor:
            assert checked(location, executor).to_json() == here.to_json()
    assert {"X901", "F902"} <= {f.code for f in here.findings}


class Counting(Executor):
    """Runs tasks at once, after a round through pickle; loses those that `lose` says."""

    def __init__(self, *lose: int) -> None:
        self.tasks: list[Any] = []
        self.sizes: list[int] = []
        self._lose = set(lose)

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        (sent,) = args
        if not isinstance(sent, Sent):  # a task of footers
            future.set_result(function(sent))
            return future
        self.tasks.append(sent.task)
        if len(self.tasks) in self._lose:
            future.set_exception(OSError("the worker is gone"))
            return future
        given = pickle.dumps((function, sent))
        function, sent = pickle.loads(given)
        answer = pickle.dumps(function(sent))
        self.sizes += [len(given), len(answer)]
        future.set_result(pickle.loads(answer))
        return future


def test_tasks_and_answers_are_small(location: str) -> None:
    executor = Counting()
    assert checked(location, executor).to_json() == checked(location).to_json()
    assert {type(task) for task in executor.tasks} == {CompareTask, FilterTask}
    assert max(executor.sizes) < 20_000


def test_a_task_does_not_show_what_the_storage_is_opened_with() -> None:
    assert "hush" not in repr(Sent(compare, "task", (("s3.secret-access-key", "hush"),)))


def test_tasks_that_are_lost_are_done_here(location: str) -> None:
    with pytest.warns(ProjectorWarning, match="lost a task .*the worker is gone") as told:
        found = checked(location, Counting(2, 5, 9))
    assert found.to_json() == checked(location).to_json()
    assert len(told) == 2  # once for each kind of task


def kill_this_process(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_pool_of_processes_that_breaks(location: str) -> None:
    with processes() as executor:
        executor.submit(kill_this_process)
        with pytest.warns(ProjectorWarning, match="lost a task"):
            found = checked(location, executor)
    assert found.to_json() == checked(location).to_json()


def test_processes_that_are_forked_are_refused(location: str) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as executor:
        with pytest.raises(UnsupportedError, match=r"forked.*spawn"):
            checked(location, executor)
        # Footers do without engines.
        assert projector.check(location, sql=SQL, cache=False, executor=executor).ok


def test_a_cluster_one_of_whose_workers_is_killed(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_values, "FILES_IN_A_TASK", 1)
    here = checked(location)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from distributed import Client, LocalCluster

        options = {"n_workers": 3, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with LocalCluster(**options, silence_logs=50) as cluster, Client(cluster) as client:
            victim = next(iter(client.run(os.getpid).values()))
            answers, begun = run_tasks.task_answers, threading.Event()

            def first(*args: Any, **kwargs: Any) -> Any:
                begun.set()  # values are being handed out
                return answers(*args, **kwargs)

            monkeypatch.setattr(run_tasks, "task_answers", first)

            def kill() -> None:
                assert begun.wait(60)
                time.sleep(0.1)
                os.kill(victim, signal.SIGKILL)

            killer = threading.Thread(target=kill)
            killer.start()
            found = checked(location, client.get_executor())
            killer.join()
            assert victim not in client.run(os.getpid).values()
    assert found.to_json() == here.to_json()


@pytest.mark.parametrize(
    "case",
    ["eq_and_position_deletes", "deletion_vectors", "promote_partition_source", "add_files_swap_names", "uuid_fixed"],
)
def test_tables_with_deletes_mappings_and_partitions(case: str, tmp_path: Path) -> None:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, [m for m in archive if m.name.split("/")[0] == case], filter="data")
    (metadata,) = (path for path in tmp_path.rglob("metadata") if path.is_dir())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the table has moved
        moved = projector.load_table(metadata.parent)
    executor = Counting()
    found = projector.check(moved, level="values", cache=False, executor=executor)
    assert found.to_json() == projector.check(moved, level="values", cache=False).to_json()
    assert executor.sizes
    assert found.looked_at.values_rows > 0
    assert not [f for f in found.findings if f.code in ("X901", "F902")]
