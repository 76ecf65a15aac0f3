"""What CoreDNS makes of a question by the rewrite rules of a server block, and of its answer."""

import re
from dataclasses import dataclass

_RULE = re.compile(r"^ *rewrite stop name (exact|suffix) (\S+) (\S+) answer auto$", re.MULTILINE)


@dataclass(frozen=True)
class Rule:
    """One line `rewrite stop name … answer auto`: CoreDNS's plugin/rewrite/name.go."""

    kind: str
    asked: str
    known: str

    def fits(self, name: str) -> bool:
        return name == self.asked if self.kind == "exact" else name.endswith(self.asked)

    def question(self, name: str) -> str:
        return name.removesuffix(self.asked) + self.known

    def answer(self, name: str) -> str:
        """A name in the answer as the client sees it; `exact` also swaps what is below it."""
        below = "." if self.kind == "exact" else ""
        if name == self.known or name.endswith(f"{below}{self.known}"):
            return name.removesuffix(self.known) + self.asked
        return name


def block(corefile: str, key: str) -> str:
    """The server block with that key, such as `.:53`."""
    [found] = re.findall(rf"^{re.escape(key)} {{\n(.*?)^}}$", corefile, re.MULTILINE | re.DOTALL)
    assert isinstance(found, str)
    return found


def rule_for(block: str, name: str) -> Rule | None:
    """The first rule that fits the name; no later one is looked at."""
    rules = (Rule(*found) for found in _RULE.findall(block))
    return next((rule for rule in rules if rule.fits(name)), None)


def server_of(corefile: str, name: str, port: int = 53) -> str:
    """The zone of the server block that gets the question: the longest that holds the name."""
    keys = re.findall(rf"^(\S+):{port} {{$", corefile, re.MULTILINE)
    zones: list[str] = [key for key in keys if key == "." or f".{name}".endswith(f".{key}.")]
    return max(zones, key=len)
