"""How this program installs a Helm chart."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pulumi import Input, ResourceOptions
from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs

from mesh.settings import ChartSettings


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart's source and version, and the release to make of it; the timeout is in seconds."""

    source: ChartSettings
    version: str
    release: str
    namespace: Input[str]
    values: Input[Mapping[str, Any]]
    timeout: int


def install(resource_name: str, chart: Chart, opts: ResourceOptions) -> Release:
    """Return the Helm release of a chart: waited for, and removed again when it fails.

    A Release and not a Chart: one resource, visible to `helm` and `cilium`, and its preview
    works before the cluster exists.
    """
    return Release(
        resource_name,
        name=chart.release,
        namespace=chart.namespace,
        chart=chart.source.chart,
        version=chart.version,
        repository_opts=RepositoryOptsArgs(repo=chart.source.repository),
        values=chart.values,
        # Without it a failed first install is stuck: "has no deployed releases".
        atomic=True,
        timeout=chart.timeout,
        opts=opts,
    )
