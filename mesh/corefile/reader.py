"""From the text of a Corefile to its directives.

Braces may stand in one line with what is between them, as people write it. CoreDNS refuses most
of that; it gets our rendering of what is read here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mesh.corefile.block import Block
from mesh.corefile.words import CorefileError, Word, quoted, words

_DEEPEST = 10
_BRACES = "write each brace, and each } once for its {"


@dataclass(frozen=True)
class Directive:
    """A line of words, and the directives between its braces when it has any."""

    words: tuple[str, ...]
    line: int
    """Where it begins in the text, counted from 1."""
    body: "tuple[Directive, ...] | None" = None

    @property
    def name(self) -> str:
        """The plugin, the option, or the first zone."""
        return self.words[0]

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words behind the name."""
        return self.words[1:]

    def inner(self) -> "tuple[Directive, ...]":
        """What is between the braces; nothing without braces."""
        return self.body or ()

    def written(self) -> str:
        """The words in one line, in quotes where they must be."""
        return " ".join(map(quoted, self.words))

    def part(self) -> Block | str:
        """The directive as a part of a block."""
        return self.written() if self.body is None else self.block()

    def block(self) -> Block:
        """The directive as a block, with braces whether it had them or not."""
        return Block(self.written(), tuple(one.part() for one in self.inner()))


def directives(text: str) -> tuple[Directive, ...]:
    """Lines as they stand within a server block. Raises CorefileError: the first wrong line."""
    return _Reader(text).everything()


def server_blocks(text: str) -> tuple[Directive, ...]:
    """Whole server blocks: the words of each are its zones. Raises CorefileError."""
    found = _Reader(text, zones_on_top=True).everything()
    for one in found:
        if one.name.startswith("("):
            raise CorefileError(one.line, "defines a snippet", "write its lines where they belong")
        if one.body is None:
            reason = f"has no braces after {one.written()}"
            raise CorefileError(one.line, reason, "write the plugins of a zone between { and }")
    return found


def blocks(text: str) -> tuple[Block, ...]:
    """The server blocks as data. Raises CorefileError."""
    return tuple(one.block() for one in server_blocks(text))


class _Reader:
    """The words of a text, read from the first to the last."""

    def __init__(self, text: str, *, zones_on_top: bool = False) -> None:
        self._words = [*words(text)]
        self._place = 0
        self._zones_on_top = zones_on_top

    def everything(self) -> tuple[Directive, ...]:
        found = tuple(self._directives(depth=0))
        if left := self._ahead():
            raise CorefileError(left.line, "has a } too many", _BRACES)
        return found

    def _directives(self, depth: int) -> Iterator[Directive]:
        while (word := self._ahead()) and word.text != "}":
            if word.text == "{":
                raise CorefileError(word.line, "has a { without a name before it", _BRACES)
            if word.text == "import":
                reason = "imports a file or a snippet, which CoreDNS's pod doesn't have"
                raise CorefileError(word.line, reason, "write its lines here")
            yield self._directive(depth)

    def _directive(self, depth: int) -> Directive:
        line = self._words[self._place].line
        zones = self._zones_on_top and depth == 0
        texts = self._zones() if zones else self._rest_of_line()
        body = None
        if (word := self._ahead()) and word.text == "{":
            self._place += 1
            body = self._braced(word, depth + 1)
        return Directive(texts, line, body)

    def _braced(self, opened: Word, depth: int) -> tuple[Directive, ...]:
        if depth > _DEEPEST:
            raise CorefileError(opened.line, "has too many braces within braces", _BRACES)
        body = tuple(self._directives(depth))
        if self._ahead() is None:
            raise CorefileError(opened.line, "has a { without its }", _BRACES)
        self._place += 1
        return body

    def _zones(self) -> tuple[str, ...]:
        """A comma at a word's end, or what ends in one, leads to the next line."""
        texts = [*self._rest_of_line()]
        while texts[-1].endswith(",") and (word := self._ahead()) and word.text not in "{}":
            texts += self._rest_of_line()
        return tuple(text.removesuffix(",") for text in texts)

    def _rest_of_line(self) -> tuple[str, ...]:
        first = self._place
        while (
            (word := self._ahead())
            and word.line == self._words[first].line
            and word.text not in ("{", "}")
        ):
            self._place += 1
        return tuple(word.text for word in self._words[first : self._place])

    def _ahead(self) -> Word | None:
        return self._words[self._place] if self._place < len(self._words) else None
