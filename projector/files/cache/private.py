"""Check that only the user can change a folder and the files in it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path


def why_not_private(paths: Iterable[Path]) -> str | None:
    """Return what lets others change one of some paths, as the end of a sentence; None if nothing does.

    A path that does not exist is safe. Systems without owners and modes (Windows) separate the folders of users by
    other means.

    Raises
    ------
    OSError
        If a path cannot be examined.
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
