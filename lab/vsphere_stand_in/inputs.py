"""Checks of inputs against what the installed pulumi_vsphere declares: names, types, required."""

import collections.abc
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass

# The SDK keeps the wire names and types of generated classes here, and nowhere public.
from pulumi import _types

from lab.vsphere_stand_in.wire import UNKNOWN, Plain

_SCALARS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True)
class Failure:
    """One input that can't be taken: its path, such as `clone.templateUuid`, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Declared:
    """What a class or a function declares: types by wire name, and which must be given."""

    types: Mapping[str, object]
    required: frozenset[str]


def arguments_of(arguments: type) -> Declared:
    """What a generated `…Args` class declares."""
    names = _types.input_type_py_to_pulumi_names(arguments)
    parameters = inspect.signature(arguments).parameters
    required = {
        names[name]
        for name, parameter in parameters.items()
        if name in names and parameter.default is inspect.Parameter.empty
    }
    return Declared(_types.input_type_types(arguments), frozenset(required))


def parameters_of(function: Callable[..., object]) -> Declared:
    """What a generated lookup function such as `get_datacenter` declares; all is optional."""
    hints = typing.get_type_hints(function)
    return Declared(
        {_camel(name): hint for name, hint in hints.items() if name not in ("opts", "return")},
        frozenset(),
    )


def failures(declared: Declared, inputs: Mapping[str, Plain]) -> list[Failure]:
    """Every input with a wrong name or type, and every missing one, in the order of paths."""
    return sorted(_object_failures(declared, inputs, ""), key=lambda failure: failure.path)


def _object_failures(declared: Declared, inputs: Mapping[str, Plain], prefix: str) -> list[Failure]:
    found = [
        Failure(prefix + name, "is required and was not given")
        for name in declared.required - inputs.keys()
    ]
    for name, value in inputs.items():
        path = prefix + name
        if name in declared.types:
            found += _value_failures(declared.types[name], value, path)
        elif not name.startswith("__"):  # the engine's own
            known = ", ".join(sorted(declared.types))
            found.append(Failure(path, f"is not an input of pulumi_vsphere; it knows {known}"))
    return found


def _value_failures(hint: object, value: Plain, path: str) -> list[Failure]:
    hint = _first_member(hint)
    if value is UNKNOWN:
        return []
    if isinstance(hint, type) and hint in _SCALARS:
        return _scalar_failures(hint, value, path)
    origin, members = typing.get_origin(hint), typing.get_args(hint)
    if origin is collections.abc.Sequence:
        if not isinstance(value, list):
            return [Failure(path, f"is {_kind(value)}, but must be a list")]
        return [
            failure
            for index, item in enumerate(value)
            for failure in _value_failures(members[0], item, f"{path}[{index}]")
        ]
    if not isinstance(value, Mapping):
        return [Failure(path, f"is {_kind(value)}, but must be an object")]
    if origin is collections.abc.Mapping:
        return [
            failure
            for key, item in value.items()
            for failure in _value_failures(members[1], item, f"{path}[{key!r}]")
        ]
    return _object_failures(arguments_of(typing.cast("type", hint)), value, path + ".")


def _scalar_failures(wanted: type, value: Plain, path: str) -> list[Failure]:
    # A bool is an int in Python, and a whole number may stand for a float.
    fits = type(value) is wanted or (wanted is float and type(value) is int)
    # The value isn't shown: it may be secret.
    return [] if fits else [Failure(path, f"is {_kind(value)}, but must be {_SCALARS[wanted]}")]


def _first_member(hint: object) -> object:
    """The plain member of `Optional[X]` and of `Union[XArgs, Awaitable[XArgs], Output[XArgs]]`."""
    while typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = typing.get_args(hint)[0]
    return hint


def _kind(value: Plain) -> str:
    if isinstance(value, Mapping):
        return "an object"
    return _SCALARS.get(type(value), "a list")


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match.group(1).upper(), name)
