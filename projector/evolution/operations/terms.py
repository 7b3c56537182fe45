"""Terms: a column under a transform, the parts of partition specs and sort orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from projector.errors import SchemaUpdateError
from projector.evolution.operations.schema import FieldPath, dotted
from projector.metadata.transforms import Identity, Transform, UnknownTransform, accepts, parse_transform
from projector.schema.schema import Schema
from projector.schema.types import GeographyType, GeometryType, VariantType


def transform_text(given: Any) -> str:
    """Return a transform in metadata's spelling, from text or from a pyiceberg transform.

    An unknown transform is reported when the operation is applied.
    """
    return "identity" if given is None else str(given)


@dataclass(frozen=True, slots=True)
class Term:
    """A column of a schema under a transform.

    Parameters
    ----------
    source_id:
        The column's field id.
    transform:
        The transform of its values.
    column:
        The column as the user named it.
    """

    source_id: int
    transform: Transform
    column: FieldPath

    @property
    def key(self) -> tuple[int, str]:
        """The identity of a term: equal terms have equal keys."""
        return self.source_id, str(self.transform)

    def __str__(self) -> str:
        return term_text(self.column, self.transform)


def term_text(column: FieldPath, transform: Transform) -> str:
    """The term as Java's messages spell it."""
    reference = f'ref(name="{dotted(column)}")'
    return reference if isinstance(transform, Identity) else f"{transform}({reference})"


def bound_term(schema: Schema, column: FieldPath, transform: str, case_sensitive: bool) -> Term:
    """Resolve a term in a schema.

    Raises `SchemaUpdateError` for an unknown column or one that the transform does not accept, and
    `InvalidMetadataError`
    for a width of zero.
    """
    parsed = parse_transform(transform)
    if isinstance(parsed, UnknownTransform):
        raise SchemaUpdateError(
            f"Unknown transform: {transform}",
            hint="use identity, bucket[N], truncate[W], year, month, day or hour",
        )
    source_id = schema.find_id(column, case_sensitive)
    if source_id is None:
        raise SchemaUpdateError(
            f"Cannot find field '{dotted(column)}' in struct: {schema.as_struct()}",
            hint=schema.suggestion(dotted(column)),
        )
    source = schema.fields_by_id[source_id].field_type
    if isinstance(parsed, Identity):
        if isinstance(source, (VariantType, GeometryType, GeographyType)):
            raise SchemaUpdateError(f"Unsupported type for identity: {source}", path=dotted(column), field_id=source_id)
    elif not accepts(parsed, source):
        raise SchemaUpdateError(f"Cannot bind: {parsed} cannot transform {source} values from '{dotted(column)}'")
    return Term(source_id, parsed, column)
