"""Property bags as the engine sends them: plain values, secrets and values not known yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

# The stubs of protobuf are a package of their own.
from google.protobuf.struct_pb2 import (  # type: ignore[import-untyped]
    ListValue,
    Struct,
    Value,
)

# A value of the wire: None, bool, number, str, list, dict, or UNKNOWN.
Plain: TypeAlias = Any

_SIGNATURE_KEY = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - the protocol's mark of a secret
_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


class Unknown:
    """The type of the one value that stands for whatever isn't known before an update."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()


@dataclass(frozen=True)
class Properties:
    """Values by name, and the names whose value is secret or holds a secret."""

    values: Mapping[str, Plain]
    secrets: frozenset[str] = frozenset()


def decode(struct: Struct) -> Properties:
    """The properties in a message of the engine; null values are left out, as if not given."""
    values: dict[str, Plain] = {}
    secrets: set[str] = set()
    for name, value in struct.fields.items():
        plain, secret = _plain(value)
        if plain is not None:
            values[name] = plain
        if secret:
            secrets.add(name)
    return Properties(values, frozenset(secrets))


def encode(properties: Properties) -> Struct:
    """The message for the engine; what is secret is marked as a whole property."""
    struct = Struct()
    for name, value in properties.values.items():
        wire = _wire(value)
        if name in properties.secrets:
            marked = Struct()
            marked.fields[_SIGNATURE_KEY].string_value = _SECRET
            marked.fields["value"].CopyFrom(wire)
            wire = Value(struct_value=marked)
        struct.fields[name].CopyFrom(wire)
    return struct


def unknown_in(value: Plain) -> bool:
    """Whether a value is unknown, or holds one that is."""
    if isinstance(value, Mapping):
        return any(unknown_in(item) for item in value.values())
    if isinstance(value, list):
        return any(unknown_in(item) for item in value)
    return value is UNKNOWN


def _plain(value: Value) -> tuple[Plain, bool]:
    match value.WhichOneof("kind"):
        case "string_value":
            text = value.string_value
            return (UNKNOWN if text == _UNKNOWN else text), False
        case "number_value":
            number = value.number_value
            return (int(number) if number.is_integer() else number), False
        case "bool_value":
            return value.bool_value, False
        case "list_value":
            items = [_plain(item) for item in value.list_value.values]
            return [plain for plain, _ in items], any(secret for _, secret in items)
        case "struct_value":
            return _plain_struct(value.struct_value)
        case _:
            return None, False


def _plain_struct(struct: Struct) -> tuple[Plain, bool]:
    if struct.fields.get(_SIGNATURE_KEY, Value()).string_value == _SECRET:
        return _plain(struct.fields["value"])[0], True
    items = {name: _plain(value) for name, value in struct.fields.items()}
    plain = {name: item for name, (item, _) in items.items() if item is not None}
    return plain, any(secret for _, secret in items.values())


def _wire(value: Plain) -> Value:
    if value is UNKNOWN:
        return Value(string_value=_UNKNOWN)
    if isinstance(value, bool):
        return Value(bool_value=value)
    if isinstance(value, int | float):
        return Value(number_value=value)
    if isinstance(value, str):
        return Value(string_value=value)
    if isinstance(value, Mapping):
        struct = Struct()
        for name, item in value.items():
            struct.fields[name].CopyFrom(_wire(item))
        return Value(struct_value=struct)
    return Value(list_value=ListValue(values=[_wire(item) for item in value]))
