"""A stack file as text: single values changed, everything else left as it was written."""

import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import yaml

Place = tuple[str | int, ...]
"""Where a value stands: keys of groups without the project's namespace, and places in lists."""

_SECRETS = ("encryptionsalt", "encryptedkey", "secretsprovider")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$", re.MULTILINE)


@dataclass(frozen=True)
class StackFile:
    """The text of a Pulumi.<stack>.yaml that can be read."""

    text: str
    """Its lines, each ended by a line feed alone."""
    project: str
    line_end: str = "\n"
    """What ends its lines where it is written."""

    @classmethod
    def read(cls, path: pathlib.Path, project: str) -> "StackFile":
        """The file at `path`, its last line ended."""
        written = path.read_bytes().decode("utf-8-sig")
        line_end = "\r\n" if "\r\n" in written else "\n"
        text = written.replace("\r\n", "\n")
        return cls(text if text.endswith("\n") else f"{text}\n", project, line_end)

    @property
    def written(self) -> str:
        """The text with the line ends that it was read with."""
        return self.text.replace("\n", self.line_end)

    def line(self, key: str, items: Sequence[str]) -> str:
        """The line that has a list at a key of `config`, as one writes it by hand."""
        return f"{self.project}:{key}: {_written([*items])}"

    def changed(self, values: Mapping[Place, object]) -> "StackFile":
        """The file with other values at places that it has, comments in their columns.

        Raises KeyError for a place it hasn't.
        """
        places = dict(self._values())
        cuts = [(_span(places[path]), _written(value)) for path, value in values.items()]
        return self._cut(cuts)._with_comments_below(self)

    def has(self, place: Place) -> bool:
        """Whether a value is written there."""
        return any(place == found for found, _ in self._values())

    def without_secrets(self) -> "StackFile":
        """The file without what the engine encrypted for this one stack."""
        secret = [
            (key, value)
            for group in (self._document(), self._config())
            for key, value in group.value
            if key.value in _SECRETS or _is_secure(value)
        ]
        return self._cut([(self._lines(key, value), "") for key, value in secret])

    def renamed(self, before: str, after: str) -> "StackFile":
        """The file whose comments speak of another cluster, stack or stack file.

        A name alone is left: it may be a word.
        """
        name = re.escape(before)
        spoken = re.compile(rf"(?:(?<=-s )|(?<=cluster )){name}\b|(?<=Pulumi\.){name}(?=\.yaml)")
        cuts = [
            ((start, end), spoken.sub(after, self.text[start:end]))
            for start, end in self._comments()
        ]
        return self._cut(cuts)

    def with_list(self, key: str, items: Sequence[str]) -> "StackFile":
        """The file with another list at a key of `config`; what stays keeps its comment."""
        line = self.line(key, items)
        for found, value in self._config().value:
            if _bare(found, self.project) != key:
                continue
            if items and isinstance(value, yaml.SequenceNode) and not value.flow_style:
                return self._with_block(value, items)
            return self._cut([((found.start_mark.index, _end(value)), line)])
        place = self._place_for(key)
        return self._cut([((place, place), f"{' ' * self._indent()}{line}\n")])

    def without(self, key: str) -> "StackFile":
        """The file without a key of `config`."""
        return self._cut(
            [
                (self._lines(found, value), "")
                for found, value in self._config().value
                if _bare(found, self.project) == key
            ]
        )

    def _with_block(self, block: yaml.SequenceNode, items: Sequence[str]) -> "StackFile":
        gone = [one for one in block.value if one.value not in items]
        cuts = [(self._lines(one, one), "") for one in gone]
        there = {one.value for one in block.value}
        indent = " " * block.start_mark.column
        more = "".join(f"{indent}- {_written(one)}\n" for one in items if one not in there)
        end = self._line_end(_end(block))
        return self._cut([*cuts, ((end, end), more)])

    def _place_for(self, key: str) -> int:
        """Below the comment in the config that has the key already, or at the config's end."""
        config, hint = self._config(), rf"^[ \t]*#[ \t]*{self.project}:{key}:.*\n"
        # The engine moves a comment at the file's end below its own keys, out of the config.
        start, end = _span(config)
        inside = [one for one in re.finditer(hint, self.text, re.M) if start < one.start() < end]
        return inside[0].end() if inside else self._line_end(_end(config))

    def _indent(self) -> int:
        return int(self._config().value[0][0].start_mark.column)

    def _lines(self, key: yaml.Node, value: yaml.Node) -> tuple[int, int]:
        start = self.text.rfind("\n", 0, key.start_mark.index) + 1
        return start, self._line_end(_end(value))

    def _line_end(self, index: int) -> int:
        # A block of text ends where the next line begins.
        found = self.text.find("\n", max(index - 1, 0))
        return len(self.text) if found < 0 else found + 1

    def _document(self) -> yaml.MappingNode:
        node = yaml.compose(self.text, yaml.SafeLoader)
        return node if isinstance(node, yaml.MappingNode) else _nothing()

    def _config(self) -> yaml.MappingNode:
        for key, value in self._document().value:
            if key.value == "config" and isinstance(value, yaml.MappingNode):
                return value
        return _nothing()

    def _values(self) -> Iterator[tuple[Place, yaml.Node]]:
        for key, value in self._config().value:
            yield from _below((_bare(key, self.project),), value)

    def _comments(self) -> Iterator[tuple[int, int]]:
        scalars = [_span(one) for one in yaml.scan(self.text) if isinstance(one, yaml.ScalarToken)]
        for found in _COMMENT.finditer(self.text):
            if not any(start <= found.start() < end for start, end in scalars):
                yield found.span()

    def _columns(self) -> dict[int, int]:
        """The column of each line's comment, by the line's number."""
        text = self.text
        starts = [start for start, _ in self._comments()]
        return {text.count("\n", 0, one): one - text.rfind("\n", 0, one) - 1 for one in starts}

    def _with_comments_below(self, before: "StackFile") -> "StackFile":
        lines, columns = self.text.splitlines(), before._columns()
        for number, column in self._columns().items():
            said, comment = lines[number][:column].rstrip(), lines[number][column:]
            if said:
                lines[number] = f"{said} ".ljust(columns.get(number, 0)) + comment
        return replace(self, text="\n".join(lines) + "\n")

    def _cut(self, cuts: Sequence[tuple[tuple[int, int], str]]) -> "StackFile":
        text = self.text
        for (start, end), instead in sorted(cuts, reverse=True):
            text = text[:start] + instead + text[end:]
        return replace(self, text=text)


def _below(path: Place, node: yaml.Node) -> Iterator[tuple[Place, yaml.Node]]:
    yield path, node
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _below((*path, str(key.value)), value)
    elif isinstance(node, yaml.SequenceNode):
        for place, value in enumerate(node.value):
            yield from _below((*path, place), value)


def _end(node: yaml.Node) -> int:
    """Where a value ends; a block of several lines ends with the last value in it."""
    flow = getattr(node, "flow_style", True)
    if flow or not node.value or isinstance(node, yaml.ScalarNode):
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last)


def _span(marked: yaml.Node | yaml.Token) -> tuple[int, int]:
    return marked.start_mark.index, marked.end_mark.index


def _is_secure(node: yaml.Node) -> bool:
    return isinstance(node, yaml.MappingNode) and any(
        key.value == "secure" for key, _ in node.value
    )


def _bare(key: yaml.Node, project: str) -> str:
    return str(key.value).removeprefix(f"{project}:")


def _written(value: object) -> str:
    """A value as YAML of one line, in quotes where it would be read as something else."""
    text = yaml.safe_dump(value, default_flow_style=True, width=100_000)
    return text.removesuffix("\n").removesuffix("\n...")


def _nothing() -> yaml.MappingNode:
    return yaml.MappingNode("tag:yaml.org,2002:map", [])
