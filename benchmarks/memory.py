"""Peak resident memory of a statement in an interpreter of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

_REPORT = """
import json, resource, sys
try:
    with open("/proc/self/status") as status:  # what resource tells on Linux begins with what the parent had
        peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
except (OSError, StopIteration):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(json.dumps({"peak_bytes": peak, **globals().get("figures", {})}))
"""


def peak_memory(statement: str, *arguments: str) -> int:
    """Bytes resident at most; the statement finds its arguments in `sys.argv[1:]`."""
    return int(told_by(statement, *arguments)["peak_bytes"])


def told_by(statement: str, *arguments: str) -> dict[str, Any]:
    """What a statement puts into `figures`, and as `peak_bytes` the bytes resident at most."""
    done = subprocess.run(
        [sys.executable, "-c", statement + _REPORT, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
