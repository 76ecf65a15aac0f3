"""What is wrong with the settings, in lines a person can act on."""

from dataclasses import dataclass
from typing import NamedTuple


class Written(str):
    """A value as it stands in the file, shown without quotes that nobody wrote."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Problem:
    """One wrong setting. `str()` is one line: file, key, value, why not, what to write."""

    file: str
    key: str
    value: object
    """The value as it stands in the file; None when there is none to show."""
    reason: str
    instead: str

    def __str__(self) -> str:
        shown = "" if self.value is None else f"{_short(self.value)} "
        return _one_line(f"{self.file}: {self.key}: {shown}{self.reason}: {self.instead}")


class Broken(NamedTuple):
    """What breaks a rule: a problem that does not know its file yet."""

    key: str
    value: object
    reason: str
    instead: str


class SettingsError(Exception):
    """Everything that is wrong with the settings; `str()` is one line for each problem."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        # The project file is read with every stack's, and says its problems once.
        self.problems = tuple(dict.fromkeys(problems))
        super().__init__("\n".join(map(str, self.problems)))


def _one_line(text: str) -> str:
    """The text with every character escaped that ends a line or that nobody sees."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def _short(value: object) -> str:
    shown = str(value).lower() if isinstance(value, bool) else repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
