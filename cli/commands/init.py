"""`projector init`: the files that a repository needs to check its migrations."""

from __future__ import annotations

import tomllib
from pathlib import Path

import click

from projector.errors import NotFoundError, ParseError, ProjectorError

from ..init_files import CONFIGURATION, WORKFLOW, with_hook
from ..options import read_text
from ..output import note

_TABLE = "warehouse/db/orders"
_FOLDER = "migrations"


@click.command("init", short_help="Write a configuration, a hook or a workflow for the check.")
@click.argument("location", metavar="[TABLE]", default=_TABLE)
@click.option(
    "--migrations", "folder", metavar="FOLDER", default=_FOLDER, show_default=True, help="Where ALTER TABLE files are."
)
@click.option("--pyproject", is_flag=True, help="Write [tool.projector] to pyproject.toml, not projector.toml.")
@click.option("--pre-commit", is_flag=True, help="Also add a hook to .pre-commit-config.yaml.")
@click.option("--github", is_flag=True, help="Also write a workflow for pull requests to .github/workflows/.")
@click.option("--force", is_flag=True, help="Overwrite existing files of projector; other hooks stay.")
def command(location: str, folder: str, pyproject: bool, pre_commit: bool, github: bool, force: bool) -> None:
    """Write a configuration for the check in this folder; on request also a pre-commit hook and a GitHub workflow.

    Existing files are not overwritten without --force; if one is in the way, nothing is written. The hook is added to
    the existing hooks.

    \b
    projector init
    projector init warehouse/db/orders --migrations migrations/orders --pre-commit --github
    """
    folder = folder.rstrip("/")
    for text in (location, folder):
        if not text or any(c in text for c in "\n\r\"'\\$`{}"):
            raise ProjectorError(f"Cannot write {text!r} into a configuration", hint="give a plain path or name")
    if location != _TABLE:
        _require_table(location)
    files: dict[Path, str] = {}
    if pyproject:
        files[Path("pyproject.toml")] = _with_section(Path("pyproject.toml"))
    else:
        files[Path("projector.toml")] = CONFIGURATION
    if pre_commit:
        hooks = Path(".pre-commit-config.yaml")
        files[hooks] = with_hook(read_text(hooks) if hooks.exists() else "")
    if github:
        files[Path(".github/workflows/projector.yml")] = WORKFLOW
    in_the_way = [f for f in files if f.exists() and f.name not in ("pyproject.toml", ".pre-commit-config.yaml")]
    if in_the_way and not force:
        raise ProjectorError(
            f"There is {', '.join(map(str, in_the_way))} already", hint="move it away, or use --force to overwrite it"
        )
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("@TABLE@", location).replace("@FOLDER@", folder), "utf-8")
        click.echo(f"wrote {file}")
    if location == _TABLE and (pre_commit or github):
        note(f"the table is {_TABLE} in them; put yours in its place")


def _require_table(location: str) -> None:
    """Raise `NotFoundError` for a local path that does not exist. Other locations are not checked."""
    place = Path(location.removeprefix("file://"))
    if "://" not in location.removeprefix("file://") and not place.exists():
        raise NotFoundError(f"There is no table {location}", hint="give the path from this folder, or leave it out")


def _with_section(file: Path) -> str:
    """Return the text of a pyproject.toml with the configuration appended."""
    try:
        text = read_text(file)
    except NotFoundError:
        raise NotFoundError("There is no pyproject.toml here", hint="leave --pyproject out") from None
    try:
        known = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ParseError(f"Cannot read pyproject.toml: {error}") from None
    if "projector" in known.get("tool", {}):
        raise ProjectorError("There is a [tool.projector] in pyproject.toml already")
    section = CONFIGURATION.replace("# [[ignore]]", "# [[tool.projector.ignore]]")
    return f"{text.rstrip()}\n\n[tool.projector]\n{section}"
