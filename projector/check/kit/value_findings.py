"""Make findings of disagreements in values, one for each engine and column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from projector.check.report.findings import Direction, Evidence, Finding, Sample

if TYPE_CHECKING:
    from projector.check.values.differences import Disagreement

_SAMPLES = 10


def value_findings(found: Sequence[Disagreement], of_files: int) -> Iterator[Finding]:
    """Yield a finding for each engine, column and kind of disagreement; the rule adds the direction and its own words.

    The key holds `failure` if rows could not be read, and the engine's name if one is at fault.
    """
    if not found:
        return
    from projector.check.values.state_values import by_field

    for (engine, _, kind), members in by_field(found).items():
        first = members[0]
        files = list(dict.fromkeys(m.file for m in members if m.file is not None))
        filters = list(dict.fromkeys(m.row_filter for m in members if m.row_filter is not None))
        facts = [f"{len(filters)} filters, the first: {filters[0]}"] if filters else []
        if first.failure is not None:
            facts.append(first.failure if engine is None else f"{engine}: {first.failure}")
        said = f"{first.difference.expected} became {first.difference.found}"
        where = f" for {filters[0]}" if filters else ""
        reader = "" if engine is None else f"{engine}: "
        message = f"{reader}{first.failure}" if first.failure is not None else f"{reader}{said}{where}"
        key = "-".join(part for part in (kind, None if engine is None else engine) if part)
        yield Finding(
            message,
            Direction.READERS_DISAGREE,
            first.difference.path,
            first.difference.field_id,
            evidence=Evidence(
                files=len(files),
                of_files=of_files if files else 0,
                rows=sum(m.difference.count for m in members),
                first_file=files[0] if files else None,
                facts=tuple(facts),
                samples=tuple(
                    Sample(m.file, m.difference.expected, m.difference.found, m.difference.row, m.engine)
                    for m in members[:_SAMPLES]
                ),
            ),
            key=key,
        )
