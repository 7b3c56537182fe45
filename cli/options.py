"""Options that several verbs share, and the table that they select."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from projector.errors import NotFoundError, ParseError, ProjectorError

from .output import SUFFIXES

if TYPE_CHECKING:
    from projector.api.table import Table

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _remember_format(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    # Errors follow the format, so the code that writes them has to know it.
    if value is not None and ctx.obj is not None:
        ctx.obj.format = value
    return value


def output_options(*formats: str) -> Callable[[_Command], _Command]:
    """Add `--format` and `--output`."""

    def decorate(command: _Command) -> _Command:
        command = click.option(
            "--output",
            "-o",
            "output_file",
            type=click.Path(dir_okay=False, path_type=Path),
            callback=check_output_names(formats),
            help="Write to a file; its suffix selects the format, unless --format does.",
        )(command)
        return click.option(
            "--format",
            "-f",
            "output_format",
            type=click.Choice(formats),
            callback=_remember_format,
            is_eager=True,
            help="Format of the output.  [default: text]",
        )(command)

    return decorate


def check_output_names(formats: Collection[str]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return a callback that rejects, before any work, output files of unknown format or in a missing folder."""

    def check(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
        files = value if isinstance(value, tuple) else () if value is None else (value,)
        chosen = ctx.params.get("output_format") if parameter.name == "output_file" else None
        for file in files:
            ending = file.suffix.lower()
            if ending and chosen is None and SUFFIXES.get(ending) not in formats:
                known = ", ".join(e for e, form in SUFFIXES.items() if form in formats)
                way = f"its name may end in {known}"
                also = "; or give --format" if parameter.name == "output_file" else ""
                raise ProjectorError(f"Cannot write {file}: {ending} is not a format of this verb", hint=way + also)
            if not file.parent.is_dir():
                raise NotFoundError(f"Cannot write {file}: No such file or directory")
        return value

    return check


def table_options(command: _Command) -> _Command:
    """Add the options on where a table's files are: catalog, storage settings, moved paths."""
    for option in reversed(
        (
            click.option(
                "--catalog", metavar="NAME", help="Look up TABLE (as ns.table) in a catalog configured for pyiceberg."
            ),
            click.option(
                "--catalog-property",
                "catalog_properties",
                multiple=True,
                metavar="KEY=VALUE",
                help="Setting of the catalog: uri=x. Overrides .pyiceberg.yaml.",
            ),
            click.option(
                "--property",
                "-p",
                "properties",
                multiple=True,
                metavar="KEY=VALUE",
                help="Storage setting: s3.region=x.",
            ),
            click.option(
                "--allow-moved-paths/--no-allow-moved-paths",
                default=None,
                help="Read files from where the table was found, not from its recorded location.  [default: if moved]",
            ),
            click.option(
                "--path-map", "path_map", multiple=True, metavar="OLD=NEW", help="Prefix of files outside the table."
            ),
        )
    ):
        command = option(command)
    return command


def point_options(command: _Command) -> _Command:
    """Add the options on which state of the table to read."""
    for option in reversed(
        (
            click.option("--snapshot-id", type=int, help="Read this snapshot, with its own schema."),
            click.option("--ref", metavar="NAME", help="Read a branch or tag."),
            click.option("--as-of", metavar="TIME", help="Read the snapshot that was current at a time (ISO 8601)."),
        )
    ):
        command = option(command)
    return command


cache_option = click.option("--no-cache", is_flag=True, help="Do not use or fill the cache: open every file.")
"""Add the option of verbs that read footers and store shapes on disk."""


def open_table(location: str, options: dict[str, Any]) -> Table:
    """Return the table of the command, by the options that `table_options` added; removes them from `options`."""
    from projector.api.table import load_table

    allow = options.pop("allow_moved_paths")
    return load_table(
        location,
        catalog=options.pop("catalog"),
        catalog_properties=pairs(options.pop("catalog_properties"), "--catalog-property"),
        properties=pairs(options.pop("properties"), "--property"),
        allow_moved_paths="auto" if allow is None else allow,
        path_map=pairs(options.pop("path_map"), "--path-map"),
    )


def read_text(file: Path) -> str:
    """Return the text of a file that an option names."""
    try:
        return file.read_text("utf-8")
    except FileNotFoundError:
        raise NotFoundError(f"No such file: {file}") from None
    except IsADirectoryError:
        raise NotFoundError(f"Is a folder, not a file: {file}") from None
    except UnicodeDecodeError:
        raise ParseError(f"Cannot read {file}: it is not UTF-8 text") from None


def pairs(texts: tuple[str, ...], option: str) -> dict[str, str]:
    """Return `KEY=VALUE` texts as a dictionary. A value may contain further equals signs."""
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ParseError(f"Invalid {option} {text!r}", text=text, hint="write KEY=VALUE")
        found[key] = value
    return found
