"""Whether a folder of the user's, and the files in it, can be changed by nobody else."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path


def why_not_private(paths: Iterable[Path]) -> str | None:
    """Return what lets others change one of some paths, as the end of a sentence; None if nothing does.

    A path that does not exist lets nobody change it. Systems without owners and modes (Windows) keep the folders of
    users apart by other means.

    Raises
    ------
    OSError
        If a path cannot be looked at.
    """
    if not hasattr(os, "geteuid"):
        return None
    for path in paths:
        try:
            found = path.lstat()
        except FileNotFoundError:
            continue
        if stat.S_ISLNK(found.st_mode):
            return f"{path} is a symbolic link"
        if found.st_uid != os.geteuid():
            return f"{path} belongs to another user"
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return f"others may write to {path}"
    return None
