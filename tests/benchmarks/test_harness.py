"""The harness: interleaving, ratios, noise, names, files of results, comparison, page."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from benchmarks.command import command
from benchmarks.comparing import compared, results_table, worst_change
from benchmarks.measuring import Runner, measure
from benchmarks.results import document, merged, versions
from benchmarks.scenario import made_once, scenarios
from cli.main import run as projector_command


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_runners_take_turns_in_changing_order() -> None:
    calls: list[str] = []

    def runner(name: str, baseline: str | None = None) -> Runner:
        return Runner(lambda: calls.append(name), baseline)

    timings = measure({"raw": runner("raw"), "ours": runner("ours", "raw")}, runs=2)
    assert [timing.name for timing in timings] == ["raw", "ours", "raw again"]
    assert calls == ["raw", "ours", "raw", "ours", "raw", "raw", "raw", "raw", "ours"]
    assert [len(timing.seconds) for timing in timings] == [2, 2, 2]
    assert timings[0].ratio is None
    assert timings[1].ratio is not None


def test_a_runner_that_fails_is_a_result() -> None:
    def fails() -> None:
        raise OSError(f"no\nsuch thing at {os.path.expanduser('~/x')}")

    found = document([("s", "1x1", t) for t in measure({"raw": Runner(lambda: 1), "peer": Runner(fails, "raw")}, 1)], 1)
    assert [r["name"] for r in found["results"]] == ["s/raw/1x1", "s/peer/1x1"]
    assert found["results"][1]["error"] == "OSError: no such thing at ~/x"
    assert list(found["noise"]) == ["s/raw/1x1"]
    assert "failed: OSError" in results_table(found)


def test_figures_that_fail_leave_the_times() -> None:
    def fails() -> dict[str, object]:
        raise ValueError("no figures")

    (timing,) = measure({"raw": Runner(lambda: 1, facts=fails)}, 1, noise=False)
    assert (len(timing.seconds), timing.error, timing.facts) == (1, None, {"figures failed": "ValueError: no figures"})


def test_what_was_left_half_made_is_made_anew(tmp_path: Path) -> None:
    def breaks_off(folder: Path) -> None:
        folder.mkdir()
        (folder / "a").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made_once(tmp_path / "t", breaks_off)
    made: list[Path] = []
    for _ in range(2):
        assert made_once(tmp_path / "t", made.append) == tmp_path / "t"
    assert made == [tmp_path / "t"]
    assert not (tmp_path / "t").exists()


def test_readers_tell_what_they_open_and_who_plans(tmp_path: Path) -> None:
    from benchmarks.scenarios.reads import SCENARIOS

    (scenario,) = (each for each in SCENARIOS if each.name == "many-clustered")
    runners = scenario.prepare(tmp_path, 0.02)  # 40 files
    ours = {name: runner.facts() for name, runner in runners.items() if name.startswith("projector-")}
    assert ours.keys() == {"projector-arrow", "projector-polars", "projector-duckdb", "projector-duckdb-arrow"}
    for figures in ours.values():
        assert 1 <= int(str(figures["files whose bounds match"])) <= 2
        assert figures["files opened"] == figures["files whose bounds match"]
    assert runners["polars-scan_iceberg"].facts()["planned by"] in ("polars-iceberg", "pyiceberg")
    assert {"polars", "pyiceberg", "duckdb"} <= versions().keys()


def test_polars_falls_back_to_pyiceberg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.scenarios.reads import SCENARIOS

    monkeypatch.setenv("POLARS_ICEBERG_PLANNER", "pyiceberg")
    scenario = next(each for each in SCENARIOS if each.name == "many-sum")
    assert scenario.prepare(tmp_path, 0.006)["polars-scan_iceberg"].facts() == {"planned by": "pyiceberg"}


def test_answers_that_differ_are_told() -> None:
    runners = {"raw": Runner(lambda: 1), "a": Runner(lambda: 1, "raw"), "b": Runner(lambda: 2, "raw")}
    found = document([("s", "1x1", timing) for timing in measure(runners, 1)], 1)
    assert [r.get("agrees", True) for r in found["results"]] == [True, True, False]
    assert "different result" in results_table(found)


def test_results_do_not_tell_whose_machine_it_was() -> None:
    text = json.dumps(document([], 1))
    assert platform.node() not in text or len(platform.node()) < 3
    assert os.path.expanduser("~") not in text


def result(name: str, ratio: float | None, seconds: float = 1.0) -> dict[str, Any]:
    scenario, runner, size = name.split("/")
    base = None if ratio is None else "raw"
    return {
        "name": name, "scenario": scenario, "runner": runner, "size": size, "median_seconds": seconds,
        "ratio": ratio, "cpu_ratio": ratio, "baseline": base,
    }  # fmt: skip


def test_comparison_goes_by_ratios_and_by_noise() -> None:
    before = {"results": [result("s/a/1", 2.0, 9), result("s/b/1", 1.0), result("s/gone/1", 1.0)], "noise": {"x": 1.2}}
    after = {"results": [result("s/a/1", 3.0, 1), result("s/b/1", 1.15), result("s/c/1", 1.0)], "noise": {"x": None}}
    rows = compared(before, after)
    assert [(name, verdict) for name, _, _, verdict in rows] == [
        ("s/a/1", "slower"), ("s/b/1", "same"), ("s/gone/1", "only before"), ("s/c/1", "only after"),
    ]  # fmt: skip
    assert worst_change(rows) == 1.5


def test_results_of_other_scenarios_stay() -> None:
    old = {"results": [result("s/a/1", 2.0), result("t/a/1", 2.0)], "noise": {"t": 1.0}}
    new = {"results": [result("s/a/1", 3.0)], "noise": {"s": 1.1}, "runs": 3}
    both = merged(old, new)
    assert [(r["name"], r["ratio"]) for r in both["results"]] == [("t/a/1", 2.0), ("s/a/1", 3.0)]
    assert both["noise"] == {"t": 1.0, "s": 1.1}


def test_names_are_stable_and_one_word() -> None:
    names = list(scenarios())
    assert {"many-full", "footers-20", "footers-200", "plan-20", "check-footers", "growth-files-100000"} <= set(names)
    assert all("/" not in name and " " not in name for name in names)


def test_from_run_to_page(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    patterns = ("footers-20", "growth-files-100", "growth-files-1000", "many-sum", "plan-20")
    done = invoke("run", *patterns, "--scale", 0.01, "--runs", 1, "--folder", tmp_path / "t", "-o", results,
                  "--runner", "*projector*")  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads(results.read_text())
    names = {r["name"] for r in found["results"]}
    assert {"footers-20/projector/100x20-12v", "footers-20/pyarrow-read_metadata/100x20-12v"} <= names
    assert not any(r.get("agrees") is False for r in found["results"])
    page = tmp_path / "docs" / "performance.md"
    page.parent.mkdir()
    done = invoke("page", results, page)
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert "## Footers and shapes" in text
    assert "](performance/growth-files.svg)" in text
    assert "entries decoded 200" in text
    assert "peak bytes" in text
    assert {p.name for p in (page.parent / "performance").iterdir()} == {"growth-files.svg", "ratio-to-raw.svg"}
    first = (page.parent / "performance" / "growth-files.svg").read_bytes()
    invoke("page", results, page)
    assert (page.parent / "performance" / "growth-files.svg").read_bytes() == first
    same = invoke("compare", results, results, "--fail-above", 1.1)
    assert same.exit_code == 0
    assert "| same |" in same.output


def test_errors_name_their_cause(tmp_path: Path) -> None:
    assert "No scenario matches nonsense" in invoke("run", "nonsense").output
    assert "No such file" in invoke("table", tmp_path / "absent.json").output
    (tmp_path / "other.json").write_text("[]")
    assert "does not hold results" in invoke("table", tmp_path / "other.json").output
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "t" / "data").mkdir(parents=True)
    few = ("--scale", 0.001, "--runs", 1)
    for arguments, words in (
        (("make", tmp_path / "x", "--files", 2, "--versions", 3), "as many files as versions"),
        (("make", tmp_path / "x", "--files", 5, "--partitions", 6), "as many files as partitions"),
        (("make", tmp_path / "x", "--data", "none", "--deletes", 1), "Deletes need data files"),
        (("make", tmp_path / "t"), "already contains a table"),
        (("make", tmp_path / "broken.json" / "x"), "Not a directory"),
        (("table", tmp_path / "broken.json"), "broken.json is not JSON"),
        (("run", "footers-new-20", *few, "--runner", "nobody"), "has a runner that matches nobody"),
        (("run", "footers-new-20", *few, "-o", tmp_path / "broken.json" / "x.json"), "broken.json"),
        (("run", "footers-new-20", *few, "-o", tmp_path / "other.json"), "does not hold results"),
    ):
        done = invoke(*arguments)
        assert (done.exit_code, words in done.output) == (2, True), (arguments, done.output)


def test_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert projector_command(["bench", "list"]) == 0
    assert "footers-200" in capsys.readouterr().out
