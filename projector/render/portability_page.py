"""Render the page on portability from the table of what readers do."""

from __future__ import annotations

from projector.check.observations import OBSERVATIONS
from projector.check.portability import FEATURES, Behaviour, Engine, Feature

_HEAD = """# What readers are known to do

Made by `projector rules --portability` from `projector/check/portability.py`. Tables that are right by the spec are not
read alike everywhere. Each row is something that was seen: in a table of the conformance suite (`case`), in a small
table made for it (`tried`), or by others, in an issue. `observed` has the date on which the reader was last run and
did it: `python -m tests.readers.claims` runs it again. A row that only others saw is `reported`. No entry means that
the reader read it rightly or was not tried: it is no promise.

`spark` is Iceberg's Java library under Spark. `projector check --engine duckdb,spark` reports only what concerns those.
"""


def page() -> str:
    """Return the page in Markdown: which readers have trouble with what, followed by the details."""
    lines = [_HEAD, f"| | {' | '.join(Engine)} | rule |", "|---|" + "---|" * (len(Engine) + 1)]
    lines += [
        f"| [{f.title}](#{f.name}) | {' | '.join(_cell(f, engine) for engine in Engine)} | {_rule(f)} |"
        for f in FEATURES.values()
    ]
    lines += ["", "Readers that were run:", "", "| reader | version | date | rows seen |", "|---|---|---|---|"]
    lines += [f"| {engine} | {o.version} | {o.date} | {len(o.features)} |" for engine, o in OBSERVATIONS.items()]
    for feature in FEATURES.values():
        lines += ["", f"## {feature.name}", "", f"{feature.title[0].upper()}{feature.title[1:]}.", ""]
        lines += ["| reader | what happens | seen in | observed |", "|---|---|---|---|"]
        lines += [
            f"| {b.engine} {b.versions}".rstrip() + f" | {b.what} | {b.evidence} | {_observed(feature, b)} |"
            for b in feature.behaviours
        ]
    return "\n".join([*lines, ""])


def _cell(feature: Feature, engine: Engine) -> str:
    return ", ".join(dict.fromkeys(str(b.outcome) for b in feature.behaviours if b.engine is engine))


def _observed(feature: Feature, behaviour: Behaviour) -> str:
    run = OBSERVATIONS.get(behaviour.engine)
    return run.date if run is not None and feature.name in run.features else "reported"


def _rule(feature: Feature) -> str:
    return "" if feature.rule is None else f"[{feature.rule}](rules/{feature.rule.lower()}.md)"
