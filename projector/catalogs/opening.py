"""Tables by their names in the catalogs that pyiceberg knows, or handed over as pyiceberg's own `Table`."""

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
        Reads its files, by the settings that the catalog gave out.
    home:
        Where changes are committed; None for a pyiceberg table that belongs to no catalog.
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
    """Find a table.

    Parameters
    ----------
    table:
        Its name with the namespace, as text with dots or as a sequence of parts; or a pyiceberg `Table`.
    catalog:
        The name of a catalog as pyiceberg is configured, or one of pyiceberg's catalogs. None for a pyiceberg `Table`.
    catalog_properties:
        Settings of the catalog, which go before its configuration.
    storage_settings:
        Settings of the store, which go before what the catalog says.

    Raises
    ------
    NotFoundError
        For a catalog that is not configured, and a table that it does not have.
    UnsupportedError
        Where pyiceberg, or the client that a kind of catalog needs, is not installed.
    ProjectorError
        For a catalog that does not answer, or refuses.
    """
    if catalog is None:
        return _handed_over(table, storage_settings)
    opened = _catalog(catalog, catalog_properties) if isinstance(catalog, str) else catalog
    identifier = tuple(table.split(".")) if isinstance(table, str) else tuple(map(str, table))
    if identifier[0] == opened.name and len(identifier) > 2 and not isinstance(catalog, str):
        identifier = identifier[1:]
    if len(identifier) < 2 or not all(identifier):
        raise NotFoundError(f"Not the name of a table in a catalog: {'.'.join(identifier)!r}", hint="write ns.table")
    home = _home(opened, identifier)
    state = home.load()
    return _opened(state, home, storage_settings)


def _handed_over(table: Any, settings: Mapping[str, str]) -> OpenedTable:
    """A pyiceberg `Table`: the state that it holds, not the one that is current."""
    for name in ("metadata_location", "catalog", "io", "name"):
        if not hasattr(table, name):
            kind = type(table).__name__
            raise ProjectorError(
                f"Not a table: {kind}", hint="give a location, a name and a catalog, or pyiceberg's Table"
            )
    from pyiceberg.catalog.noop import NoopCatalog  # there: the table is of it

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
        said = redacted(str(error), settings)
        raise UnsupportedError(f"Catalog {name!r} needs a client that is not installed: {said}") from None
    except Exception as error:  # every kind of catalog fails in its own way
        said = redacted(f"{type(error).__name__}: {error}"[:700], settings)
        raise ProjectorError(f"Cannot open catalog {name!r}: {said}") from None
