"""Damage thousands of tables and use them: `python -m tests.damage --first 0 --inputs 5000 --uses 4`.

Prints every answer that is not clean, with the seed that gives it again, and every use that took more than 10 seconds
or 1 GB. A worker that dies or hangs is an unclean answer, too; the next one goes on behind it.
"""

from __future__ import annotations

import argparse
import json
import queue
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from tests.conformance.pack import ARCHIVE

SECONDS, MEGABYTES = 10, 1024
PATIENCE = 30
"""Seconds without a word after which a worker hangs."""


def main() -> int:
    """Run the inputs asked for; return 1 if some answer was not clean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--inputs", type=int, default=1000, help="how many seeds")
    parser.add_argument("--uses", type=int, default=4, help="ways to use each damaged table")
    parser.add_argument("--table", action="append", help="only this table of the suite; may be repeated")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        tables = unpacked(Path(folder), options.table)
        end, seed = options.first + options.inputs, options.first
        while seed < end:
            seed = _supervised(tables, Path(folder), range(seed, end), options.uses, counts)
    print(dict(counts))
    return 1 if counts["unclean"] else 0


def unpacked(folder: Path, names: list[str] | None = None) -> Path:
    """Unpack tables of the conformance suite; return the folder that holds one folder per table."""
    tables = folder / "tables"
    with tarfile.open(ARCHIVE) as archive:
        for entry in archive:
            name, _, inside = entry.name.partition("/")
            if entry.isfile() and inside.startswith("table/") and (not names or name in names):
                file = archive.extractfile(entry)
                assert file is not None
                target = tables / name / inside.removeprefix("table/")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.read())
    return tables


def _supervised(tables: Path, folder: Path, seeds: range, uses: int, counts: Counter[str]) -> int:
    """Run one worker until it ends, dies or hangs; return the seed to go on from."""
    args = [str(tables), str(folder), str(seeds.start), str(seeds.stop), str(uses)]
    command = [sys.executable, "-m", "tests.damage.worker", *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as worker:
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_forward, args=(worker.stdout, lines), daemon=True).start()
        last: dict[str, Any] = {"seed": seeds.start}
        try:
            while line := lines.get(timeout=PATIENCE):
                last = json.loads(line)
                _count(last, counts)
        except queue.Empty:
            worker.kill()
            _report({**last, "error": "hangs"}, counts)
            return int(last["seed"]) + 1
        assert worker.stderr is not None
        error = worker.stderr.read()
        if worker.wait() == 0:
            return seeds.stop
        _report({**last, "error": f"the worker ended with {worker.returncode}: {error[-800:]}"}, counts)
        return int(last["seed"]) + 1


def _forward(stream: Any, lines: queue.Queue[str]) -> None:
    """Put the lines of a stream into a queue, and an empty one at its end."""
    for line in stream:
        lines.put(line)
    lines.put("")


def _count(line: dict[str, Any], counts: Counter[str]) -> None:
    if "error" not in line:
        return
    counts["uses"] += 1
    if line["error"] or line["seconds"] > SECONDS or line["peak_mb"] > MEGABYTES:
        _report(line, counts)


def _report(line: dict[str, Any], counts: Counter[str]) -> None:
    counts["unclean"] += 1
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    sys.exit(main())
