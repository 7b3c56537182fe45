"""Ways to damage one file of a table, chosen by a seeded random generator."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fastavro

Rng = random.Random

STRANGE: tuple[Any, ...] = (
    None, True, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**40, 1.5, 1e300, "", "x", "\x00", "\ud800", "long", "1.5",
    [], {}, [[]], [None], {"": None}, "decimal(99,1)", "fixed[99999999999]", "../../..", "s3://", "9" * 5000,
)  # fmt: skip
"""Values that no field of Iceberg's metadata expects everywhere."""


def damage(table: Path, rng: Rng) -> str:
    """Damage one file of the table, in place; return what was done."""
    kind = rng.choice(list(KINDS))
    files = sorted(f for f in table.rglob("*") if f.is_file() and KINDS[kind][0](f))
    if not files:
        return f"{kind}: no such file"
    file = current_metadata(table) if KINDS[kind][0] is _is_metadata else rng.choice(files)
    return f"{kind}: {file.name}: {KINDS[kind][1](file, rng)}"


def current_metadata(table: Path) -> Path:
    """Return the metadata file of the highest version."""
    files = [f for f in (table / "metadata").iterdir() if _is_metadata(f)]
    return max(files, key=lambda f: int(f.name.split(".")[0].lstrip("v").split("-")[0]))


def _is_metadata(file: Path) -> bool:
    return ".metadata.json" in file.name


def _with_suffix(*suffixes: str) -> Callable[[Path], bool]:
    return lambda file: file.suffix in suffixes


def _is_delete_file(file: Path) -> bool:
    return "delete" in file.name or file.suffix == ".puffin"


def flip_bits(file: Path, rng: Rng) -> str:
    """Flip up to four bits anywhere in a file."""
    content = bytearray(file.read_bytes())
    places = [rng.randrange(len(content)) for _ in range(rng.randint(1, 4))] if content else []
    for place in places:
        content[place] ^= 1 << rng.randrange(8)
    file.write_bytes(content)
    return f"bits flipped at {places}"


def set_bytes(file: Path, rng: Rng) -> str:
    """Overwrite some bytes with ones, zeros or random bytes."""
    content = bytearray(file.read_bytes())
    start = rng.randrange(len(content) + 1)
    length = rng.choice((1, 2, 4, 8, 64))
    content[start : start + length] = rng.choice((b"\xff" * length, bytes(length), rng.randbytes(length)))
    file.write_bytes(content)
    return f"{length} bytes set at {start}"


def truncate(file: Path, rng: Rng) -> str:
    """Cut a file off, perhaps to nothing."""
    content = file.read_bytes()
    kept = rng.choice((0, 1, 4, 8, len(content) // 2, rng.randrange(len(content) + 1), max(len(content) - 1, 0)))
    file.write_bytes(content[:kept])
    return f"truncated to {kept}"


def insert_bytes(file: Path, rng: Rng) -> str:
    """Insert or repeat a piece, so that every later offset is wrong."""
    content = file.read_bytes()
    place = rng.randrange(len(content) + 1)
    piece = rng.choice((b"\x00", content[:16], content[max(place - 100, 0) : place], rng.randbytes(7)))
    file.write_bytes(content[:place] + piece + content[place:])
    return f"{len(piece)} bytes inserted at {place}"


def swap_files(file: Path, rng: Rng) -> str:
    """Put another file of the table in the place of this one."""
    root = next(p for p in file.parents if (p / "metadata").is_dir())
    other = rng.choice(sorted(f for f in root.rglob("*") if f.is_file() and f != file))
    file.write_bytes(other.read_bytes())
    return f"replaced with {other.name}"


def remove_file(file: Path, rng: Rng) -> str:
    """Delete a file, or put a folder in its place."""
    file.unlink()
    if rng.random() < 0.5:
        file.mkdir()
        return "replaced with a folder"
    return "deleted"


def flip_footer(file: Path, rng: Rng) -> str:
    """Change bytes in the Thrift footer of a Parquet file."""
    content = bytearray(file.read_bytes())
    size = int.from_bytes(content[-8:-4], "little")
    start = max(len(content) - 8 - size, 0)
    places = [rng.randrange(start, len(content)) for _ in range(rng.randint(1, 3))] if content else []
    for place in places:
        content[place] = rng.choice((0, 0xFF, 0x7F, content[place] ^ (1 << rng.randrange(8)), rng.randrange(256)))
    file.write_bytes(content)
    return f"footer bytes set at {places}"


def flip_pages(file: Path, rng: Rng) -> str:
    """Change bytes in the pages of a Parquet file."""
    content = bytearray(file.read_bytes())
    end = max(len(content) - 8 - int.from_bytes(content[-8:-4], "little"), 5)
    places = [rng.randrange(4, end) for _ in range(rng.randint(1, 4))] if len(content) > end else []
    for place in places:
        content[place] = rng.choice((0, 0xFF, content[place] ^ (1 << rng.randrange(8))))
    file.write_bytes(content)
    return f"page bytes set at {places}"


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place of a JSON document as a container and a key."""
    keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    for key in keys:
        yield node, key
        yield from _places(node[key])


def _read_json(file: Path) -> tuple[Any, bool]:
    content = file.read_bytes()
    zipped = content[:2] == b"\x1f\x8b"
    return json.loads(gzip.decompress(content) if zipped else content), zipped


def _write_text(file: Path, text: str, zipped: bool) -> None:
    content = text.encode("utf-8", "surrogatepass")
    file.write_bytes(gzip.compress(content, mtime=0) if zipped else content)


def _change(node: Any, rng: Rng) -> str:
    """Change one place of a JSON document; return what was done."""
    holder, key = rng.choice(list(_places(node)))
    match rng.randrange(6):
        case 0:
            del holder[key]
            return f"{key!r} removed"
        case 1 if isinstance(holder, list):
            holder.append(holder[key])
            return f"item {key} repeated"
        case 2:
            other, place = rng.choice(list(_places(node)))
            holder[key] = json.loads(json.dumps(other[place]))
            return f"{key!r} set to the value of {place!r}"
        case 3 if isinstance(holder[key], int):
            holder[key] += rng.choice((-1, 1, 1000, 2**31, 2**62, -(2**40)))
            return f"{key!r} moved to {holder[key]}"
        case 4 if isinstance(holder, dict):
            holder[key.upper()] = holder.pop(key)
            return f"{key!r} in upper case"
        case _:
            holder[key] = rng.choice(STRANGE)
            return f"{key!r} set to {str(holder[key])[:40]!r}"


def change_json(file: Path, rng: Rng) -> str:
    """Change one to three places of a metadata file."""
    document, zipped = _read_json(file)
    done = [_change(document, rng) for _ in range(rng.choice((1, 1, 2, 3)))]
    _write_text(file, json.dumps(document), zipped)
    return "; ".join(done)


def nest_json(file: Path, rng: Rng) -> str:
    """Put a deeply nested or very long value somewhere into a metadata file, or repeat a key."""
    document, zipped = _read_json(file)
    holder, key = rng.choice(list(_places(document)))
    depth = rng.choice((50, 600, 5000, 100_000))
    form = rng.randrange(4)
    text = json.dumps(document[key] if form == 3 and key in document else holder[key])
    new = (
        "[" * depth + "]" * depth,
        '{"a":' * depth + "1" + "}" * depth,
        '{"type":"list","element-id":9,"element-required":false,"element":' * depth + '"int"' + "}" * depth,
        f'{text},"{key}":{text}' if isinstance(holder, dict) else text,
    )[form]
    holder[key] = "@@HERE@@"
    _write_text(file, json.dumps(document).replace('"@@HERE@@"', new, 1), zipped)
    return f"form {form}, depth {depth} under {key!r}"


def change_name_mapping(file: Path, rng: Rng) -> str:
    """Change the name mapping of a table, or give it a wrong one."""
    document, zipped = _read_json(file)
    properties = document.setdefault("properties", {})
    fields = document.get("schemas", [document.get("schema")])[-1]["fields"]
    mapping = json.loads(properties.get("schema.name-mapping.default", "null")) or [
        {"field-id": f["id"], "names": [f["name"]]} for f in fields
    ]
    done = _change(mapping, rng) if rng.random() < 0.8 else ""
    text = json.dumps(mapping) if done else rng.choice(("", "{", "[" * 5000, "null", "1", '[{"names":[1]}]', "\x00"))
    properties["schema.name-mapping.default"] = text
    _write_text(file, json.dumps(document), zipped)
    return done or f"mapping {text[:20]!r}"


def change_avro(file: Path, rng: Rng) -> str:
    """Rewrite a manifest or a manifest list with one value changed to another of its type."""
    with file.open("rb") as stream:
        reader = fastavro.reader(stream)
        schema, metadata, records = reader.writer_schema, reader.metadata, list(reader)
    if not records:
        return "no records"
    record = rng.choice(records)
    holder, key = rng.choice(
        [p for p in _places(record) if not isinstance(p[0][p[1]], (dict, list))] or [(record, None)]
    )
    old = holder.get(key) if isinstance(holder, dict) else holder[key]
    choices: tuple[Any, ...] = (None,)
    match old:
        case bool():
            choices = (not old,)
        case int():
            choices = (-1, 0, 1, 2, 3, 2**31 - 1, -(2**31), 2**62, -(2**63), old + 1)
        case str():
            choices = (
                "",
                "x",
                "\x00",
                "/",
                old + "x",
                old[:-1],
                "s3://b/x",
                "file:",
                "%zz",
                "PARQUET",
                "PUFFIN",
                "ORC",
            )
        case bytes():
            choices = (b"", old + b"\x00", old[:-1], b"\xff" * len(old), b"\xff" * 40)
        case float():
            choices = (float("nan"), float("inf"), -0.0)
    for new in rng.sample(choices, len(choices)):
        holder[key] = new
        out = io.BytesIO()
        header = {k: v for k, v in metadata.items() if not k.startswith("avro.")}
        try:
            fastavro.writer(out, schema, records, metadata=header)
        except Exception:  # a value that the field cannot have
            continue
        file.write_bytes(out.getvalue())
        return f"{key!r}: {str(old)[:30]!r} to {str(new)[:30]!r}"
    return "no change"


def change_avro_schema(file: Path, rng: Rng) -> str:
    """Change the schema that the header of an Avro file gives, or another of its headers."""
    content = file.read_bytes()
    with file.open("rb") as stream:
        metadata = fastavro.reader(stream).metadata
    key = rng.choice(sorted(metadata))
    old = metadata[key].encode()
    try:
        document = json.loads(old)
        done = _change(document, rng) if isinstance(document, (dict, list)) and document else ""
        new = json.dumps(document if done else rng.choice(STRANGE)).encode()
    except ValueError:
        done, new = "", b"\xff"
    file.write_bytes(content.replace(_long(len(old)) + old, _long(len(new)) + new, 1))
    return f"header {key}: {done or new[:40]!r}"


def _long(number: int) -> bytes:
    """Return Avro's zigzag encoding of a length."""
    number, out = number << 1, bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def change_hint(file: Path, rng: Rng) -> str:
    """Change what the version hint says."""
    text = rng.choice(
        (b"", b"0", b"-1", b"9999", b"1e9", b"9" * 5000, b"\xff\xfe", b"v1", b"../x", b"1\x00", b"\n\n3\n")
    )
    file.write_bytes(text)
    return f"hint {text[:20]!r}"


def zip_bomb(file: Path, rng: Rng) -> str:
    """Compress the metadata, then damage the compressed bytes; or unpack to very much."""
    if rng.random() < 0.2:
        file.write_bytes(gzip.compress(b" " * (200 << 20), 1))
        return "200 MB of blanks"
    content = file.read_bytes()
    file.write_bytes(content if content[:2] == b"\x1f\x8b" else gzip.compress(content, mtime=0))
    return rng.choice((flip_bits, truncate, insert_bytes))(file, rng)


_avro, _parquet = _with_suffix(".avro"), _with_suffix(".parquet")

KINDS: dict[str, tuple[Callable[[Path], bool], Callable[[Path, Rng], str]]] = {
    "metadata": (_is_metadata, change_json),
    "metadata again": (_is_metadata, change_json),
    "nested metadata": (_is_metadata, nest_json),
    "name mapping": (_is_metadata, change_name_mapping),
    "zipped metadata": (_is_metadata, zip_bomb),
    "metadata bytes": (_is_metadata, flip_bits),
    "hint": (lambda f: f.name == "version-hint.text", change_hint),
    "avro records": (_avro, change_avro),
    "avro schema": (_avro, change_avro_schema),
    "avro bits": (_avro, flip_bits),
    "avro bytes": (_avro, set_bytes),
    "footer": (_parquet, flip_footer),
    "footer again": (_parquet, flip_footer),
    "pages": (_parquet, flip_pages),
    "parquet bits": (_parquet, flip_bits),
    "deletes": (_is_delete_file, flip_bits),
    "delete bytes": (_is_delete_file, set_bytes),
    "truncated": (lambda f: True, truncate),
    "inserted": (lambda f: True, insert_bytes),
    "swapped": (lambda f: True, swap_files),
    "removed": (lambda f: True, remove_file),
}
"""Each kind of damage: the files that it applies to, and what it does."""
