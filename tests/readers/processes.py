"""Ask the reader programs, each a process that stays for many requests and is started again when it crashes."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import pyarrow as pa

from tests.readers.environments import PROGRAMS, python

HERE = Path(__file__).parent


class ReaderError(Exception):
    """What a reader said when it could not read, or that it crashed."""


@dataclass
class ReaderProcess:
    """One reader of those in a folder of environments."""

    folder: Path
    reader: str
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def read(
        self, metadata: Path, columns: list[str] | None = None, where: str | None = None, count: bool = False
    ) -> pa.Table:
        """Return the rows of the current snapshot. Raises ReaderError if the reader fails."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        request = {"metadata": str(metadata), "columns": columns, "where": where, "count": count}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise ReaderError(f"crashed with exit code {process.wait()}")
        head = json.loads(line)
        if "error" in head:
            raise ReaderError(head["error"])
        return pa.ipc.open_stream(process.stdout.read(head["bytes"])).read_all()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            command = [str(python(self.folder, self.reader)), str(HERE / PROGRAMS[self.reader])]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        return self._process

    def __enter__(self) -> ReaderProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()
