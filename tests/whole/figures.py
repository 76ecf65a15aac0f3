"""What the story measures on its way: shown when all tests are done, whatever became of them."""

import time
from collections.abc import Callable

_KEPT: list[str] = []


def keep(what: str, seconds: float) -> None:
    """Keep how long something took."""
    _KEPT.append(f"{what}: {seconds:.1f} s")


def kept() -> list[str]:
    """Return what was measured so far, a line each."""
    return list(_KEPT)


def until(condition: Callable[[], object], seconds: float, pause: float = 0.2) -> float:
    """Return how long it took until something was so; fails when it takes longer than that."""
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        assert waited < seconds, f"not so after {waited:.0f} s: {condition}"
        time.sleep(pause)
    return time.monotonic() - began
