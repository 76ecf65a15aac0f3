"""What a stack exported against what its file plans, in words."""

from collections.abc import Mapping
from typing import Any


def differences(planned: Mapping[str, Any], exported: Mapping[str, Any]) -> dict[str, str]:
    """A sentence for each value that differs, by its dotted key; both are plain outputs."""
    plan, fact = _flat(planned), _flat(exported)
    return {
        key: f"{key} is {_shown(fact.get(key))}, planned {_shown(plan.get(key))}"
        for key in dict.fromkeys([*plan, *fact])
        if plan.get(key) != fact.get(key)
    }


def _flat(output: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in output.items():
        inner = isinstance(value, Mapping)
        flat |= _flat(value, f"{above}{key}.") if inner else {f"{above}{key}": value}
    return flat


def _shown(value: object) -> object:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else value
