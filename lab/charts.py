"""The Helm charts, as they lie in the Go modules the programs are built from."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import yaml

from lab.paths import cache
from lab.programs import CILIUM, METALLB, MODULES

_CILIUM = ("cilium", "github.com/cilium/cilium", CILIUM, "install/kubernetes/cilium")
_METALLB = ("metallb", "go.universe.tf/metallb", METALLB, "charts/metallb")


def cilium_chart() -> Path:
    """Return the directory of the Cilium chart."""
    return _chart(*_CILIUM)


def metallb_chart() -> Path:
    """Return the directory of the MetalLB chart."""
    return _chart(*_METALLB)


def values(chart: Path) -> dict[str, Any]:
    """Return a chart's default values."""
    loaded: dict[str, Any] = yaml.safe_load((chart / "values.yaml").read_text())
    return loaded


def module_directory(program_module: str, module: str) -> Path:
    """Return where Go keeps the sources of a module that one of our go.mod files requires."""
    command = ["go", "mod", "download", "-json", module]
    answer = subprocess.run(
        command, cwd=MODULES / program_module, capture_output=True, text=True, check=True
    )
    return Path(json.loads(answer.stdout)["Dir"])


def _chart(name: str, module: str, version: str, folder: str) -> Path:
    # Copied, because a cleaned module cache must not break a stack that names the chart's path.
    target = cache() / "charts" / f"{name}-{version.removeprefix('v')}"
    if not target.is_dir():
        fresh = target.with_name(f".{target.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(module_directory(name, module) / folder, fresh)
        fresh.rename(target)
    return target
