"""R108 name-needs-sanitizing.

What it does:
    Finds names of columns and partition fields that are not made of letters, digits and underscores, and two names of
    one level that are spelt alike once they are.

Why it matters:
    Iceberg's writers spell such names otherwise in Avro and Parquet files (`a-b` as `a_x2Db`), and readers that go by
    names do not find them. Manifests with such partition fields have been unreadable for some.

Evidence:
    The name as writers spell it.

Example:
    ALTER TABLE orders ADD COLUMN `a-b` int

Instead:
    Letters, digits and underscores, a letter first.

Reference:
    Spec, Appendix A: Avro; names are matched by field ids.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.kit.used_names import level_of, sanitized
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding

PLAIN = "letters, digits and underscores, a letter first"


def check(state: TableState) -> Iterator[Finding]:
    """Every such column, and every such field of the current spec."""
    spelt: dict[tuple[int | None, str], int] = {}
    for field_id, field in state.schema.fields_by_id.items():
        name, level = sanitized(field.name), level_of(state.schema, field_id)
        other = spelt.setdefault((level, name), field_id)
        if other != field_id:
            yield Finding(
                f"writers spell it {name}, and {state.dotted(other)} as well",
                Direction.READERS_DISAGREE,
                state.dotted(field_id),
                field_id,
                help="rename one of the two",
                key="twice",
            )
        elif name != field.name:
            path = state.dotted(field_id)
            yield Finding(f"writers spell it {name} in files", Direction.ADVICE, path, field_id, help=PLAIN)
    for part in state.metadata.spec().fields:
        name = sanitized(part.name)
        if name != part.name and not part.is_void:
            message = f"partition field {part.name} is spelt {name} in manifests"
            yield Finding(message, Direction.ADVICE, part.name, help=PLAIN, key=f"partition {part.field_id}")


RULE = Rule(
    "R108",
    "name-needs-sanitizing",
    "Finds names that writers must spell otherwise in files.",
    Level.SCHEMA,
    "Appendix A: Avro",
    on_state=check,
)
