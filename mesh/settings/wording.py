"""The words for what pydantic finds: where it is, why it is wrong, what to write instead."""

from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin

import yaml
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from mesh.settings.base import Model
from mesh.settings.keys import dotted, group_in, is_by_name, places, squeezed
from mesh.settings.problems import Problem
from mesh.settings.secrets import SECRET_KEYS, is_password, password_hint
from mesh.settings.settings import Settings

_REASONS = {
    "missing": "is missing",
    "string_type": "is not text",
    "int_type": "is not a whole number",
    "bool_type": "is neither true nor false",
    "dict_type": "is not a group of settings",
    "model_type": "is not a group of settings",
    "tuple_type": "is not a list",
    "greater_than_equal": "is too small",
    "less_than_equal": "is too large",
    "too_short": "is an empty list",
    "literal_error": "is none of the choices",
    "int_parsing_size": "is none of the choices",  # a huge number where a few are to choose from
}
"""Why a value is wrong, for every kind of error that the settings can yield."""
_ONE_LETTER = 0.9
"""How alike two keys are when one letter of six or more is missing; 1 is the same key."""


def problem_of(file: str, error: ErrorDetails) -> Problem:
    """One error of pydantic as a problem of `file`."""
    kind, context = error["type"], error.get("ctx", {})
    # Of a name that the user chose, pydantic says that it is the key and no value.
    loc = tuple(part for part in error["loc"] if part != "[key]")
    if kind == "extra_forbidden":
        return _unknown_key(file, loc)
    reason = context["reason"] if kind == "refused" else _REASONS.get(kind, "is not taken here")
    value = error["input"]
    if value is None:
        reason = "is empty"
    # A missing key's input is the group around it, and a group's own fault names its values.
    # A boolean may be written in a dozen ways, and none of them is how it is shown.
    reread = kind == "string_type" and isinstance(value, bool)
    shapeless = isinstance(value, Model | dict | list | tuple)
    private = isinstance(value, str) and "PRIVATE KEY" in value
    nothing_to_show = kind == "missing" or value is None or reread or shapeless or private
    instead = _instead(kind, loc, value, context)
    return Problem(file, dotted(loc), None if nothing_to_show else value, reason, instead)


def _unknown_key(file: str, loc: tuple[int | str, ...]) -> Problem:
    *around, key = loc
    name, group = str(key), _field(tuple(around))[0]
    instead = password_hint(file) if is_password(name) and around else _meant(name, group, around)
    return Problem(file, dotted(loc), None, "is not a setting", instead)


def _meant(name: str, group: type[Model], around: list[int | str]) -> str:
    valid = [str(field.alias) for field in group.model_fields.values()]
    if group is Settings:
        valid += SECRET_KEYS
    by_squeezed = {squeezed(one): one for one in valid}
    elsewhere = [key for key in places(name) if key.rpartition(".")[0] != dotted(tuple(around))]
    typo = get_close_matches(squeezed(name), by_squeezed, n=1, cutoff=_ONE_LETTER)
    if not typo and elsewhere:
        return f"write it as {' or '.join(elsewhere[:2])}"
    near = get_close_matches(squeezed(name), by_squeezed, n=1)
    return f"did you mean {by_squeezed[near[0]]}?" if near else f"write one of {', '.join(valid)}"


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
    if kind == "bool_type":
        return "write true or false"
    field = _field(loc)[1]
    if field and get_origin(field.annotation) is Literal:
        return f"write {' or '.join(map(str, get_args(field.annotation)))}"
    example = _example(field) if field else None
    if example is None or isinstance(example, Model):
        return "write its settings below it, as the shipped Pulumi.east.yaml does"
    if isinstance(loc[-1], int) and isinstance(example, list):
        example = example[0]
    if field and _has_plain_names(field) and isinstance(example, dict) and loc[-1] != field.alias:
        example = next(iter(example.values()))
    return f"write one like {_yaml(example)}"


def _example(field: FieldInfo) -> object:
    """What one could write at a field; of a group that may be left out, what it must have."""
    if field.examples:
        return field.examples[0]
    if (
        not field.is_required()
        and (default := field.get_default(call_default_factory=True)) is not None
    ):
        return [*default] if isinstance(default, tuple) else default
    group = group_in(field.annotation)
    if group is None or field.is_required():
        return None
    inner = {str(one.alias): one for one in group.model_fields.values() if one.is_required()}
    return {key: _example(one) for key, one in inner.items()}


def _field(loc: tuple[int | str, ...]) -> tuple[type[Model], FieldInfo | None]:
    """The innermost group `loc` runs through, and the field it ends at, if it is one."""
    group: type[Model] = Settings
    field = None
    named = False  # whether the next part is a name of the user's
    for part in (part for part in loc if isinstance(part, str)):
        if named:
            named = False
            continue
        if field and _has_plain_names(field):
            break
        by_key = {item.alias: item for item in group.model_fields.values()}
        field = by_key.get(part)
        inner = group_in(field.annotation) if field else None
        named = field is not None and is_by_name(field)
        group = inner or group
    return group, field


def _has_plain_names(field: FieldInfo) -> bool:
    """Whether a field holds plain values, each by a name of the user's."""
    return get_origin(field.annotation) is dict and not is_by_name(field)


def _yaml(value: object) -> str:
    return yaml.safe_dump(
        value, default_flow_style=True, width=1000, allow_unicode=True, sort_keys=False
    ).partition("\n")[0]
