"""Every key a user may write, by its dotted path."""

import re
from collections.abc import Iterator
from functools import cache
from typing import get_args, get_origin

from pydantic.fields import FieldInfo

from mesh.settings.base import Model
from mesh.settings.settings import Settings


@cache
def setting_keys() -> dict[str, FieldInfo]:
    """Each key from the top of the settings down, without the places in lists."""
    return dict(_below(Settings, ""))


def is_setting(path: str) -> bool:
    """Whether there is a setting at `path`, as `nodes.worker.addresses[1]`."""
    keys, path = setting_keys(), re.sub(r"\[\d+\]", "", path)
    if path in keys:
        return True
    groups = (path[: match.start()] for match in re.finditer(r"\.", path))
    return any(get_origin(keys[group].annotation) is dict for group in groups if group in keys)


def group_in(annotation: object) -> type[Model] | None:
    """The group that a field is, may be, or is a list of."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    return next(filter(None, map(group_in, get_args(annotation))), None)


def is_by_name(field: FieldInfo) -> bool:
    """Whether a field holds groups, each by a name of the user's."""
    return get_origin(field.annotation) is dict and group_in(field.annotation) is not None


def dotted(place: tuple[int | str, ...]) -> str:
    """Where a value stands in a file, as `nodes.worker.addresses[1]`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return "".join(parts).removeprefix(".")


def squeezed(key: str) -> str:
    """A key without what people vary in spelling: case, blanks, dashes and underscores."""
    return re.sub(r"[-_ ]", "", key).lower()


def places(name: str) -> tuple[str, ...]:
    """Where a key of that name stands, in any spelling; in named groups if nowhere else."""
    wanted = squeezed(name)
    found = [key for key in setting_keys() if squeezed(key.rpartition(".")[2]) == wanted]
    return tuple([key for key in found if "<name>" not in key] or found)


def _below(group: type[Model], prefix: str) -> Iterator[tuple[str, FieldInfo]]:
    for field in group.model_fields.values():
        key = f"{prefix}{field.alias}"
        yield key, field
        if inner := group_in(field.annotation):
            yield from _below(inner, f"{key}.<name>." if is_by_name(field) else f"{key}.")
