"""The order of the floors: a module imports only from its own room and from rooms on lower floors."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

FLOORS = (
    ("errors",),
    ("schema",),
    ("files",),
    ("metadata", "projection"),
    ("planning", "evolution"),
    ("catalogs", "engines"),
    ("check",),
    ("render",),
    ("api",),
)
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imported(source: str, package: tuple[str, ...]) -> Iterator[str]:
    """The dotted name of everything that a module imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = [*package[: len(package) - level + 1]] if level else []
                dotted = ".".join([*base, *([module] if module else [])])
                yield from (f"{dotted}.{alias.name}" for alias in names)
            case ast.Call(func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"), args=[argument, *_]):
                if isinstance(argument, ast.Constant):
                    yield str(argument.value)


def imports_of(path: Path) -> list[str]:
    return list(imported(path.read_text(), path.relative_to(ROOT).parent.parts))


def rooms_of(names: list[str]) -> set[str]:
    """The rooms among imported names; `from projector import x` counts as the room `""`."""
    found = set()
    for name in names:
        first, *rest = name.split(".")
        if first == "projector":
            found.add(rest[0] if rest and rest[0] in FLOOR_OF else "")
    return found


def misplaced(room: str, names: list[str]) -> set[str]:
    """The rooms that a module of `room` imports though they are above it, or beside it."""
    return {
        other or "projector"
        for other in rooms_of(names)
        if other != room and (other == "" or FLOOR_OF[other] >= FLOOR_OF[room])
    }


def room_of(path: Path) -> str:
    return path.relative_to(ROOT / "projector").parts[0].removesuffix(".py")


INSIDE = [path for path in modules("projector") if path != ROOT / "projector" / "__init__.py"]


@pytest.mark.parametrize("path", INSIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down(path: Path) -> None:
    assert room_of(path) in FLOOR_OF, "a new room needs its place in FLOORS and in docs/architecture.md"
    assert misplaced(room_of(path), imports_of(path)) == set()


@pytest.mark.parametrize("path", modules("cli"), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_command_line_imports_only_projector_and_itself(path: Path) -> None:
    absolute = {name.split(".")[0] for name in imports_of(path)}
    assert absolute.isdisjoint({"benchmarks", "projector_benchmarks", "tests", "projector_cli"})


@pytest.mark.parametrize("path", INSIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_inside_knows_its_users(path: Path) -> None:
    first = {name.split(".")[0] for name in imports_of(path)}
    assert first.isdisjoint({"cli", "projector_cli", "benchmarks", "projector_benchmarks", "tests"})


def test_the_test_sees_every_way_to_import() -> None:
    source = (
        "import projector.api.table\n"
        "def f():\n"
        "    from projector.check import rules\n"
        "    from ..engines.rows import read\n"
        "    from . import casts\n"
        "    import_module('projector.render.text')\n"
        "if TYPE_CHECKING:\n"
        "    from projector.planning.scan.tasks import FileTask\n"
    )
    names = list(imported(source, ("projector", "projection")))
    assert rooms_of(names) == {"api", "check", "engines", "projection", "render", "planning"}
    assert misplaced("projection", names) == {"api", "check", "engines", "render", "planning"}
    assert misplaced("metadata", ["projector.projection.plan"]) == {"projection"}
    assert misplaced("schema", ["projector.Schema"]) == {"projector"}


def test_every_package_is_installed() -> None:
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    homes = {"projector": "projector", "projector_cli": "cli", "projector_benchmarks": "benchmarks"}
    there = {
        ".".join([package, *path.parent.relative_to(ROOT / folder).parts])
        for package, folder in homes.items()
        for path in (ROOT / folder).rglob("__init__.py")
    }
    assert set(packages) == there
