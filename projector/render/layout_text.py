"""Describe a change of partitioning or sort order, as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from projector.planning.forecast.layout_plan import FilterCosts, LayoutPlan
from projector.planning.forecast.layout_use import Use
from projector.planning.forecast.rewrite_cost import Cost, Forecast


def layout_lines(plan: LayoutPlan) -> list[str]:
    """Return lines of text: what old files keep, what new files get, what is unused, and what a filter costs."""
    use = plan.use
    lines = ["Partitioning", ""]
    lines += _uses(use.specs, "written under", "spec")
    lines += [f"  spec {spec.id} ({spec.text}) is unused: no file has it" for spec in use.dead_specs]
    lines += ["", "Sort order", ""]
    lines += _uses(use.orders, "sorted by", "order")
    lines += [f"  no file follows order {order.id} ({order.text})" for order in use.orders_not_followed]
    if plan.no_costs_because is not None:
        lines += ["", f"The filter has no cost after the change: {plan.no_costs_because}"]
    if plan.costs is not None:
        lines += ["", "Cost of the filter", ""]
        lines += _costs(plan.costs)
    return lines


def _uses(uses: tuple[Use, ...], how: str, what: str) -> Iterator[str]:
    for use in uses:
        if use.files:
            amount = f"{_counted(use.files, 'file')}, {_counted(use.records, 'record')}"
            yield f"  old files: {amount} stay {how} {what} {use.id}: {use.text}"
    old = next((use for use in uses if use.is_default), None)
    new = next((use for use in uses if use.becomes_default), None)
    if new is not None:
        change = "" if old is None or old is new else f", instead of {what} {old.id}: {old.text}"
        yield f"  new files: {how} {what} {new.id}{' (added)' if new.added else ''}: {new.text}{change}"


def _costs(costs: FilterCosts) -> Iterator[str]:
    yield f"  old files: {_cost(costs.old_before)}, about {_counted(costs.expected, 'record')} to return"
    if costs.old_after != costs.old_before:
        yield f"    after the change: {_cost(costs.old_after)}"
    yield f"  the same rows as new files, before: {_cost(costs.new_before.cost, costs.new_before)}"
    yield f"  the same rows as new files, after:  {_cost(costs.new_after.cost, costs.new_after)}"


def _cost(cost: Cost, forecast: Forecast | None = None) -> str:
    opens = f"opens {cost.files:,} of {_counted(cost.of_files, 'file')}"
    text = f"{opens}, reads {cost.records:,} of {_counted(cost.of_records, 'record')}"
    if forecast is not None and forecast.uncounted:
        text += f" (how many values {', '.join(forecast.uncounted)} has is not known)"
    return text


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def layout_json(plan: LayoutPlan) -> dict[str, Any]:
    """Return the same facts as JSON, with stable keys."""
    costs = plan.costs
    return {
        "files": plan.use.files,
        "records": plan.use.records,
        "specs": [_use_json(use, "spec_id") for use in plan.use.specs],
        "sort_orders": [_use_json(use, "order_id") for use in plan.use.orders],
        "filter": None
        if costs is None
        else {
            "old_files": {
                "before": _cost_json(costs.old_before),
                "after": _cost_json(costs.old_after),
                "records_expected": costs.expected,
            },
            "new_files": {
                "before": _forecast_json(costs.new_before),
                "after": _forecast_json(costs.new_after),
            },
        },
        "no_filter_because": plan.no_costs_because,
    }


def _use_json(use: Use, key: str) -> dict[str, Any]:
    return {
        key: use.id,
        "text": use.text,
        "files": use.files,
        "records": use.records,
        "default_before": use.is_default,
        "default_after": use.becomes_default,
        "added": use.added,
        "in_use": use.in_use,
        "dead_weight": use.dead_weight,
    }


def _cost_json(cost: Cost) -> dict[str, Any]:
    return {
        "files": cost.files,
        "of_files": cost.of_files,
        "records": cost.records,
        "of_records": cost.of_records,
    }


def _forecast_json(forecast: Forecast) -> dict[str, Any]:
    return {**_cost_json(forecast.cost), "uncounted": list(forecast.uncounted)}
