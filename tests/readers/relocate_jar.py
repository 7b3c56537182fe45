"""Copy jars with a package of classes moved to another name, by rewriting the constant pools of the class files."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
"""Bytes after the tag of each kind of constant (JVM specification, 4.4), but for text (1), which has its own length."""


def relocate_class(data: bytes, old: bytes, new: bytes) -> bytes:
    """Return a class file in which every text constant that names the package names the other one."""
    count, at = int.from_bytes(data[8:10], "big"), 10
    parts, index = [data[:10]], 1
    while index < count:
        tag = data[at]
        if tag == 1:
            end = at + 3 + int.from_bytes(data[at + 1 : at + 3], "big")
            text = data[at + 3 : end].replace(old, new).replace(old.replace(b"/", b"."), new.replace(b"/", b"."))
            parts.append(b"\x01" + len(text).to_bytes(2, "big") + text)
        else:
            end = at + 1 + _SIZES[tag]
            parts.append(data[at:end])
        index += 2 if tag in (5, 6) else 1  # a long or double takes two places
        at = end
    return b"".join([*parts, data[at:]])


def relocate_jar(source: Path, target: Path, old: str, new: str) -> None:
    """Write a jar with the classes and service files of another under the new package name."""
    with zipfile.ZipFile(source) as jar, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in _relocated(jar, old, new):
            out.writestr(name, content)


def _relocated(jar: zipfile.ZipFile, old: str, new: str) -> Iterator[tuple[str, bytes]]:
    dotted_old, dotted_new = old.replace("/", "."), new.replace("/", ".")
    for name in jar.namelist():
        if name.endswith(("/", "module-info.class")):
            continue
        content = jar.read(name)
        if name.endswith(".class"):
            content = relocate_class(content, old.encode(), new.encode())
        elif name.startswith("META-INF/services/"):
            content = content.replace(dotted_old.encode(), dotted_new.encode())
        yield name.replace(old, new).replace(dotted_old, dotted_new), content


if __name__ == "__main__":
    relocate_jar(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4])
