"""`projector` hands on what it says, lazily, and nothing else."""

from __future__ import annotations

import ast
import types
from pathlib import Path

import pytest

import projector


@pytest.mark.parametrize("name", projector.__all__)
def test_every_public_name_is_there(name: str) -> None:
    found = getattr(projector, name)
    assert found is not None
    if not isinstance(found, types.ModuleType):
        assert found.__doc__, f"{name} has no documentation"


def test_names_are_sorted_and_listed() -> None:
    assert projector.__all__ == sorted(projector.__all__)
    assert set(projector.__all__) <= set(dir(projector))


def test_type_checkers_see_the_same_names() -> None:
    """What is imported under TYPE_CHECKING comes from where `__getattr__` finds it."""
    tree = ast.parse(Path(str(projector.__file__)).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    declared = {
        alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert sorted(declared) == projector.__all__
    for name, module in declared.items():
        found = getattr(projector, name)
        if not isinstance(found, types.ModuleType):
            assert found.__module__ == module


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        projector.nope  # noqa: B018


def test_every_error_has_one_root() -> None:
    for name in projector.__all__:
        if name.endswith("Error"):
            assert issubclass(getattr(projector, name), projector.ProjectorError)
