"""The rules, one module each, found by looking into this folder. A code that is given twice is an error."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from projector.check.kit.rule import Rule


@cache
def all_rules() -> Mapping[str, Rule]:
    """Every rule by its code, in the order of the codes within the order of the families."""
    found: dict[str, Rule] = {}
    for module in pkgutil.iter_modules(__path__):
        rule = import_module(f"{__name__}.{module.name}").RULE
        assert isinstance(rule, Rule)
        if rule.code in found:
            raise ValueError(f"two rules have the code {rule.code}: {found[rule.code].name} and {rule.name}")
        found[rule.code] = rule
    return {code: found[code] for code in sorted(found, key=lambda code: ("TNDRSPFX".index(code[0]), code))}
