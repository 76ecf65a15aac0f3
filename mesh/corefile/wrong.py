"""What is wrong in a Corefile that could be read."""

from typing import NamedTuple, Self

from mesh.corefile.reader import Directive


class Wrong(NamedTuple):
    """A directive that must not stand there, and what to write instead."""

    line: int
    """Where it begins in the text, counted from 1."""
    written: str
    reason: str
    instead: str

    @classmethod
    def of(cls, directive: Directive, reason: str, instead: str) -> Self:
        """What is wrong with one directive."""
        return cls(directive.line, directive.written(), reason, instead)
