"""docs/reference.md out of the settings themselves: `python -m tests.docs.settings_reference`."""

import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeGuard, Union, get_args, get_origin

import yaml
from pydantic.fields import FieldInfo

from mesh.settings import Settings
from mesh.settings.base import Model, dns_zone, image, without_scheme
from mesh.settings.bgp import community
from mesh.settings.cluster import cluster_name
from mesh.settings.load_balancer import AddressRange
from mesh.settings.nodes import public_key
from mesh.settings.versions import version
from mesh.settings.vsphere import folder, server
from mesh.settings.workload_texts import (
    known_placeholders,
    label,
    own_namespace,
    path,
    port_name,
    url_path,
)

REFERENCE = Path(__file__).parents[2] / "docs" / "reference.md"
REQUIRED = object()
WORDS = {
    "IPv4Address": "address",
    "IPv4Network": "range",
    AddressRange.__name__: "addresses",
    "str": "text",
    "int": "number",
    "bool": "true or false",
    "dict": "a group",
}
NAMED: dict[object, str] = {
    community: "community",
    cluster_name: "cluster name",
    dns_zone: "DNS zone",
    folder: "path",
    image: "image",
    known_placeholders: "text with placeholders",
    label: "name",
    own_namespace: "namespace",
    path: "absolute path",
    port_name: "name",
    public_key: "public key",
    server: "host",
    url_path: "path of a URL",
    without_scheme: "registry",
    version: "version",
}
"""Texts of a certain form, by what reads them."""
HEAD = """\
# Settings

<!-- Made by `python -m tests.docs.settings_reference`; a test compares it with the code. -->

Each group is one key of the project's namespace. `Pulumi.yaml` has what all clusters share, with
the word `value` between a group and its fields; a stack file has the facts of one cluster
(`vsphere-cluster-mesh:network:`). `mesh` and `workloads` stand in `Pulumi.yaml` only. `versions`,
`charts`, `images`, `lifetimes` and `acceptance` may stand in a stack file too and then replace the
whole group.
`vcenterPassword` is a secret of each stack, and no group.

A field without a default must be written. Where a number has a unit, its name ends in it; from and
to are both allowed. An editor shows the same by [the schema](how-to/check-settings.md).
"""


@dataclass(frozen=True)
class Row:
    """One line of a table; `default` is REQUIRED when there is none."""

    key: str
    field: FieldInfo
    default: object


def reference() -> str:
    """The whole page."""
    return "\n".join([HEAD, *map(_group, Settings.model_fields.values())])


def _group(field: FieldInfo) -> str:
    name, group = str(field.alias), field.annotation
    if inner := _group_by_name(field):
        rows = _rows(inner, REQUIRED, "<name>.")
        return f"## {name}\n\n{field.description}\n\n{_table(rows)}"
    if not _is_group(group):
        return f"## {name}\n\n{_table([Row(name, field, _default(field))])}"
    return f"## {name}\n\n{field.description}\n\n{_table(_rows(group, _default(field)))}"


def _rows(group: type[Model], default: object, prefix: str = "") -> Iterator[Row]:
    for name, field in group.model_fields.items():
        # The default of a group as a whole, where it has one, is what its fields default to.
        own = _default(field) if default is REQUIRED else getattr(default, name)
        if _is_group(field.annotation):
            yield from _rows(field.annotation, own, f"{prefix}{field.alias}.")
            continue
        yield Row(f"{prefix}{field.alias}", field, own)
        if inner := _group_in(field.annotation):
            many = "[]" if get_origin(field.annotation) is tuple else ""
            many = ".<name>" if _group_by_name(field) else many
            yield from _rows(inner, REQUIRED, f"{prefix}{field.alias}{many}.")


def _table(rows: Iterable[Row]) -> str:
    lines = ["| field | value | default | what it is |", "|---|---|---|---|"]
    for row in rows:
        kind, about = _value(row.field), " ".join((row.field.description or "").split())
        lines.append(f"| `{row.key}` | {kind} | {_written(row.default)} | {about} |")
    return "\n".join(lines) + "\n"


def _value(field: FieldInfo) -> str:
    """What may be written: a kind and, where there are any, its bounds."""
    named = (NAMED.get(getattr(part, "func", None)) for part in field.metadata)
    kind = next((name for name in named if name), _kind(field.annotation))
    schema = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    if schema.get("maxItems") == 1:
        return f"{kind}, exactly one"
    bounds = {type(part).__name__: part for part in field.metadata}
    least, most = (getattr(bounds.get(name), name.lower(), None) for name in ("Ge", "Le"))
    if "MinLen" in bounds:
        return f"{kind}, one or more"
    if most is not None:
        return f"{kind}, {least} to {most}"
    return kind if least is None else f"{kind}, {least} or more"


def _kind(annotation: object) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " or ".join(str(choice) for choice in inner)
    if origin is tuple:
        return f"list: {_kind(inner[0])}"
    if origin in (Union, types.UnionType):
        return " or ".join(_kind(choice) for choice in inner if choice is not types.NoneType)
    if hasattr(annotation, "__metadata__"):
        named = (NAMED.get(getattr(part, "func", None)) for part in inner[1:])
        return next((name for name in named if name), _kind(inner[0]))
    if _is_group(annotation):
        return "a group"
    return WORDS[getattr(origin or annotation, "__name__", "")]


def _default(field: FieldInfo) -> object:
    if field.is_required():
        return REQUIRED
    return field.get_default(call_default_factory=True, validated_data={})


def _written(default: object) -> str:
    if default is REQUIRED:
        return ""
    if default is None:
        return "none"
    plain = list(default) if isinstance(default, tuple) else default
    return f"`{yaml.safe_dump(plain, default_flow_style=True, width=1000).splitlines()[0]}`"


def _group_in(annotation: object) -> type[Model] | None:
    """The group that a field may be, or is a list of."""
    inner = [choice for choice in get_args(annotation) if _is_group(choice)]
    return inner[0] if inner else None


def _group_by_name(field: FieldInfo) -> type[Model] | None:
    """The group of which a field has several, each by a name."""
    return _group_in(field.annotation) if get_origin(field.annotation) is dict else None


def _is_group(annotation: object) -> TypeGuard[type[Model]]:
    return isinstance(annotation, type) and issubclass(annotation, Model)


if __name__ == "__main__":
    REFERENCE.write_text(reference(), encoding="utf-8")
