"""What the README says can be done, can be done."""

from __future__ import annotations

import re
import shlex
import warnings
from pathlib import Path

import pytest

from cli.main import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
COMMANDS = [
    shlex.split(line.split("&&")[-1], comments=True)[1:]
    for line in README.splitlines()
    if line.split("&&")[-1].strip().startswith("projector ")
]


@pytest.fixture(autouse=True)
def in_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("args", COMMANDS, ids=" ".join)
def test_commands(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(args) in ({1} if args[0] == "diff" else {0})
    assert "error" not in capsys.readouterr().err


def test_there_are_commands() -> None:
    assert len(COMMANDS) >= 5


def test_the_python_example(capsys: pytest.CaptureFixture[str]) -> None:
    examples = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert examples
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for example in examples:
            exec(compile(example, "README.md", "exec"), {})
    assert "partition" in capsys.readouterr().out


def test_ci_runs_the_test_command_of_the_readme() -> None:
    command = README.split("&& pip install -e '.[dev]' && ")[1].splitlines()[0]
    assert command in (ROOT / ".ci" / "run").read_text().splitlines()
