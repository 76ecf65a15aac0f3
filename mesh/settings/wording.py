"""The words for what pydantic finds: where it is, why it is wrong, what to write instead."""

from difflib import get_close_matches
from typing import Any, get_args

import yaml
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticUndefined

from mesh.settings.base import Model
from mesh.settings.problems import Problem
from mesh.settings.secrets import SECRET_KEYS, is_password, password_hint
from mesh.settings.settings import Settings

_REASONS = {
    "missing": "is missing",
    "string_type": "is not text",
    "int_type": "is not a whole number",
    "int_parsing": "is not a whole number",
    "int_from_float": "is not a whole number",
    "bool_type": "is neither true nor false",
    "bool_parsing": "is neither true nor false",
    "dict_type": "is not a group of settings",
    "model_type": "is not a group of settings",
    "tuple_type": "is not a list",
    "greater_than_equal": "is too small",
    "less_than_equal": "is too large",
    "too_short": "is an empty list",
    "literal_error": "is none of the choices",
}


def problem_of(file: str, error: ErrorDetails) -> Problem:
    """One error of pydantic as a problem of `file`."""
    loc, kind, context = error["loc"], error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown_key(file, loc)
    reason = context["reason"] if kind == "refused" else _REASONS.get(kind, error["msg"].lower())
    value = error["input"]
    if value is None:
        kind, reason = "missing", "is empty"
    # A missing key's input is the group around it, and a group's own fault names its values.
    # A boolean may be written in a dozen ways, and none of them is how it is shown.
    reread = kind == "string_type" and isinstance(value, bool)
    shapeless = isinstance(value, Model | dict | list | tuple)
    nothing_to_show = kind == "missing" or reread or shapeless
    instead = _instead(kind, loc, value, context)
    return Problem(file, _dotted(loc), None if nothing_to_show else value, reason, instead)


def _unknown_key(file: str, loc: tuple[int | str, ...]) -> Problem:
    *around, key = loc
    group = _field(tuple(around))[0]
    if around == ["vsphere"] and is_password(str(key)):
        return Problem(file, _dotted(loc), None, "is not a setting", password_hint(file))
    valid = [str(field.alias) for field in group.model_fields.values()]
    if group is Settings:
        valid += SECRET_KEYS
    near = get_close_matches(_squeezed(str(key)), map(_squeezed, valid), n=1)
    meant = [name for name in valid if _squeezed(name) in near]
    instead = f"did you mean {meant[0]}?" if meant else f"write one of {', '.join(valid)}"
    return Problem(file, _dotted(loc), None, "is not a setting", instead)


def _instead(kind: str, loc: tuple[int | str, ...], value: object, context: dict[str, Any]) -> str:
    if kind == "refused":
        return str(context["instead"])
    if kind == "string_type" and isinstance(value, int | float):
        # Of 1.30 and of `on` only the file knows how they were written.
        as_read = isinstance(value, bool | float)
        return f"put it in quotes, {'as it stands in the file' if as_read else repr(str(value))}"
    if kind == "greater_than_equal":
        return f"write {context['ge']} or more"
    if kind == "less_than_equal":
        return f"write {context['le']} or less"
    if kind.startswith("bool_"):
        return "write true or false"
    if kind == "literal_error":
        return f"write {context['expected']}"
    field = _field(loc)[1]
    if field is None:
        return "write a plain value"
    example = field.examples[0] if field.examples else field.default
    if isinstance(example, Model) or example is PydanticUndefined:
        return "write its settings below it, as the shipped Pulumi.east.yaml does"
    if isinstance(loc[-1], int):
        example = example[0]
    return f"write one like {_yaml(example)}"


def _field(loc: tuple[int | str, ...]) -> tuple[type[Model], FieldInfo | None]:
    """The innermost group `loc` runs through, and the field it ends at, if it is one."""
    group: type[Model] = Settings
    field = None
    for part in (part for part in loc if isinstance(part, str)):
        by_key = {item.alias: item for item in group.model_fields.values()}
        field = by_key.get(part)
        inner = _group_in(field.annotation) if field else None
        group = inner or group
    return group, field


def _group_in(annotation: object) -> type[Model] | None:
    """The group that a field is, may be, or is a list of."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    return next(filter(None, map(_group_in, get_args(annotation))), None)


def _dotted(loc: tuple[int | str, ...]) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return "".join(parts).removeprefix(".")


def _yaml(value: object) -> str:
    return yaml.safe_dump(value, default_flow_style=True, width=1000).partition("\n")[0]


def _squeezed(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()
