"""Use tables damaged by the seeds of a range, within limits; write a line of JSON before and after each use.

Run by hand through `python -m tests.damage`; a process of its own, since a native library may end it.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import sys
import time
from pathlib import Path

from tests.damage.damages import damage
from tests.damage.verbs import USES, try_use


def work(tables: Path, place: Path, seeds: range, uses: int) -> None:
    """Damage one copy of a table for each seed, and use it in some ways that the seed chooses."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["PROJECTOR_CACHE_DIR"] = str(place / "cache")
    names = sorted(p.name for p in tables.iterdir())
    for seed in seeds:
        rng = random.Random(seed)
        shutil.rmtree(place / "table", ignore_errors=True)
        name = rng.choice(names)
        shutil.copytree(tables / name, place / "table")
        done = f"{name}: {damage(place / 'table', rng)}"
        chosen = set(rng.sample(list(USES), uses))
        for use in (use for use in USES if use in chosen):
            line = {"seed": seed, "use": use, "damage": done}
            print(json.dumps(line), flush=True)
            Path("/proc/self/clear_refs").write_text("5")  # the peak of memory begins here
            before = time.monotonic()
            error = try_use(use, place / "table")
            seconds = time.monotonic() - before
            print(json.dumps({**line, "error": error, "seconds": seconds, "peak_mb": _peak_mb()}), flush=True)


def _peak_mb() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    work(Path(sys.argv[1]), Path(sys.argv[2]), range(int(sys.argv[3]), int(sys.argv[4])), int(sys.argv[5]))
