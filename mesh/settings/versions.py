"""Which releases a cluster runs, and where their charts and images come from."""

import re
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from mesh.settings.base import Model, Registry, Text, matching, refused

_VERSION = re.compile(r"\d+\.\d+\.\d+(-[0-9a-z.]+)?")
_RELEASES = {"kubernetes": "1.36.3", "cilium": "1.20.2", "metallb": "0.16.1"}


def version(value: object, info: ValidationInfo) -> object:
    """A version of three numbers without a leading v; to YAML, one of two is a number."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number or (isinstance(value, str) and not _VERSION.fullmatch(value)):
        bare = str(value).removeprefix("v")
        like = f"a full version like {_RELEASES[info.field_name or '']}"
        instead = f"{bare}, without a v" if _VERSION.fullmatch(bare) else like
        raise refused("is not a full version", f"write {instead}")
    return value


Version = Annotated[str, BeforeValidator(version), matching(_VERSION.pattern)]


class VersionsSettings(Model):
    """The releases of one cluster."""

    kubernetes: Version = _RELEASES["kubernetes"]
    """Kubernetes in `vsphere.template`; another one replaces the nodes."""
    cilium: Version = _RELEASES["cilium"]
    """Cilium and its chart."""
    metallb: Version = _RELEASES["metallb"]
    """MetalLB and its chart."""


class ChartSettings(Model):
    """One Helm chart: a name in a repository, an `oci://` reference, or a path."""

    chart: Text = Field(examples=["cilium"])
    """Name in `repository`, or `oci://…`, or a path that begins with `.` or `/`."""
    repository: Text | None = Field(default=None, examples=["https://helm.cilium.io"])
    """URL of the chart repository; none with `oci://…` or a path."""

    @model_validator(mode="after")
    def chart_and_repository_fit(self) -> Self:
        """A chart is found in exactly one way."""
        alone = self.is_path or self.chart.startswith("oci://")
        if alone and self.repository is not None:
            raise refused(
                f"names the chart {self.chart} and a repository",
                "remove repository, or write the chart's bare name",
            )
        if not alone and self.repository is None:
            raise refused(
                f"names the chart {self.chart} and no repository",
                "add repository, or write oci://… or a path that begins with . or /",
            )
        return self

    @property
    def is_path(self) -> bool:
        """Whether the chart lies on this machine."""
        return self.chart.startswith((".", "/"))


class ChartsSettings(Model):
    """Where the charts come from."""

    cilium: ChartSettings = ChartSettings(chart="cilium", repository="https://helm.cilium.io")
    """Chart of Cilium."""
    metallb: ChartSettings = ChartSettings(
        chart="metallb", repository="https://metallb.github.io/metallb"
    )
    """Chart of MetalLB."""


class ImagesSettings(Model):
    """Where container images come from."""

    registry: Registry | None = Field(default=None, examples=["registry.example.com/mirror"])
    """Registry that mirrors all images, such as registry.example.com/mirror."""
    digests: bool = True
    """Ask for images by digest too; false for a mirror that does not keep digests."""
