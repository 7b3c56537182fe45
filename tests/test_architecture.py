"""The order of the floors: a module imports only from its own room and from rooms on lower floors."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

FLOORS = (
    ("text",),
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


UPWARD = {("check/report/report.py", "render")}
"""The only imports that go up: a report shows itself in notebooks."""


@pytest.mark.parametrize("path", INSIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down(path: Path) -> None:
    assert room_of(path) in FLOOR_OF, "a new room needs its place in FLOORS and in docs/architecture.md"
    here = str(path.relative_to(ROOT / "projector"))
    assert misplaced(room_of(path), imports_of(path)) == {room for module, room in UPWARD if module == here}


def test_every_dynamic_import_is_spelled_out() -> None:
    """An import by name that the tests above cannot read is made of a table of whole names, at one of these places."""
    hidden = {
        str(path.relative_to(ROOT))
        for folder in ("projector", "cli")
        for path in modules(folder)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and "import_module" in (getattr(node.func, "id", None), getattr(node.func, "attr", None))
        and not isinstance(node.args[0], ast.Constant)
    }
    assert hidden == {
        "projector/__init__.py",
        "projector/engines/registry.py",
        "projector/check/rules/__init__.py",
        "projector/render/formats.py",
        "cli/main.py",
        "cli/commands/bench.py",
    }


MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for folder in ("projector", "cli")
    for path in modules(folder)
}


def module_imports(name: str) -> set[str]:
    """The modules of the project that a module imports; `from package import module` counts as the module."""
    found = set()
    for imported_name in imports_of(MODULES[name]):
        while imported_name and imported_name not in MODULES:
            imported_name = imported_name.rpartition(".")[0]
        found.add(imported_name)
    return found - {"", name, "projector"}


def circles(edges: dict[str, set[str]]) -> list[str]:
    """The names that can be reached from themselves."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = list(edges.get(start, ()))
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += edges.get(name, ())
        return seen

    return sorted(name for name in edges if name in reached(name))


def test_no_module_imports_itself_by_way_of_others() -> None:
    allowed = {("projector.check.report.report", "projector.render.html")}
    edges = {name: {other for other in module_imports(name) if (name, other) not in allowed} for name in MODULES}
    assert circles({name: others for name, others in edges.items() if name != "projector"}) == []


def test_no_package_imports_itself_by_way_of_others() -> None:
    """A package without packages of its own is one place; the modules beside packages are places of their own."""
    packages = {name for name, path in MODULES.items() if path.name == "__init__.py"}
    roomy = {name for name in packages if any(other.startswith(f"{name}.") for other in packages)}

    def place(name: str) -> str:
        package = name if name in packages else name.rpartition(".")[0]
        return name if package in roomy else package

    allowed = {("projector.check.report.report", "projector.render.html")}
    edges: dict[str, set[str]] = {}
    for name in MODULES.keys() - {"projector"}:
        others = {place(other) for other in module_imports(name) if (name, other) not in allowed}
        edges.setdefault(place(name), set()).update(others - {place(name)})
    assert circles(edges) == []


@pytest.mark.parametrize(("backend", "other"), [("polars", "duckdb"), ("duckdb", "polars")])
def test_backends_do_not_know_each_other(backend: str, other: str) -> None:
    for name in MODULES:
        if name.startswith(f"projector.engines.{backend}"):
            assert not any(known.startswith(f"projector.engines.{other}") for known in module_imports(name)), name


@pytest.mark.parametrize("package", ["deletes"])
def test_what_backends_share_knows_none_of_them(package: str) -> None:
    backends = ("projector.engines.arrow", "projector.engines.polars", "projector.engines.duckdb")
    for name in MODULES:
        if name.startswith(f"projector.engines.{package}"):
            assert not any(known.startswith(backends) for known in module_imports(name)), name


def test_packages_stay_small() -> None:
    """A listing is read at a glance. The rules are many by nature, one a file; their names begin with their codes."""
    sizes = {
        str(folder.relative_to(ROOT)): len([p for p in folder.glob("*.py") if p.name != "__init__.py"])
        for home in ("projector", "cli")
        for folder in {path.parent for path in modules(home)}
    }
    del sizes["projector/check/rules"]
    assert {folder: size for folder, size in sizes.items() if size > 16} == {}


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
