"""The words of a Corefile, told apart as CoreDNS does it.

Source: the lexer of coredns/caddy 1.1.4, which every supported CoreDNS has.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PIECE = re.compile(
    r"""(?P<blank>\s+|\#[^\n]*)
    |"(?P<quoted>(?:\\.|[^"\\])*)"
    |(?P<open>")
    |(?P<bare>[^\s#]+)""",
    re.DOTALL | re.VERBOSE,
)


class CorefileError(Exception):
    """A Corefile that can't be read: the line, counted from 1, why not, and what to write."""

    def __init__(self, line: int, reason: str, instead: str) -> None:
        self.line, self.reason, self.instead = line, reason, instead
        super().__init__(f"line {line}: {reason}: {instead}")


@dataclass(frozen=True)
class Word:
    """A word without its quotes, and the line it stands in."""

    text: str
    line: int


def words(text: str) -> Iterator[Word]:
    """Every word, comments left out. Raises CorefileError for what the lexer reads otherwise."""
    line = 1
    for piece in _PIECE.finditer(text):
        if piece["open"]:
            raise CorefileError(line, "has a quote without its end", 'write " at the end too')
        if piece["blank"]:
            line += piece[0].count("\n")
        elif piece["bare"]:
            yield Word(_sound(_apart(piece["bare"], line), line), line)
        else:
            yield Word(_sound(piece["quoted"].replace('\\"', '"'), line), line)


def quoted(word: str) -> str:
    """The word as it is written in a Corefile: in quotes only where it needs them."""
    if word and not re.search(r'^"|[\s#]|\{$|^\{\}$', word):
        return word
    escaped = word.replace('"', '\\"')
    return f'"{escaped}"'


def _sound(word: str, line: int) -> str:
    if "\n" in word:
        raise CorefileError(line, "has quotes over several lines", "write them in one line")
    if "{$" in word or "{%" in word:
        reason = "takes a value from CoreDNS's environment, which has none of yours"
        raise CorefileError(line, reason, "write the value itself")
    return word


def _apart(word: str, line: int) -> str:
    if (word != "{" and word.endswith("{")) or word == "{}":
        raise CorefileError(line, f"has {word!r} for a brace", "write blanks around braces")
    return word
