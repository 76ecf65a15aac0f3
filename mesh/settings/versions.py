"""Which releases a cluster runs, and where their charts and images come from."""

from typing import Self

from pydantic import Field, model_validator

from mesh.settings.base import Model, Registry, Text, Version, refused


class VersionsSettings(Model):
    """The releases of one cluster."""

    kubernetes: Version = "1.36.3"
    """Kubernetes in `vsphere.template`; another one replaces the nodes."""
    cilium: Version = "1.20.2"
    """Cilium and its chart."""
    metallb: Version = "0.16.1"
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
