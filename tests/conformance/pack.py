"""Pack a folder of cases into the archive: the same folder gives the same bytes.

python tests/conformance/pack.py FOLDER
"""

from __future__ import annotations

import lzma
import sys
import tarfile
from pathlib import Path

ARCHIVE = Path(__file__).with_name("tables.tar.xz")


def pack(folder: Path, archive: Path = ARCHIVE) -> None:
    """Write every file below `folder` into `archive`, in order of path, without times and owners."""
    with lzma.open(archive, "wb", preset=9 | lzma.PRESET_EXTREME) as out, tarfile.open(fileobj=out, mode="w") as tar:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
                entry.size = path.stat().st_size
                with path.open("rb") as file:
                    tar.addfile(entry, file)


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
