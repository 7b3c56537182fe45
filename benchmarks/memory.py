"""Measure the peak resident memory of a statement in a separate interpreter."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

_REPORT = """
import json, resource, sys
try:
    with open("/proc/self/status") as status:  # on Linux, the figure of resource includes that of the parent
        peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
except (OSError, StopIteration):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(json.dumps({"peak_bytes": peak, **globals().get("figures", {})}))
"""


def peak_memory(statement: str, *arguments: str) -> int:
    """Return the peak resident bytes of a statement. It finds its arguments in `sys.argv[1:]`."""
    return int(figures_of(statement, *arguments)["peak_bytes"])


def figures_of(statement: str, *arguments: str) -> dict[str, Any]:
    """Run a statement. Return what it puts into `figures`, and the peak resident bytes as `peak_bytes`."""
    done = subprocess.run(
        [sys.executable, "-c", statement + _REPORT, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
