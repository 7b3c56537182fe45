"""What `check` and `audit` share: the options of a check, and writing its report."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .options import cache_option, check_output_names, output_options
from .output import Target, text_width

if TYPE_CHECKING:
    from projector.check.level import Level
    from projector.check.report.config import Config
    from projector.check.report.policy import Compatibility
    from projector.check.report.report import Report

FORMATS = ("text", "json", "markdown", "html", "sarif", "junit", "github")
_COMPATIBILITIES = (
    "backward-transitive", "backward", "forward-transitive", "forward", "full-transitive", "full", "none",
)  # fmt: skip
_Command = TypeVar("_Command", bound=Callable[..., Any])
FINDINGS, NOT_READ = 1, 2


def policy_options(command: _Command) -> _Command:
    """Add the options on how far to look, and what counts."""
    for option in reversed(
        (
            click.option(
                "--level",
                type=click.Choice(["schema", "footers", "values"]),
                help="What to read: metadata only, footers of all live files, or values too.  [default: footers]",
            ),
            click.option(
                "--compat",
                "compatibility",
                type=click.Choice(_COMPATIBILITIES),
                help="Which schemas must read which data.  [default: backward-transitive]",
            ),
            click.option(
                "--fail-on",
                type=click.Choice(["error", "warning", "info", "never"]),
                help="The least severity that makes the exit code 1.  [default: error]",
            ),
            click.option(
                "--select", multiple=True, metavar="CODE", help="Report only codes with this prefix: T, T1, T101."
            ),
            click.option("--ignore", multiple=True, metavar="CODE", help="Leave out codes with this prefix."),
            click.option(
                "--engine",
                "engines",
                multiple=True,
                metavar="NAME",
                help="The readers to consider: spark, trino, duckdb, polars, pyiceberg.  [default: all]",
            ),
            click.option(
                "--sample",
                type=click.IntRange(min=1),
                metavar="N",
                help="At level values: read at most N files of each shape, spec and kind of deletes.  [default: all]",
            ),
            click.option(
                "--sample-rows",
                type=click.IntRange(min=1),
                metavar="N",
                help="At level values: of each kind of file, read whole files until they have N rows.  [default: all]",
            ),
            click.option(
                "--all-columns",
                is_flag=True,
                help="At level values: also read columns that the change does not affect.",
            ),
            click.option(
                "--config",
                "config_file",
                type=click.Path(dir_okay=False, path_type=Path),
                help="Configuration file.  [default: projector.toml or pyproject.toml, in this folder or above]",
            ),
            cache_option,
            click.option("--verbose", "-v", is_flag=True, help="Also show existing findings in full."),
        )
    ):
        command = option(command)
    return command


def report_options(command: _Command) -> _Command:
    """Add `--format` and `--output` with the formats of reports, and `--report` for further reports."""
    more = click.option(
        "--report",
        "also",
        multiple=True,
        type=click.Path(dir_okay=False, path_type=Path),
        callback=check_output_names(FORMATS),
        metavar="FILE",
        help="Also write the report to a file, in the format of its suffix: r.sarif, r.md, r.json. May be repeated.",
    )
    return output_options(*FORMATS)(more(command))


@dataclass(frozen=True)
class Choices:
    """The options of a check as given on the command line; None if the configuration decides."""

    level: str | None
    compatibility: str | None
    fail_on: str | None
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    engines: tuple[str, ...]
    sample: int | None
    sample_rows: int | None
    all_columns: bool
    no_cache: bool
    verbose: bool
    target: Target
    also: tuple[Path, ...]
    config: Config

    @staticmethod
    def taken_from(options: dict[str, Any]) -> Choices:
        """Return the choices, and remove them from a command's options."""
        from projector.check.report.config import find_config, read_config

        target = Target.chosen(options.pop("output_format"), options.pop("output_file"))
        given = options.pop("config_file")
        config = read_config(given) if given is not None else find_config(Path.cwd())
        names = ("level", "compatibility", "fail_on", "select", "ignore", "engines", "sample", "sample_rows")
        also = options.pop("also", ())
        flags = {name: options.pop(name) for name in ("all_columns", "no_cache", "verbose")}
        return Choices(**{name: options.pop(name) for name in names}, **flags, target=target, also=also, config=config)

    def of_check(self) -> dict[str, Any]:
        """Return the arguments of `projector.check` for these choices, completed by the configuration."""
        config = self.config
        return {
            "level": self.level or config.level or "footers",
            "compatibility": self.compatibility or config.compatibility or "backward-transitive",
            "select": _codes(self.select) or config.select,
            "ignore": (*_codes(self.ignore), *config.ignore),
            "engines": _names(self.engines) or config.engines,
            "sample": self.sample or config.sample,
            "sample_rows": self.sample_rows or config.sample_rows,
            "all_columns": self.all_columns,
            "suppressions": config.suppressions,
            "cache": not self.no_cache,
        }

    @property
    def levels(self) -> tuple[Level, Compatibility]:
        """Return the level and the compatibility."""
        from projector.check.level import Level
        from projector.check.report.policy import Compatibility

        asked = self.of_check()
        return Level.of(asked["level"]), Compatibility(asked["compatibility"])

    def fail(self, report: Report) -> bool:
        """Return whether the report holds a finding that counts as a failure."""
        from projector.check.report.findings import Severity

        fail_on = self.fail_on or self.config.fail_on or "error"
        return report.fails(None if fail_on == "never" else Severity(fail_on))


def _codes(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(code.upper() for code in _names(given))


def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.strip() for text in given for name in text.split(",") if name.strip())


def finish(reports: Sequence[Report], choices: Choices) -> None:
    """Write the reports, and set the exit code by the worst of them."""
    from projector.render.formats import render_reports

    target = choices.target
    with target.open() as stream:
        stream.write(_rendered(reports, target, choices).encode("utf-8", "backslashreplace"))
    for file in choices.also:
        also = Target.chosen(None, file)
        with also.open() as stream:
            stream.write(_rendered(reports, also, choices).encode("utf-8", "backslashreplace"))
    if os.environ.get("GITHUB_ACTIONS") == "true" and target.format == "text" and target.file is None:
        click.echo(render_reports(reports, "github"), nl=False)
    not_read = [report.proposal_file or "" for report in reports if not report.is_understood]
    if not_read:
        click.echo(f"error: Cannot check {len(not_read)} of {len(reports)} files: {', '.join(not_read)}", err=True)
        click.get_current_context().exit(NOT_READ)
    if any(choices.fail(report) for report in reports):
        click.get_current_context().exit(FINDINGS)


def _rendered(reports: Sequence[Report], target: Target, choices: Choices) -> str:
    from projector.render import text
    from projector.render.formats import render_reports

    if target.format != "text":
        return render_reports(reports, target.format)
    color, several = _wants_color(target), len(reports) > 1
    width = None if target.file is not None else text_width(sys.stdout)
    return "\n".join(text.render(r, color=color, verbose=choices.verbose, named=several, width=width) for r in reports)


def _wants_color(target: Target) -> bool:
    if target.file is not None or os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")
