"""A YAML file as the engine reads it, and the faults for which nothing of it is read."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from mesh.settings.problems import Problem
from mesh.settings.scalars import FRACTION, WHOLE, character_name
from mesh.settings.secrets import is_password


@dataclass(frozen=True)
class Document:
    """What a file says: its nodes as written, and the plain value; both empty in an empty file."""

    node: yaml.Node | None
    value: object


class _Fault(Exception):  # noqa: N818 - never leaves this file
    """YAML that reads well and would be silently wrong, at one place of the file."""

    def __init__(self, at: yaml.Node | yaml.Event, value: str, reason: str, instead: str) -> None:
        super().__init__(reason)
        self.line = at.start_mark.line + 1 if at.start_mark else 1
        self.value, self.reason, self.instead = value, reason, instead


class _Loader(yaml.SafeLoader):
    """Reads what scalars.py does not doubt, as the engine does: `on` is text, and so is a date."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own way

    def get_single_node(self) -> yaml.Node | None:
        self.get_event()  # type: ignore[no-untyped-call]  # the stream's start
        node = None
        if not self.check_event(yaml.StreamEndEvent):
            node = self.compose_document()
        if not self.check_event(yaml.StreamEndEvent):
            second = self.peek_event()  # type: ignore[no-untyped-call]
            reason, instead = "begins a second document", "keep one of them in the file"
            raise _Fault(second, "---", reason, instead)
        return node

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            reason, instead = "stands for a value elsewhere", "write the value itself here"
            raise _Fault(event, f"*{event.anchor}", reason, instead)
        if tag := getattr(event, "tag", None):
            reason, instead = "names a type of YAML", "write the value without it"
            shown = tag.replace("tag:yaml.org,2002:", "!!")
            raise _Fault(event, shown, reason, instead)
        return super().compose_node(parent, index)

    def compose_mapping_node(self, anchor: dict[Any, yaml.Node]) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        seen: set[str] = set()
        for key, _ in node.value:
            _refuse_key(key)
            if key.value in seen:
                raise _Fault(key, key.value, "is here twice", "keep one of them")
            seen.add(key.value)
        return node


def _refuse_key(key: yaml.Node) -> None:
    """Raise _Fault for a key of which the engine makes another text, or refuses to make one."""
    if not isinstance(key, yaml.ScalarNode):
        raise _Fault(key, "?", "begins a key that is no text", "write a name")
    if key.value == "<<" and not key.style:
        raise _Fault(key, "<<", "merges other keys", "write the keys themselves here")
    if key.tag != "tag:yaml.org,2002:str":
        raise _Fault(key, key.value, "is a key that is no text", "put it in quotes")


for _kind, _pattern in (
    ("bool", "true|True|TRUE|false|False|FALSE"),
    ("null", "~|null|Null|NULL|"),
    ("int", WHOLE.pattern),
    ("float", FRACTION.pattern),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_kind}", re.compile(rf"(?:{_pattern})\Z"), None
    )


def read_document(path: Path) -> Document | Problem:
    """What the file says, or the one Problem of a file of which nothing can be read."""
    try:
        return _document(path.name, path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        return Problem(path.name, "config", None, "cannot be read", "add the file")
    except OSError as error:
        reason = f"cannot be read, {(error.strerror or 'for a reason unknown').lower()}"
        return Problem(path.name, "the file", None, reason, "make it a readable file")
    except UnicodeDecodeError as error:
        where = f"byte {error.start + 1}"
        return Problem(path.name, where, None, "is not UTF-8", "save the file as UTF-8")


def _document(file: str, text: str) -> Document | Problem:
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        return Document(node, loader.construct_document(node) if node else None)
    except _Fault as fault:
        # What looks like an alias or a tag may be the beginning of a password.
        hidden = is_password(text.splitlines()[fault.line - 1])
        shown = None if hidden else fault.value
        return Problem(file, f"line {fault.line}", shown, fault.reason, fault.instead)
    except yaml.reader.ReaderError as error:
        return _unprintable(file, text, error.position)
    except yaml.YAMLError as error:
        return _unreadable(file, text, error)
    except RecursionError:
        return Problem(file, "the file", None, "is nested too deep", "write it flatter")


def _unreadable(file: str, text: str, error: yaml.YAMLError) -> Problem:
    mark = getattr(error, "problem_mark", None)
    if mark and text[mark.index : mark.index + 1] == "\t":
        return Problem(file, _line(error), None, "has a tab", "write blanks instead")
    return Problem(file, _line(error), None, "is not YAML", "mend its indents or quotes")


def _unprintable(file: str, text: str, place: int) -> Problem:
    where = f"line {text.count(chr(10), 0, place) + 1}"
    reason = f"holds {character_name(text[place])}"
    return Problem(file, where, None, reason, "delete it and type it anew")


def _line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"line {mark.line + 1}" if mark else "the file"
