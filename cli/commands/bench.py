"""`projector bench`: the benchmarks, which are a package of their own beside this one."""

from __future__ import annotations

from importlib import import_module

import click


def _command() -> click.Command:
    # Checked out, the two packages are called cli and benchmarks; installed, projector_cli and projector_benchmarks.
    assert __package__ is not None
    found = import_module(f"{__package__.removesuffix('cli.commands')}benchmarks.command").command
    assert isinstance(found, click.Command)
    return found


command = _command()
