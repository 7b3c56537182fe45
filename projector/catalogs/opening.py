"""Open tables by name from a catalog that pyiceberg supports, or from pyiceberg's own `Table`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from projector.catalogs.catalog_table import CatalogTable, LoadedTable
from projector.catalogs.pyiceberg_table import PyIcebergTable, own_settings, state_of
from projector.catalogs.rest_table import RestTable
from projector.catalogs.secrets import redacted
from projector.catalogs.storage_properties import storage_properties
from projector.errors import NotFoundError, ProjectorError, UnsupportedError
from projector.files.storage.credentials import ExpiringProperties
from projector.files.storage.locations import table_root
from projector.files.storage.storage import Storage
from projector.metadata.loading import LoadedMetadata, read_metadata

_EXTRA = "install it with: pip install 'iceberg-projector[catalog]'"


@dataclass(frozen=True)
class OpenedTable:
    """A table found through its catalog.

    Parameters
    ----------
    loaded:
        Its metadata, as of now.
    storage:
        Reads its files, with the settings from the catalog.
    home:
        The table in its catalog, for commits; None for a pyiceberg table that belongs to no catalog.
    """

    loaded: LoadedMetadata
    storage: Storage = field(repr=False)
    home: CatalogTable | None


def open_from_catalog(
    table: str | Sequence[str] | Any,
    catalog: str | Any | None,
    catalog_properties: Mapping[str, str],
    storage_settings: Mapping[str, str],
) -> OpenedTable:
    """Open a table.

    Parameters
    ----------
    table:
        Its name with the namespace, as text with dots or a sequence of parts; or a pyiceberg `Table`.
    catalog:
        The name of a catalog in pyiceberg's configuration, or a pyiceberg catalog. None for a pyiceberg `Table`.
    catalog_properties:
        Settings of the catalog, which take precedence over its configuration.
    storage_settings:
        Settings of the store, which take precedence over those of the catalog.

    Raises
    ------
    NotFoundError
        If the catalog is not configured, or does not have the table.
    UnsupportedError
        If pyiceberg, or the client that this kind of catalog needs, is not installed.
    ProjectorError
        If the catalog does not answer, or rejects the request.
    """
    if catalog is None:
        return _from_pyiceberg(table, storage_settings)
    opened = _catalog(catalog, catalog_properties) if isinstance(catalog, str) else catalog
    identifier = tuple(table.split(".")) if isinstance(table, str) else tuple(map(str, table))
    if identifier[0] == opened.name and len(identifier) > 2 and not isinstance(catalog, str):
        identifier = identifier[1:]
    if len(identifier) < 2 or not all(identifier):
        raise NotFoundError(f"Not the name of a table in a catalog: {'.'.join(identifier)!r}", hint="write ns.table")
    home = _home(opened, identifier)
    state = home.load()
    return _opened(state, home, storage_settings)


def _from_pyiceberg(table: Any, settings: Mapping[str, str]) -> OpenedTable:
    """Open a pyiceberg `Table`, in the state that it holds, which may not be the current one."""
    for name in ("metadata_location", "catalog", "io", "name"):
        if not hasattr(table, name):
            kind = type(table).__name__
            raise ProjectorError(
                f"Not a table: {kind}", hint="give a location, a name and a catalog, or pyiceberg's Table"
            )
    from pyiceberg.catalog.noop import NoopCatalog  # installed, since the table is pyiceberg's

    if isinstance(table.catalog, NoopCatalog):
        storage = Storage({**storage_properties(own_settings(table)), **settings})
        file = table.metadata_location
        return OpenedTable(LoadedMetadata(read_metadata(file, storage), file, table_root(file)), storage, None)
    return _opened(state_of(table), _home(table.catalog, tuple(table.name())), settings)


def _home(catalog: Any, identifier: tuple[str, ...]) -> CatalogTable:
    from pyiceberg.catalog.rest import RestCatalog

    has_session = isinstance(catalog, RestCatalog) and hasattr(catalog, "_session")
    if has_session and hasattr(catalog, "_split_identifier_for_path"):
        return RestTable(catalog, identifier)
    return PyIcebergTable(catalog, identifier)


def _opened(state: LoadedTable, home: CatalogTable, settings: Mapping[str, str]) -> OpenedTable:
    file = state.metadata_file
    loaded = LoadedMetadata(state.metadata, file, table_root(file))
    properties: Mapping[str, str] = {**state.storage, **settings}
    if isinstance(home, RestTable) and dict(state.storage) != storage_properties(home.catalog.properties):  # vended
        properties = ExpiringProperties(properties, lambda: {**home.load().storage, **settings})
    return OpenedTable(loaded, Storage(properties), home)


def _catalog(name: str, properties: Mapping[str, str]) -> Any:
    try:
        from pyiceberg.catalog import load_catalog
        from pyiceberg.exceptions import NotInstalledError
        from pyiceberg.utils.config import Config
    except ImportError:
        raise UnsupportedError("Catalogs need pyiceberg, which is not installed", hint=_EXTRA) from None
    known = Config()
    configured = known.get_catalog_config(name)
    if configured is None and not properties:
        names = ", ".join(sorted(known.get_known_catalogs())) if hasattr(known, "get_known_catalogs") else ""
        raise NotFoundError(
            f"No catalog {name!r} is configured" + (f"; there are {names}" if names else ""),
            hint="configure it in .pyiceberg.yaml, by PYICEBERG_CATALOG__<NAME>__URI, or give its properties",
        )
    settings = {**(configured or {}), **properties}
    try:
        return load_catalog(name, **properties)
    except (NotInstalledError, ImportError) as error:
        reason = redacted(str(error), settings)
        raise UnsupportedError(f"Catalog {name!r} needs a client that is not installed: {reason}") from None
    except Exception as error:  # every kind of catalog raises other errors
        reason = redacted(f"{type(error).__name__}: {error}"[:700], settings)
        raise ProjectorError(f"Cannot open catalog {name!r}: {reason}") from None
