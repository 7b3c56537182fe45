"""Find columns whose recorded metrics may belong to another column, because a name moved in the table's name mapping.

Metrics of a file without field ids were recorded under the ids that the mapping gave when the file was added. If a name
has since moved to another field, or to none, reading resolves the file's columns again and finds other values under
those ids. A manifest does not say which files have ids, so the metrics of such a field are never used.
"""

from __future__ import annotations

from collections.abc import Iterable

from projector.schema.name_mapping import NameMapping
from projector.schema.schema import Schema


def ids_with_moved_names(schemas: Iterable[Schema], mapping: NameMapping) -> frozenset[int]:
    """Return the ids of the fields that a name mapping no longer finds under every name that they have had.

    Parameters
    ----------
    schemas:
        Every schema of the table.
    mapping:
        The table's present name mapping.

    A field without any name in the mapping was never read from a file without ids.
    """
    moved = set()
    for schema in schemas:
        for field_id, path in schema.paths_by_id.items():
            now = mapping.find_path(path)
            if now is None and field_id not in mapping.fields_by_id:
                continue
            if now is None or now.field_id != field_id:
                moved.add(field_id)
    return frozenset(moved)
