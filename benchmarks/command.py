"""The command: `projector bench`, or `python -m benchmarks` in a checkout."""

from __future__ import annotations

import fnmatch
import math
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

_FILE = click.Path(dir_okay=False, path_type=Path)


class _Path(click.Path):
    """A path that must not be empty: an empty one would mean the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("it is empty; the current folder is called .", param, ctx)
        return super().convert(value, param, ctx)


_FOLDER = _Path(file_okay=False, path_type=Path)


class _Bench(click.Group):
    """A group whose commands report errors of the file system as usage errors."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except ModuleNotFoundError as error:
            hint = "pip install 'iceberg-projector[bench]'"
            raise click.UsageError(f"{error.name} is not installed; the benchmarks need it: {hint}") from error
        except OSError as error:
            where = f": {error.filename}" if error.filename else ""
            raise click.UsageError(f"{error.strerror or error}{where}") from error


def _finite(ctx: click.Context, parameter: click.Parameter, value: float) -> float:
    if not math.isfinite(value):
        raise click.BadParameter(f"{value} is not a finite number.")
    return value


@click.group("bench", cls=_Bench, no_args_is_help=True, short_help="Measure what projection costs.")
def command() -> None:
    """Measure what projection costs, compared with raw scans and other readers.

    \b
    projector bench list
    projector bench run "footers-*" --scale 0.1 -o results.json
    projector bench compare before.json after.json
    """


@command.command("list")
def list_scenarios() -> None:
    """List the scenarios."""
    from .scenario import scenarios

    for name, each in scenarios().items():
        click.echo(f"{name:24} {each.size(1.0):18} {each.about}")


@command.command("run", short_help="Run scenarios, by name or pattern.")
@click.argument("patterns", metavar="[SCENARIO]...", nargs=-1)
@click.option(
    "--scale",
    type=click.FloatRange(min=0, min_open=True),
    callback=_finite,
    default=1.0,
    show_default=True,
    help="Factor for the number of files.",
)
@click.option("--runs", type=click.IntRange(1), help="Rounds of each scenario.  [default: set by the scenario]")
@click.option("--folder", type=_FOLDER, help="Create tables here, and leave them.  [default: a temporary folder]")
@click.option("--output", "-o", type=_FILE, help="Write the results here. Results of other scenarios in the file stay.")
@click.option("--runner", "only", multiple=True, metavar="NAME", help="Only runners that match, and their baselines.")
def run(
    patterns: tuple[str, ...],
    scale: float,
    runs: int | None,
    folder: Path | None,
    output: Path | None,
    only: tuple[str, ...],
) -> None:
    """Run scenarios, by name or pattern; by default all of them."""
    from .comparing import results_table
    from .measuring import measure
    from .results import document, load, merged, save
    from .scenario import scenarios

    known = scenarios()
    chosen = [name for name in known if not patterns or any(fnmatch.fnmatch(name, p) for p in patterns)]
    if not chosen:
        raise click.UsageError(f"No scenario matches {' or '.join(patterns)}; `projector bench list` lists them")
    if output is not None:
        _try_to_write(output)  # fail before measuring, not after
    found: dict[str, Any] = {}
    with ExitStack() as stack:
        where = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="projector-bench-")))
        where.mkdir(parents=True, exist_ok=True)
        for name in chosen:
            scenario = known[name]
            click.echo(f"{name}: creating {scenario.size(scale)}", err=True)
            runners = scenario.prepare(where, scale)
            if only:
                matching = {n: r for n, r in runners.items() if any(fnmatch.fnmatch(n, p) for p in only)}
                runners = {
                    n: r for n, r in runners.items() if n in matching or n in {m.baseline for m in matching.values()}
                }
            if not runners:
                click.echo(f"{name}: no runner matches {' or '.join(only)}", err=True)
                continue
            click.echo(f"{name}: measuring {', '.join(runners)}", err=True)
            timings = measure(runners, runs or scenario.runs)
            fresh = document([(name, scenario.size(scale), timing) for timing in timings], runs or scenario.runs)
            found = merged(found, fresh) if found else fresh
            if output is not None:  # after each scenario, so that an interrupted run is not lost
                save(merged(load(output), found) if output.exists() else found, output)
    if not found:
        raise click.UsageError(f"None of these scenarios has a runner that matches {' or '.join(only)}")
    click.echo(results_table(found))


@command.command("compare")
@click.argument("before", type=_FILE)
@click.argument("after", type=_FILE)
@click.option("--fail-above", type=float, metavar="FACTOR", help="Exit with 1 if anything got slower by more.")
def compare(before: Path, after: Path, fail_above: float | None) -> None:
    """Compare two results, name by name."""
    from .comparing import compared, comparison_table, worst_change
    from .results import load

    rows = compared(_loaded(load, before), _loaded(load, after))
    click.echo(comparison_table(rows))
    if fail_above is not None and worst_change(rows) > fail_above:
        sys.exit(1)


@command.command("table")
@click.argument("results", type=_FILE)
def table(results: Path) -> None:
    """Print results as a Markdown table."""
    from .comparing import results_table
    from .results import load

    click.echo(results_table(_loaded(load, results)))


@command.command("plot")
@click.argument("results", type=_FILE)
@click.argument("folder", type=_FOLDER)
def plot(results: Path, folder: Path) -> None:
    """Draw the plots of results into a folder."""
    from .plots import draw
    from .results import load

    _needs_matplotlib()
    for path in draw(_loaded(load, results), folder):
        click.echo(str(path))


@command.command("page")
@click.argument("results", type=_FILE)
@click.argument("page", type=_FILE, default=Path("docs/performance.md"))
def page(results: Path, page: Path) -> None:
    """Write the page of figures and its plots from results."""
    from .page import write_page
    from .results import load

    _needs_matplotlib()
    for path in write_page(_loaded(load, results), page):
        click.echo(str(path))


@command.command("make")
@click.argument("folder", type=_FOLDER)
@click.option("--files", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--columns", type=click.IntRange(2), default=20, show_default=True)
@click.option("--rows", type=click.IntRange(1), default=10, show_default=True, help="Rows in each file.")
@click.option("--versions", type=click.IntRange(1), default=4, show_default=True, help="Schemas in its history.")
@click.option("--nesting", type=click.IntRange(0), default=0, show_default=True, help="Depth of every tenth column.")
@click.option("--partitions", type=click.IntRange(0), default=0, show_default=True)
@click.option("--deletes", type=click.IntRange(0), default=0, show_default=True, help="Position delete files.")
@click.option("--statistics", type=click.IntRange(0), default=20, show_default=True, help="Columns with statistics.")
@click.option(
    "--data",
    type=click.Choice(["none", "tiny", "shared", "new"]),
    default="tiny",
    show_default=True,
    help="none: metadata only; shared: all paths of a version link to one file; new: every file has its own schema.",
)
def make(folder: Path, **size: Any) -> None:
    """Create an evolved table of any size, and print its metadata file."""
    from .tables.many_files import ManyFiles, write_table

    table = ManyFiles(**size)
    if table.versions > table.files:
        raise click.UsageError(f"There must be at least as many files as versions ({table.versions}, see --versions)")
    if table.partitions > table.files:
        raise click.UsageError(f"There must be at least as many files as partitions ({table.partitions})")
    if (folder / "metadata").exists() or (folder / "data").exists():
        raise click.UsageError(f"{folder} already contains a table; choose another folder, or remove it")
    if table.deletes and table.data == "none":
        raise click.UsageError("Deletes need data files: choose a --data other than none")
    click.echo(write_table(table, folder))


def _loaded(load: Any, file: Path) -> Any:
    try:
        return load(file)
    except FileNotFoundError:
        raise click.UsageError(f"No such file: {file}") from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _try_to_write(output: Path) -> None:
    from .results import load

    if output.exists():
        _loaded(load, output)
    output.parent.mkdir(parents=True, exist_ok=True)
    new = not output.exists()
    output.open("a").close()
    if new:
        output.unlink()


def _needs_matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise click.UsageError(
            "matplotlib is not installed; install it with: pip install 'iceberg-projector[bench]'"
        ) from None


if __name__ == "__main__":
    command()
