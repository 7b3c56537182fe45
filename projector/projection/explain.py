"""Explain a plan: for every field, where its value comes from and which cast applies."""

from __future__ import annotations

from dataclasses import dataclass

from projector.files.parquet.file_schema import FileSchema, Place
from projector.projection.plan import (
    Cast,
    Constant,
    Fail,
    ListOf,
    MapOf,
    MetadataColumn,
    NewStruct,
    Null,
    PartitionValue,
    Plan,
    PlanNode,
    Read,
    StructOf,
)
from projector.schema.single_values import format_value


@dataclass(frozen=True, slots=True)
class FieldExplanation:
    """Where one field of a plan comes from.

    Parameters
    ----------
    path, field_id, field_type:
        The requested field; the type as the spec spells it.
    origin:
        The projection rule that decided: `file`, `partition`, `name mapping`, `initial default`, `null`, `metadata`, or
        `none` if nothing can.
    column, column_type:
        The file's column, by the names in its footer, and its type there; None if the file has none.
    cast:
        How the stored values are converted; None if they stay as they are.
    detail:
        The constant, or why the field cannot be projected.
    fails:
        Whether the field cannot be projected.
    """

    path: str
    field_id: int
    field_type: str
    origin: str
    column: str | None = None
    column_type: str | None = None
    cast: str | None = None
    detail: str | None = None
    fails: bool = False


def explain_plan(plan: Plan) -> tuple[FieldExplanation, ...]:
    """Explain every field of a plan, parents before their children."""
    return tuple(explain_node(node, plan.file_schema) for node in plan.walk())


def explain_node(node: PlanNode, file_schema: FileSchema) -> FieldExplanation:
    """Explain one node."""

    def explanation(
        place: Place | None = None, cast: Cast | None = None, detail: str | None = None, fails: bool = False
    ) -> FieldExplanation:
        return FieldExplanation(
            path=node.path,
            field_id=node.field.field_id,
            field_type=node.field.field_type.short_name,
            origin=str(node.origin),
            column=".".join(file_schema.name_path(place)) if place is not None else None,
            column_type=str(file_schema.at(place).type) if place is not None else None,
            cast=str(cast) if cast is not None and cast is not Cast.NONE else None,
            detail=detail,
            fails=fails,
        )

    match node:
        case Read(place=place, cast=cast):
            return explanation(place, cast, "a null in it is an error" if node.check_null else None)
        case StructOf(place=place) | ListOf(place=place) | MapOf(place=place):
            return explanation(place, None, "a null in it is an error" if node.check_null else None)
        case Constant(value=value):
            return explanation(detail=format_value(value, node.field.field_type))
        case NewStruct():
            return explanation(detail="{}")
        case PartitionValue():
            return explanation(detail="the file's partition value")
        case MetadataColumn(place=place):
            return explanation(place)
        case Null():
            return explanation()
        case Fail(message=message, place=place):
            return explanation(place, None, message, fails=True)
