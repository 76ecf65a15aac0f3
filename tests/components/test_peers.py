"""How the states of the stacks are read: the own one alone, and before all others."""

import time
from collections import UserDict
from typing import Any

from tests.mocks import run_program
from tests.test_program import exported


class Slow(UserDict[str, Any]):
    """Exports that take a while to be read, and keep who was read from when to when."""

    def __init__(self, known: Any) -> None:
        super().__init__(known)
        self.read: list[str] = []

    def get(self, key: str, default: Any = None) -> Any:
        self.read.append(f"{key} begins")
        time.sleep(0.2)
        self.read.append(f"{key} ends")
        return super().get(key, default)


def test_the_own_state_is_read_before_reading_others_writes_into_it() -> None:
    for own, other in (("east", "west"), ("west", "east")):
        exports = Slow(exported("east", "west"))
        run_program(own, exports=exports)
        assert exports.read[:3] == [f"{own} begins", f"{own} ends", f"{other} begins"]
