"""Decode the records of manifests, skipping the statistics.

Planning needs a few fields of each entry, and the bounds of the columns that a filter names. fastavro decodes every
pair of every map; here a map of statistics stays bytes until it is read. Schemas with anything unusual are left to
fastavro.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from projector.metadata.avro.decoder import PairSkipper, read_bytes, read_long, read_longs

Decoder = Callable[[bytes, int], tuple[Any, int]]
"""Takes the bytes of a block and a position; returns the value that begins there and the position after it."""

_MOST_DEPTH = 16


def compile_decoder(schema: Any) -> Decoder | None:
    """Return a decoder for a schema rewritten by `schema`; None if it holds something unusual.

    The decoder returns what fastavro returns, except for maps of statistics, which it returns as the bytes that
    `decode_pairs` takes. Damaged bytes raise `ValueError`, `IndexError`, `EOFError` or `struct.error`.

    The decoder is a function generated for the schema, field after field: a call for each field would cost more than
    most
    fields do.
    """
    writer = _Writer()
    if not writer.value(schema, "value", 1):
        return None
    source = "\n".join(["def decode(data, at):", *writer.lines, "    return value, at"])
    exec(compile(source, "<decoder of an Avro schema>", "exec"), writer.names)
    decoder: Decoder = writer.names["decode"]
    return decoder


class _Writer:
    """Generates the statements that decode a value at `at`. Of a schema only reprs of names get into them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {
            "long": read_long,
            "bytes_": read_bytes,
            "longs": read_longs,
            "unpack_from": struct.unpack_from,
        }
        self._count = 0

    def _fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def _add(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    def value(self, schema: Any, target: str, depth: int) -> bool:
        """Generate statements that put a value into a variable. Return False if the schema holds something unusual."""
        if depth > _MOST_DEPTH:
            return False
        match schema:
            case "null":
                self._add(depth, f"{target} = None")
            case "int" | "long":
                self._number(target, depth)
            case "boolean":
                self._add(depth, f"{target} = data[at] != 0", "at += 1")
            case "float" | "double":
                code, size = ("'<f'", 4) if schema == "float" else ("'<d'", 8)
                self._add(depth, f"{target} = unpack_from({code}, data, at)[0]", f"at += {size}")
            case "bytes":
                self._add(depth, f"{target}, at = bytes_(data, at)")
            case "string":
                self._add(depth, f"{target}, at = bytes_(data, at)", f"{target} = {target}.decode()")
            case {"type": "fixed", "size": int(size)}:
                self._add(depth, f"if at + {size} > len(data):")
                self._add(depth + 1, f"raise EOFError('a value of {size} bytes does not fit')")
                self._add(depth, f"{target} = data[at : at + {size}]", f"at += {size}")
            case ["null", inner]:
                return self._optional(inner, 0, target, depth)
            case [inner, "null"]:
                return self._optional(inner, 2, target, depth)
            case {"type": "record", "fields": list(fields)}:
                return self._record(fields, target, depth)
            case {
                "type": "array",
                "items": {"type": "record", "fields": [{"name": "key"}, {"name": "value", "type": str(kind)}]},
            } if kind in ("int", "long", "bytes"):
                name = self._fresh("skip")
                self.names[name] = PairSkipper(kind == "bytes")
                self._add(depth, f"{target}, at = {name}(data, at)")
            case {"type": "array", "items": "int" | "long"}:
                self._add(depth, f"{target}, at = longs(data, at)")
            case _:
                return False
        return True

    def _number(self, target: str, depth: int) -> None:
        self._add(depth, "byte = data[at]", "if byte < 128:")
        self._add(depth + 1, f"{target} = (byte >> 1) ^ -(byte & 1)", "at += 1")
        self._add(depth, "else:")
        self._add(depth + 1, f"{target}, at = long(data, at)")

    def _optional(self, inner: Any, null: int, target: str, depth: int) -> bool:
        branch = self._fresh("branch")
        self._add(depth, f"{branch} = data[at]", "at += 1", f"if {branch} == {2 - null}:")
        if not self.value(inner, target, depth + 1):
            return False
        self._add(depth, f"elif {branch} == {null}:")
        self._add(depth + 1, f"{target} = None")
        self._add(depth, "else:")
        self._add(depth + 1, "raise ValueError('a union has no such branch')")
        return True

    def _record(self, fields: list[Any], target: str, depth: int) -> bool:
        made = []
        for each in fields:
            variable = self._fresh("v")
            if not self.value(each["type"], variable, depth):
                return False
            made.append(f"{each['name']!r}: {variable}")
        self._add(depth, f"{target} = {{{', '.join(made)}}}")
        return True
