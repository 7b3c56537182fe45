"""`python -m benchmarks`."""

from .command import command

command(prog_name="python -m benchmarks")
