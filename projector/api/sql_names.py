"""What SQL may call a table: `t`, and the table's own names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from projector.files.storage.locations import base_name, table_root

if TYPE_CHECKING:
    from projector.api.table import Table

COMMAND_TABLE: Final = "t"
"""The name that SQL may always call the table by."""


def own_names(table: Table) -> tuple[str, ...]:
    """Return the last names of the table: of the folder it was found in, and of the one that its metadata records."""
    names = (base_name(path.rstrip("/")) for path in (table_root(table.metadata_file), table.location))
    return tuple(dict.fromkeys(name for name in names if name and name.lower() != COMMAND_TABLE))


def sql_names(table: Table) -> tuple[tuple[str, ...], ...]:
    """Return the names that `ALTER TABLE` may use: `t`, and the name in the catalog or those of the table's folder.

    A statement may leave out the first parts of a name, and may put a catalog before one from a catalog. A folder has
    no namespace, so any may stand before its name.
    """
    own = ((name,) for name in own_names(table)) if table.identifier is None else (table.identifier,)
    return (COMMAND_TABLE,), *own
