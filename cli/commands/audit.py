"""`projector audit`: what there is to say of a table as it stands."""

from __future__ import annotations

from typing import Any

import click

from ..options import open_table, table_options
from ..output import check_progress
from ..reporting import Choices, finish, policy_options, report_options


@click.command("audit")
@click.argument("location", metavar="TABLE")
@policy_options
@table_options
@report_options
def command(location: str, **options: Any) -> None:
    """Look a table over as it stands: its metadata and its live files.

    Exits with 0 where nothing is wrong, 1 where something is, 2 where the table could not be read.

    \b
    projector audit sample_data/orders
    projector audit sample_data/orders --format html -o orders.html
    """
    from projector.api.check import check

    choices = Choices.taken_from(options)
    table = open_table(location, options)
    with check_progress() as progress:
        report = check(table, progress=progress, **choices.of_check())
    finish((report,), choices)
