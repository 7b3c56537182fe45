"""Peak resident memory of a statement in an interpreter of its own."""

from __future__ import annotations

import subprocess
import sys

_REPORT = (
    "\nimport resource, sys\n"
    "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
    "print(peak * (1 if sys.platform == 'darwin' else 1024))\n"
)


def peak_memory(statement: str, *arguments: str) -> int:
    """Bytes resident at most; the statement finds its arguments in `sys.argv[1:]`."""
    done = subprocess.run(
        [sys.executable, "-c", statement + _REPORT, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    return int(done.stdout.splitlines()[-1])
