"""One SeaweedFS for all tests of this folder, started when the first one asks for it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from pyiceberg.catalog import Catalog, load_catalog

from tests.catalogs.proxy import Proxy, running_proxy
from tests.catalogs.seaweed import SeaweedFS

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def seaweed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeaweedFS]:
    server = SeaweedFS(tmp_path_factory.mktemp("seaweed"))
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def lake(seaweed: SeaweedFS) -> Catalog:
    """pyiceberg's own client of the catalog, which has a namespace `ns`."""
    return load_catalog("lake", **seaweed.catalog())


@pytest.fixture
def name(lake: Catalog) -> str:
    """The name of a table that there is not."""
    return f"ns.t{next(_numbers)}"


@pytest.fixture
def rest_proxy(seaweed: SeaweedFS) -> Iterator[Proxy]:
    with running_proxy(seaweed.rest) as proxy:
        yield proxy


@pytest.fixture
def s3_proxy(seaweed: SeaweedFS) -> Iterator[Proxy]:
    with running_proxy(seaweed.s3) as proxy:
        yield proxy
