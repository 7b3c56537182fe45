"""Explain where the fields of a scan come from, shape by shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from projector.planning.scan.plan import ScanPlan, Skipped, SkippedTotal
from projector.planning.scan.projected_files import ProjectedFile
from projector.projection.explain import FieldExplanation, explain_plan
from projector.projection.plan import Plan
from projector.schema.schema import Schema


@dataclass(frozen=True, slots=True)
class ShapeExplanation:
    """Files of one shape with values for the same partition fields, and how they are projected.

    Parameters
    ----------
    plan:
        Their plan.
    files:
        Their paths, as the manifests spell them.
    row_count:
        The rows in all of them, by their footers.
    """

    plan: Plan
    files: tuple[str, ...]
    row_count: int

    @property
    def fields(self) -> tuple[FieldExplanation, ...]:
        """All requested fields, parents before their children."""
        return explain_plan(self.plan)


@dataclass(frozen=True, slots=True)
class PruningExplanation:
    """What a scan reads of a table and what it skips, which shows the benefit of a partition spec or a sort order.

    Parameters
    ----------
    manifests:
        The number of manifests opened.
    skipped_manifests:
        The manifests not opened, and why.
    files, records_to_read:
        The data files to read, and the records in them.
    records_expected:
        The records that the scan is expected to return from them; see `ScanPlan.records_expected`.
    skipped:
        The live data files that are not read, by reason.
    """

    manifests: int
    skipped_manifests: tuple[Skipped, ...]
    files: int
    records_to_read: int
    records_expected: int
    skipped: tuple[SkippedTotal, ...]

    @property
    def files_skipped(self) -> int:
        """The live data files in the opened manifests that are not read."""
        return sum(total.files for total in self.skipped)

    @property
    def records_skipped(self) -> int:
        """The records in the skipped files."""
        return sum(total.records for total in self.skipped)


@dataclass(frozen=True, slots=True)
class Explanation:
    """How every file of a scan is projected, and which files it reads.

    Parameters
    ----------
    schema:
        The schema of the scan's rows.
    shapes:
        One entry for each shape, in the order of their first files.
    pruning:
        What is read and what is skipped.
    """

    schema: Schema
    shapes: tuple[ShapeExplanation, ...] = field(default=())
    pruning: PruningExplanation = PruningExplanation(0, (), 0, 0, 0, ())

    def column(self, path: str) -> tuple[tuple[ShapeExplanation, FieldExplanation], ...]:
        """Return where one field, by dotted path, comes from in each shape.

        Raises `NotFoundError` for a field that the scan does not have.
        """
        field_id = self.schema.find_field(path).field_id
        return tuple((shape, f) for shape in self.shapes for f in shape.fields if f.field_id == field_id)


def explain_pruning(plan: ScanPlan) -> PruningExplanation:
    """Return the figures of a scan's plan."""
    return PruningExplanation(
        len(plan.manifests),
        plan.skipped_manifests,
        len(plan.tasks),
        plan.records_to_read,
        plan.records_expected,
        plan.skipped,
    )


def explain_files(files: Iterable[ProjectedFile], schema: Schema, plan: ScanPlan) -> Explanation:
    """Group the projected files of a scan's plan by how they are projected."""
    groups: dict[int, tuple[Plan, list[ProjectedFile]]] = {}
    for file in files:
        groups.setdefault(id(file.plan), (file.plan, []))[1].append(file)
    return Explanation(
        schema,
        tuple(
            ShapeExplanation(plan_of_shape, tuple(f.task.file for f in members), sum(f.row_count for f in members))
            for plan_of_shape, members in groups.values()
        ),
        explain_pruning(plan),
    )
