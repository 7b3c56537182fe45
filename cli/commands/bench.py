"""`projector bench`: the benchmarks, which are a separate package."""

from __future__ import annotations

from importlib import import_module

import click


def _command() -> click.Command:
    # In a checkout the packages are cli and benchmarks; installed, projector_cli and projector_benchmarks.
    assert __package__ is not None
    found = import_module(f"{__package__.removesuffix('cli.commands')}benchmarks.command").command
    assert isinstance(found, click.Command)
    return found


command = _command()
