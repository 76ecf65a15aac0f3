"""What the lab must change in the stack files on this machine, and why."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from lab import cgroups, kernel
from lab.charts import cilium_chart, metallb_chart
from lab.failure import LabError
from lab.images.contents import TOOLBOX
from lab.project import Overrides


@dataclass(frozen=True)
class Change:
    """One changed setting: in Pulumi.yaml or in every stack file, and the reason."""

    key: str
    value: object
    reason: str
    shared: bool


def changes() -> list[Change]:
    """Return every setting that this machine makes the lab change."""
    return [*_always(), *_by_machine()]


def overrides(changed: list[Change]) -> Overrides:
    """Return the changes as the working copy takes them, with LAB_WORKERS from the environment."""
    return Overrides(
        project={change.key: change.value for change in changed if change.shared},
        stack={change.key: change.value for change in changed if not change.shared},
        workers=workers(),
    )


def workers() -> int | None:
    """Return LAB_WORKERS of the environment; None when it isn't set. Raises LabError."""
    wanted = os.environ.get("LAB_WORKERS")
    if not wanted:
        return None
    if not wanted.isdecimal():
        raise LabError(f"LAB_WORKERS={wanted} is no number of workers: write 1, or unset it")
    return int(wanted)


def _always() -> Iterator[Change]:
    local = "no chart repository is reached from the lab"
    for name, chart in (("cilium", cilium_chart()), ("metallb", metallb_chart())):
        yield Change(f"charts.{name}", {"chart": str(chart)}, local, shared=True)
    packed = "images are packed by the lab, with digests of their own"
    yield Change("images.digests", value=False, reason=packed, shared=True)
    simulated = "the simulated vCenter signs its certificate itself"
    yield Change("vsphere.allowUnverifiedTls", value=True, reason=simulated, shared=False)
    python = "no registry is reached from the lab, and this one has Python too"
    yield Change("acceptance.image", TOOLBOX, python, shared=False)
    envoy = "no registry reached here has the Envoy proxy"
    yield Change("cilium.extraValues.envoy.enabled", value=False, reason=envoy, shared=False)
    yield Change("cilium.extraValues.l7Proxy", value=False, reason=envoy, shared=False)


def _by_machine() -> Iterator[Change]:
    if not kernel.makes_links_of("geneve"):
        reason = "this kernel has no GENEVE"
        yield Change("mesh.tunnelProtocol", "vxlan", reason, shared=True)
        yield Change("mesh.tunnelPort", 8223, reason, shared=True)
    if not cgroups.is_version_2():
        reason = "kubeadm refuses this machine's cgroup v1"
        yield Change("nodes.ignorePreflightErrors", ["SystemVerification"], reason, shared=False)
    if not kernel.may_raise_limits():
        reason = "root lacks CAP_SYS_RESOURCE here"
        key = "cilium.extraValues.securityContext.privileged"
        yield Change(key, value=True, reason=reason, shared=False)
