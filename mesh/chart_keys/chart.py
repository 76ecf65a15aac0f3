"""The keys of a chart's values, read from the chart itself: a directory or a .tgz."""

import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from mesh.chart_keys.keys import ROOT, ChartKeys

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_USED = re.compile(r"\.Values\.([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)")
_ASKED_FOR = re.compile(r'hasKey \$?\.Values((?:\.[A-Za-z0-9_]+)*) "([A-Za-z0-9_]+)"')
_DUG_FOR = re.compile(r'dig "([A-Za-z0-9_]+)" .*\.Values\.(?!AsMap)([A-Za-z0-9_.]+)')
_HANDED_ON = re.compile(
    r"(?:with|range|toYaml|toJson|merge|deepCopy|include \"mapToString\")(?: \$\w+(?:, \$\w+)* :=)?"
    r" \(?\$?\.Values\.([A-Za-z0-9_.]+)"
)
_UNREADABLE = (
    OSError,
    EOFError,  # an archive that was cut off
    zlib.error,
    tarfile.TarError,
    yaml.YAMLError,
    KeyError,
    UnicodeDecodeError,
)
_REFUSALS = "validate.yaml"
"""The template that names values only to refuse them."""


class ChartError(Exception):
    """Something is no chart; the text says what is wrong with it."""


@cache
def keys_of_chart(chart: Path) -> ChartKeys:
    """The keys of the chart at a path. Raises ChartError.

    A key is what values.yaml has and what a template asks for without values.yaml having it
    (clustermesh.disableKubernetesHostAliases). What a template hands on whole, or has nothing in
    it by default, may hold any key.
    """
    try:
        files = _archived(chart) if chart.is_file() else _unpacked(chart)
        version = str(_mapping(files["Chart.yaml"])["version"])
        values = _mapping(files["values.yaml"])
    except _UNREADABLE as error:
        raise ChartError(f"{type(error).__name__}: {error}") from error
    text = "\n".join(
        text
        for name, text in sorted(files.items())
        if name.startswith("templates/") and not name.endswith(_REFUSALS)
    )
    groups = _groups(values, frozenset(_HANDED_ON.findall(text)))
    _add(groups, _hidden(text))
    return ChartKeys(version, {name: frozenset(keys) for name, keys in groups.items()})


def _unpacked(chart: Path) -> dict[str, str]:
    files = (path for path in chart.rglob("*") if path.is_file() and _is_read(path.name))
    return {path.relative_to(chart).as_posix(): path.read_text("utf-8") for path in files}


def _archived(chart: Path) -> dict[str, str]:
    files = {}
    with tarfile.open(chart) as archive:
        for member in archive:
            inside = PurePosixPath(member.name).parts[1:]  # the first is the chart's own name
            content = archive.extractfile(member) if _is_read(member.name) else None
            if content:
                files["/".join(inside)] = content.read().decode("utf-8")
    return files


def _is_read(name: str) -> bool:
    return name.endswith((".yaml", ".tpl"))


def _mapping(text: str) -> dict[str, Any]:
    loaded = yaml.load(text, _LOADER)  # noqa: S506 - both loaders are safe ones
    if not isinstance(loaded, dict):
        raise yaml.YAMLError("is not a mapping")
    return loaded


def _groups(
    values: Mapping[str, Any], handed_on: frozenset[str], path: str = ROOT
) -> dict[str, set[str]]:
    groups = {path: {str(key) for key in values}}
    for key, value in values.items():
        inner = str(key) if path == ROOT else f"{path}.{key}"
        if isinstance(value, dict) and value and inner not in handed_on:
            groups |= _groups(value, handed_on, inner)
    return groups


def _hidden(text: str) -> Iterator[str]:
    yield from _USED.findall(text)
    for group, key in _ASKED_FOR.findall(text):
        yield f"{group}.{key}".removeprefix(".")
    for key, group in _DUG_FOR.findall(text):
        yield f"{group}.{key}"


def _add(groups: dict[str, set[str]], paths: Iterable[str]) -> None:
    """Add every path to the innermost group it runs through; a new group below stays open."""
    for path in paths:
        group = ROOT
        for key in path.split("."):
            groups[group].add(key)
            group = key if group == ROOT else f"{group}.{key}"
            if group not in groups:
                break
