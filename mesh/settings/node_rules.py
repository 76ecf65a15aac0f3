"""The rules about what kubeadm asks of a node."""

from collections.abc import Iterator

from mesh.settings.nodes import NodesSettings
from mesh.settings.problems import Broken


def kubeadm_takes_the_control_plane(nodes: NodesSettings) -> Iterator[Broken]:
    """The control plane is as large as kubeadm wants it, or kubeadm's check is only to warn.

    Source: kubeadm's preflight checks NumCPU (2) and Mem (1700 MB).
    """
    only_warn = {check.lower() for check in nodes.ignore_preflight_errors}
    size = nodes.control_plane
    for key, value, check in (
        ("cpus", size.cpus, "NumCPU"),
        ("memoryGib", size.memory_gib, "Mem"),
    ):
        if value < 2 and not only_warn & {check.lower(), "all"}:
            reason = f"is too small for kubeadm, whose check {check} fails"
            instead = f"write 2 or more, or add {check} to nodes.ignorePreflightErrors"
            yield Broken(f"nodes.controlPlane.{key}", value, reason, instead)
