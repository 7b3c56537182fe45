"""The frame of the command line: exit codes, errors in one line, nothing but data on stdout."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import click
import pytest

import cli.main
import projector
from cli.main import VERBS, Verbs, run

ROOT = Path(__file__).parent.parent.parent
ORDERS = str(ROOT / "sample_data" / "orders")


def failing(error: BaseException) -> click.Command:
    @click.command("fail")
    def command() -> None:
        raise error

    return command


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch) -> object:
    """Make the verb `read` raise an error."""

    def install(error: BaseException) -> None:
        monkeypatch.setattr(Verbs, "get_command", lambda *_: failing(error))

    return install


def test_help_lists_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(f"\n  {verb}" in text for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_help_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([verb, "--help"]) == 0
    assert f"projector {verb} " in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"projector {projector.__version__}\n"


@pytest.mark.parametrize("args", [["nope"], ["read"], ["read", ORDERS, "--limit", "-1"], ["--nope"], []])
def test_wrong_usage_is_trouble(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(args) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (projector.NotFoundError("Cannot find it", hint="look again"), "error: Cannot find it; look again\n"),
        (click.ClickException("two\nlines"), "error: two lines\n"),
        (PermissionError(13, "Permission denied", "x.csv"), "error: [Errno 13] Permission denied: 'x.csv'\n"),
        (click.ClickException("no"), "error: no\n"),
        (
            ValueError("odd"),
            "error: ValueError: odd; this is a bug in projector, --debug shows where\n",
        ),
    ],
)
def test_every_error_is_one_line_and_trouble(
    error: Exception, line: str, fail: object, capsys: pytest.CaptureFixture[str]
) -> None:
    fail(error)  # type: ignore[operator]
    assert run(["read"]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", line)


def test_a_warning_is_told_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    @click.command("warn")
    def command() -> None:
        for text in ("first", "second\nline", "first"):
            warnings.warn(text, projector.ProjectorWarning, stacklevel=1)

    monkeypatch.setattr(Verbs, "get_command", lambda *_: command)
    assert run(["read"]) == 0
    assert capsys.readouterr().err == "warning: first\nwarning: second line\n"


def test_debug_shows_where(fail: object, capsys: pytest.CaptureFixture[str]) -> None:
    fail(ValueError("odd"))  # type: ignore[operator]
    assert run(["--debug", "read"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt(fail: object, capsys: pytest.CaptureFixture[str]) -> None:
    fail(KeyboardInterrupt())  # type: ignore[operator]
    assert run(["read"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_errors_follow_the_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", "/there/is/no/table", "--format", "json"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert json.loads(captured.err)["error"]["type"] == "NotFoundError"


def test_warnings_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", ORDERS]) == 0
    captured = capsys.readouterr()
    assert "warning" not in captured.out
    assert captured.err.count("warning: ") == 1
    assert "file:///warehouse/bookshop/orders" in captured.err


def test_verbs_are_modules_with_a_command() -> None:
    context = click.Context(cli.main.app)
    for verb in VERBS:
        command = cli.main.app.get_command(context, verb)
        assert command is not None
        assert command.name == verb
    assert cli.main.app.get_command(context, "main") is None


def projector_process(*args: str, **options: object) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "cli", *args]
    return subprocess.Popen(command, env=env, cwd=ROOT, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload, no-any-return]


def test_a_reader_that_goes_away_is_no_crash() -> None:
    read, write = os.pipe()
    os.close(read)
    with projector_process("read", ORDERS, stdout=write) as process:
        os.close(write)
        _, told = process.communicate()
    assert process.returncode == 141
    assert b"Traceback" not in told
    assert b"Exception" not in told


def test_no_color_and_no_escapes_away_from_a_terminal() -> None:
    with projector_process("read", ORDERS, stdout=subprocess.PIPE) as process:
        text, _ = process.communicate()
    assert process.returncode == 0
    assert b"\x1b" not in text
    assert b"1250000.00" in text


def test_every_module_with_a_command_is_a_verb() -> None:
    modules = {
        path.stem
        for path in (ROOT / "cli" / "commands").glob("*.py")
        if re.search(r"^(def command\(|command = )", path.read_text(), re.M)
    }
    assert modules == set(VERBS)


@pytest.mark.parametrize("closed", ["1", "2"])
def test_closed_standard_streams(closed: str, tmp_path: Path) -> None:
    """A shell can close them (`>&-`); Python then has None in their place."""

    def shell(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", f'"$0" -m cli read "$1" {command} {closed}>&-', sys.executable, ORDERS],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )

    result = shell("-f csv")
    if closed == "1":
        error = result.stderr.splitlines()[-1]
        assert (result.returncode, error) == (2, "error: Cannot write: standard output is closed; give --output FILE")
    else:
        assert (result.returncode, result.stdout.count("\n")) == (0, 14)
    target = tmp_path / "rows.txt"
    assert shell(f"-o {target}").returncode == 0
    assert len(target.read_text().splitlines()) == 2 + 13


def test_a_reader_of_a_list_of_benchmarks_may_go_away() -> None:
    read, write = os.pipe()
    os.close(read)
    with projector_process("bench", "list", stdout=write) as process:
        os.close(write)
        _, told = process.communicate()
    assert process.returncode == 141
    assert told == b""


def test_benchmarks_without_numpy_name_the_extra() -> None:
    code = "import sys; sys.modules['numpy'] = None; from cli.main import main; main(['bench', 'list'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'iceberg-projector[bench]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert "this is a bug" not in done.stderr


def test_summaries_of_verbs_are_whole(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for args in (["--help"], ["bench", "--help"]):
        run(args)
        summaries = capsys.readouterr().out.partition("Commands:\n")[2]
        assert summaries
        assert "..." not in summaries
