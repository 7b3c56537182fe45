"""`projector rules`: what the check looks for."""

from __future__ import annotations

from pathlib import Path

import click

from projector.errors import NotFoundError

from ..options import output_options
from ..output import Listing, Target, write_listing


@click.command("rules")
@click.argument("code", required=False)
@click.option(
    "--write", "folder", type=click.Path(file_okay=False, path_type=Path), help="Write all pages to a folder."
)
@click.option("--portability", is_flag=True, help="Show the page on what readers are known to do.")
@output_options("text", "json", "csv")
def command(
    code: str | None, folder: Path | None, portability: bool, output_format: str | None, output_file: Path | None
) -> None:
    """List the rules of the check, or show the page of one.

    \b
    projector rules
    projector rules T101
    """
    from projector.check.rules import all_rules
    from projector.render.rule_page import index, page

    rules = all_rules()
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for rule in rules.values():
            (folder / f"{rule.code.lower()}.md").write_text(page(rule), "utf-8")
        (folder / "README.md").write_text(index(rules), "utf-8")
        return
    target = Target.chosen(output_format, output_file)
    if portability:
        from projector.render import portability_page

        with target.open() as stream:
            stream.write(portability_page.page().encode())
        return
    if code is not None:
        found = rules.get(code.upper()) or next((r for r in rules.values() if r.name == code.lower()), None)
        if found is None:
            raise NotFoundError(f"There is no rule {code}", hint="`projector rules` lists them")
        with target.open() as stream:
            stream.write(page(found).encode())
        return
    rows = tuple((r.code, r.name, str(r.family), str(r.level), r.summary) for r in rules.values())
    listing = Listing("rules", ("code", "name", "family", "level", "summary"), rows)
    if target.format == "text":  # the code already tells the family, so that column is left out
        listing = Listing("rules", ("code", "name", "summary"), tuple((r[0], r[1], r[-1]) for r in rows))
    write_listing(listing, target)
