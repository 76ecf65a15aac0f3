"""Values that readers of YAML read apart, so that nobody can be sure of what is meant.

The engine reads YAML 1.1 and 1.2 mixed, this program by PyYAML, an editor in its own way. What
they agree on is read; the rest is refused with what to write, in every file and the own one too.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import NamedTuple

import yaml

from mesh.settings.problems import Problem, Written

WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
"""A whole number as everybody writes and reads it, small enough for every reader."""
FRACTION = re.compile(r"-?(?:0|[1-9][0-9]{0,14})\.[0-9]+")
"""A number with a fraction; `plain_number` says whether it is in its shortest form."""
_TRUE, _FALSE = {"y", "yes", "on"}, {"n", "no", "off"}
_LEADING_ZERO = re.compile(r"([-+]?)0o?([0-9_]+)", re.IGNORECASE)
_NUMBER = re.compile(
    r"[-+]?(?:0x[0-9a-f_]+|0b[01_]+|[0-9][0-9_]*\.?[0-9_]*(?:e[-+]?[0-9]+)?|\.[0-9_]+(?:e[-+]?[0-9]+)?)",
    re.IGNORECASE,
)
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?")
_NO_NUMBER = re.compile(r"[-+]?\.inf|\.nan", re.IGNORECASE)


class Doubt(NamedTuple):
    """Why a value as written may be misread, and what to write instead."""

    reason: str
    instead: str


def doubts(file: str, key: str, node: yaml.Node) -> Iterator[Problem]:
    """Every value and every key at or below `node` that may be misread."""
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            inner = f"{key}.{name.value}"
            if doubt := _hidden(name.value):
                yield Problem(file, inner, None, *doubt)
            yield from doubts(file, inner, value)
    elif isinstance(node, yaml.SequenceNode):
        for place, item in enumerate(node.value):
            yield from doubts(file, f"{key}[{place}]", item)
    elif isinstance(node, yaml.ScalarNode) and (doubt := _doubt(node)):
        value = node.value if node.style else Written(node.value)
        yield Problem(file, key, value, *doubt)


def _doubt(node: yaml.ScalarNode) -> Doubt | None:
    if doubt := _hidden(node.value):
        return doubt
    return None if node.style else in_doubt(node.value)  # what is in quotes is text to all


def in_doubt(plain: str) -> Doubt | None:
    """The doubt about a value without quotes, if there is one."""
    return next((doubt for kind in _KINDS if (doubt := kind(plain))), None)


def _hidden(text: str) -> Doubt | None:
    for character in text:
        if not character.isprintable() and character not in "\n\t":
            return Doubt(f"holds {character_name(character)}", "delete it and type it anew")
    return None


def character_name(character: str) -> str:
    """What Unicode calls a character that a person cannot see, and its number."""
    name = unicodedata.name(character, "a control character").lower()
    return f"{name} (U+{ord(character):04X})"


def _boolean(plain: str) -> Doubt | None:
    word = plain.lower()
    if word not in _TRUE | _FALSE:
        return None
    reason = "is a boolean to some readers of YAML and text to others"
    meant = "true" if word in _TRUE else "false"
    return Doubt(reason, f"write {meant}, or put it in quotes")


def _octal(plain: str) -> Doubt | None:
    match = _LEADING_ZERO.fullmatch(plain)
    if match is None or not match[2].strip("_"):
        return None
    sign, digits = match[1].strip("+"), match[2].replace("_", "")
    decimal = int(f"{sign}{digits[:18]}")
    try:
        octal = int(f"{sign}{digits[:18]}", 8)
    except ValueError:
        octal = decimal
    meant = f"{decimal}" if octal == decimal else f"{octal} if it is octal and {decimal} if not"
    reason = "is octal to some readers of YAML and decimal to others"
    return Doubt(reason, f"write {meant}, or put it in quotes")


def _other_number(plain: str) -> Doubt | None:
    if not _NUMBER.fullmatch(plain) or plain_number(plain):
        return None
    number = _shortest(plain)
    if number is None:
        return Doubt("is too long for a number", "put it in quotes, or write a shorter one")
    return Doubt(f"is read as the number {number}", f"write {number}, or put it in quotes")


def _base_60(plain: str) -> Doubt | None:
    if not _SEXAGESIMAL.fullmatch(plain):
        return None
    reason = "is a number of base 60 to some readers of YAML and text to others"
    return Doubt(reason, "put it in quotes")


def _date(plain: str) -> Doubt | None:
    return Doubt("is a date to YAML", "put it in quotes") if _DATE.fullmatch(plain) else None


def _not_finite(plain: str) -> Doubt | None:
    if not _NO_NUMBER.fullmatch(plain):
        return None
    return Doubt("is no number that the engine takes", "write a number, or put it in quotes")


_KINDS: tuple[Callable[[str], Doubt | None], ...] = (
    _boolean,
    _octal,
    _other_number,
    _base_60,
    _date,
    _not_finite,
)


def plain_number(plain: str) -> bool:
    """Whether every reader takes this for the same number, and writes it back as it is."""
    if WHOLE.fullmatch(plain):
        return plain != "-0"
    return bool(FRACTION.fullmatch(plain)) and plain == _shortest(plain)


def _shortest(plain: str) -> str | None:
    """A number in its shortest decimal form; None when it has none of a sensible length."""
    digits = plain.lower().replace("_", "")
    try:
        whole = int(digits, 0) if re.match(r"[-+]?0[xb]", digits) else None
        exact = Decimal(whole if whole is not None else repr(float(digits)))
    except (ValueError, OverflowError):
        return None
    if not exact.is_finite() or abs(exact) >= 10**15:
        return None
    written = format(exact.normalize(), "f") if exact else "0"
    return written if len(written) <= 20 else None
