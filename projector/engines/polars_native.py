"""Stub."""

from __future__ import annotations

from projector.planning.scan_request import ScanRequest
from projector.projection.plan import Plan


def native_reasons(plan: Plan, request: ScanRequest) -> tuple[str, ...]:
    return ("stub",)


def native_works() -> bool:
    return False


def use_native() -> bool:
    return False
