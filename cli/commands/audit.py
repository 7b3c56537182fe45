"""`projector audit`: what is wrong or risky in a table as it is."""

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
    """Audit a table as it is, its metadata and its live files.

    Exits with 0 if no finding reaches --fail-on, 1 if one does, 2 if the table cannot be read. Reads only.

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
