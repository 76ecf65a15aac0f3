"""One thing a repair would do."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Action:
    """What was found and what is done about it, in one line; and the doing."""

    line: str
    do: Callable[[], None]
