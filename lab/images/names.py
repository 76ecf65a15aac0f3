"""The references under which kubeadm and the charts ask for their images."""

import subprocess
from pathlib import Path
from typing import Any

import yaml

from lab.charts import cilium_chart, metallb_chart, values
from lab.programs import KUBERNETES, program


def kubeadm_images(kubeadm: Path | None = None) -> dict[str, str]:
    """Return kubeadm's own list: the last part of each image's name, and its reference."""
    command = [
        str(kubeadm or program("kubeadm").path),
        *("config", "images", "list", "--kubernetes-version", KUBERNETES),
    ]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return {reference.rpartition("/")[2].partition(":")[0]: reference for reference in listed}


def cilium_images(chart: Path | None = None) -> dict[str, str]:
    """Return the references of the Cilium chart's images that the lab packs, without digests."""
    defaults = values(chart or cilium_chart())
    operator = defaults["operator"]["image"]
    return {
        "cilium": _reference(defaults["image"]),
        # The chart puts the kind of cloud behind the operator's name; "generic" is no cloud.
        "operator": f"{operator['repository']}-generic:{operator['tag']}",
        "clustermesh-apiserver": _reference(defaults["clustermesh"]["apiserver"]["image"]),
        "certgen": _reference(defaults["certgen"]["image"]),
    }


def metallb_images(chart: Path | None = None) -> dict[str, str]:
    """Return the references of MetalLB's controller and speaker."""
    chart = chart or metallb_chart()
    defaults = values(chart)
    # An empty tag means the chart's own application version.
    version = yaml.safe_load((chart / "Chart.yaml").read_text())["appVersion"]
    return {
        name: f"{defaults[name]['image']['repository']}:{defaults[name]['image']['tag'] or version}"
        for name in ("controller", "speaker")
    }


def _reference(image: dict[str, Any]) -> str:
    return f"{image['repository']}:{image['tag']}"
