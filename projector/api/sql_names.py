"""The names that SQL may call a table by: `t`, and the table's own names."""

from __future__ import annotations

from typing import Final

from projector.files.storage.locations import base_name, table_root

COMMAND_TABLE: Final = "t"
"""The name that SQL may always call the table by."""


def own_names(metadata_file: str, location: str) -> tuple[str, ...]:
    """Return the last names of a table: of the folder it was found in, and of the location in its metadata."""
    names = (base_name(path.rstrip("/")) for path in (table_root(metadata_file), location))
    return tuple(dict.fromkeys(name for name in names if name and name.lower() != COMMAND_TABLE))


def sql_names(metadata_file: str, location: str, identifier: tuple[str, ...] | None) -> tuple[tuple[str, ...], ...]:
    """Return the names that `ALTER TABLE` may use: `t`, and the name in the catalog or those of the table's folder.

    A statement may leave out the first parts of a name, and may put a catalog before one from a catalog. A folder has
    no namespace, so any may stand before its name.
    """
    own = ((name,) for name in own_names(metadata_file, location)) if identifier is None else (identifier,)
    return (COMMAND_TABLE,), *own
