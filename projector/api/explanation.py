"""Where the fields of a scan come from, shape by shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from projector.planning.projected_files import ProjectedFile
from projector.projection.explain import FieldExplanation, explain_plan
from projector.projection.plan import Plan
from projector.schema.schema import Schema


@dataclass(frozen=True, slots=True)
class ShapeExplanation:
    """The files of one shape, with the same partition values present, and how they are projected.

    Parameters
    ----------
    plan:
        Their plan.
    files:
        Their paths, as the manifests spell them.
    row_count:
        Rows in all of them, by their own footers.
    """

    plan: Plan
    files: tuple[str, ...]
    row_count: int

    @property
    def fields(self) -> tuple[FieldExplanation, ...]:
        """Every requested field, parents before their children."""
        return explain_plan(self.plan)


@dataclass(frozen=True, slots=True)
class Explanation:
    """How every file of a scan is projected.

    Parameters
    ----------
    schema:
        The schema of the scan's rows.
    shapes:
        One entry for each shape, in the order of their first files.
    """

    schema: Schema
    shapes: tuple[ShapeExplanation, ...] = field(default=())

    def column(self, path: str) -> tuple[tuple[ShapeExplanation, FieldExplanation], ...]:
        """For one field, by dotted path: where it comes from in each shape."""
        return tuple((shape, f) for shape in self.shapes for f in shape.fields if f.path == path)


def explain_files(files: Iterable[ProjectedFile], schema: Schema) -> Explanation:
    """Group projected files by their plan."""
    groups: dict[int, tuple[Plan, list[ProjectedFile]]] = {}
    for file in files:
        groups.setdefault(id(file.plan), (file.plan, []))[1].append(file)
    return Explanation(
        schema,
        tuple(
            ShapeExplanation(plan, tuple(f.task.file for f in members), sum(f.row_count for f in members))
            for plan, members in groups.values()
        ),
    )
