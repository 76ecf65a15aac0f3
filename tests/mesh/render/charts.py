"""The real charts, rendered by Helm's own engine without a cluster."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import helm_python as helm
import pytest
import yaml

from mesh.settings import VersionsSettings

CILIUM = "github.com/cilium/cilium@v{version}/install/kubernetes/cilium"
METALLB = "go.universe.tf/metallb@v{version}/charts/metallb"

Manifest = dict[str, Any]


def cilium_chart() -> helm.Chart:
    return _load(_found("CILIUM_CHART", CILIUM.format(version=VersionsSettings().cilium)))


def metallb_chart() -> helm.Chart:
    return _load(_found("METALLB_CHART", METALLB.format(version=VersionsSettings().metallb)))


def rendered(chart: helm.Chart, values: Mapping[str, Any], namespace: str) -> list[Manifest]:
    """Everything the chart makes of the values, its schema and its own checks passed."""
    files = chart.render(dict(values), name=chart.name, namespace=namespace)
    texts = [files[name] for name in sorted(files) if name.endswith(".yaml")]
    documents = (document for text in texts for document in yaml.safe_load_all(text))
    return [document for document in documents if document]


def one(manifests: list[Manifest], kind: str, name: str) -> Manifest:
    found = [it for it in manifests if it["kind"] == kind and it["metadata"]["name"] == name]
    assert len(found) == 1, f"{len(found)} times {kind} {name}"
    return found[0]


def names(manifests: list[Manifest], kind: str) -> set[str]:
    return {it["metadata"]["name"] for it in manifests if it["kind"] == kind}


def pod_templates(manifests: list[Manifest]) -> dict[str, Manifest]:
    return {
        f"{it['kind']}/{it['metadata']['name']}": it["spec"]["template"]
        for it in manifests
        if it["kind"] in ("DaemonSet", "Deployment", "StatefulSet", "Job")
    }


def images(manifests: list[Manifest]) -> set[str]:
    return set(_values_of("image", manifests))


def places(values: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """The dotted place of every value that is not a mapping."""
    for key, value in values.items():
        place = f"{above}{key}"
        if isinstance(value, dict) and value:
            yield from places(value, f"{place}.")
        else:
            yield place


def knows(chart: helm.Chart, place: str) -> bool:
    """Whether the chart's values.yaml has this key: charts ignore unknown ones silently."""
    value: Any = chart.values
    for key in place.split("."):
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True


def _values_of(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get(key), str):
            yield value[key]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _values_of(key, item)


@cache
def _load(path: Path) -> helm.Chart:
    return helm.Chart.load(path)


def _found(variable: str, module: str) -> Path:
    if given := os.environ.get(variable):
        return Path(given)
    path = _module_cache() / module
    if not path.is_dir():
        name, _, version = module.partition("@")
        download = f"go mod download {name}@{version.partition('/')[0]}"
        pytest.skip(f"no chart: set {variable}, or run `{download}`")
    return path


@cache
def _module_cache() -> Path:
    if shutil.which("go") is None:
        return Path("/nonexistent")
    command = ["go", "env", "GOMODCACHE"]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
