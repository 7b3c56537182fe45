"""The command `projector`: runs the verb, and turns every error into one line and an exit code.

A verb is a module of `commands`, imported when it is named; only `--help` imports all of them.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click

from projector import __version__
from projector.errors import ProjectorError, ProjectorWarning

TROUBLE = 2
INTERRUPTED = 130
OUTPUT_CLOSED = 141

VERBS = (
    "check", "plan", "commit", "audit", "explain", "read", "query", "inspect", "diff", "rules", "init", "bench",
)  # fmt: skip


@dataclass
class State:
    """The options of a run that concern the run itself.

    Parameters
    ----------
    format:
        The requested output format; with `json`, errors are JSON too.
    debug:
        Show the traceback of an error.
    """

    format: str = "text"
    debug: bool = False


class Verbs(click.Group):
    """A group whose commands are the modules of `commands`, each with a `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every verb, in the order of the help."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a verb, importing its module; None for an unknown verb."""
        if cmd_name not in VERBS:
            return None
        command = import_module(f".commands.{cmd_name}", __package__).command
        assert isinstance(command, click.Command)
        return command


@click.group(
    cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}, no_args_is_help=True
)
@click.version_option(__version__, "-V", "--version", prog_name="projector", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_obj
def app(state: State, debug: bool) -> None:
    """Read, explain and evolve Apache Iceberg tables by field id.

    TABLE is the table's folder or one of its metadata files, local or in an object store.
    """
    state.debug = debug


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code: 0 for success, 1 for findings, 2 for failure."""
    if "_PROJECTOR_COMPLETE" in os.environ:
        app.main(prog_name="projector")
    sys.exit(run(sys.argv[1:] if args is None else args))


def run(args: Sequence[str]) -> int:
    """Run the command line and return its exit code. Write errors and warnings to stderr."""
    state = State()
    with warnings.catch_warnings():
        warnings.simplefilter("always", ProjectorWarning)
        warnings.showwarning = _warnings_shown_once()
        try:
            with app.make_context("projector", list(args), obj=state) as context:
                app.invoke(context)
            if sys.stdout is not None:
                sys.stdout.flush()
        except click.exceptions.Exit as stop:
            return stop.exit_code
        except (click.Abort, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            return INTERRUPTED
        except BrokenPipeError:
            _silence_stdout()
            return OUTPUT_CLOSED
        except Exception as error:  # every failure of a verb ends here, as a line and a code
            if _is_interrupt(error):
                click.echo("interrupted", err=True)
                return INTERRUPTED
            _report(error, state)
            return TROUBLE
    return 0


def _is_interrupt(error: BaseException | None) -> bool:
    """Return whether Ctrl-C caused an error: DuckDB turns it into its own, and others may wrap that."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "InterruptException":
            return True
        error = error.__cause__ or error.__context__
    return False


def _report(error: Exception, state: State) -> None:
    if state.debug:
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    if state.format == "json":
        click.echo(json.dumps({"error": {"type": type(error).__name__, "message": _sentence(error)}}), err=True)
    elif isinstance(error, click.UsageError):
        error.show()
    else:
        click.echo(f"error: {_sentence(error)}", err=True)


def _sentence(error: Exception) -> str:
    match error:
        case click.ClickException():
            text = error.format_message()
        case ProjectorError() | OSError():
            text = str(error)
        case RecursionError():
            text = "The input is nested too deeply; split it, or nest it less"
        case MemoryError():
            text = "Out of memory"
        case _:
            text = f"{type(error).__name__}: {error}; this is a bug in projector, --debug shows where"
    return " ".join(text.splitlines())


def _warnings_shown_once() -> Callable[..., None]:
    shown: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = " ".join(str(message).splitlines())
        if text not in shown:
            shown.add(text)
            click.echo(f"warning: {text}", err=True)

    return show


def _silence_stdout() -> None:
    """Let the interpreter flush the remaining output to nowhere, after the reader of the output has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
