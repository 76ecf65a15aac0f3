"""Which keys the groups of a chart's values have, and which written ones are none of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

ROOT = "."


@dataclass(frozen=True)
class UnknownKey:
    """A dotted key that a chart has not, and the key of the same group that is nearest to it."""

    key: str
    nearest: str | None


@dataclass(frozen=True)
class ChartKeys:
    """The keys of every group whose keys the chart itself decides, by the group's dotted path.

    A key that is no such group may hold anything: a plain value, a list, or a mapping that the
    chart hands on whole, such as labels or a security context.
    """

    version: str
    """Version of the chart they were read from."""
    groups: Mapping[str, frozenset[str]]

    def unknown(self, values: Mapping[str, Any], group: str = ROOT) -> Iterator[UnknownKey]:
        """Every written key that the chart doesn't know; what is below one is not looked at."""
        known = self.groups[group]
        for key, value in values.items():
            path = str(key) if group == ROOT else f"{group}.{key}"
            if str(key) not in known:
                near = get_close_matches(str(key), sorted(known), n=1)
                yield UnknownKey(path, near[0] if near else None)
            elif path in self.groups and isinstance(value, Mapping):
                yield from self.unknown(value, path)
