"""The program of this project on the mock engine, made strict: it knows our types only."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from cli.preview import program
from cli.preview.mocks import Exports, World, is_secret, unwrap, vcenter
from cli.preview.program import Run

__all__ = ["Run", "is_secret", "unwrap"]

PROJECT = Path(__file__).parent.parent
NAME = "vsphere-cluster-mesh"
PASSWORD = "correct horse"
KNOWN_TYPES = {
    "kubernetes:apps/v1:DeploymentPatch",
    "kubernetes:apps/v1:StatefulSet",
    "kubernetes:batch/v1:Job",
    "kubernetes:core/v1:ConfigMap",
    "kubernetes:core/v1:ConfigMapPatch",
    "kubernetes:core/v1:Namespace",
    "kubernetes:core/v1:Secret",
    "kubernetes:core/v1:Service",
    "kubernetes:core/v1:ServiceAccount",
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:metallb.io/v1beta1:BGPAdvertisement",
    "kubernetes:metallb.io/v1beta1:IPAddressPool",
    "kubernetes:metallb.io/v1beta1:L2Advertisement",
    "kubernetes:metallb.io/v1beta2:BGPPeer",
    "kubernetes:policy/v1:PodDisruptionBudget",
    "kubernetes:rbac.authorization.k8s.io/v1:Role",
    "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding",
    "pulumi:index:Stash",
    "pulumi:providers:kubernetes",
    "pulumi:providers:vsphere",
    "vsphere:index/computeClusterVmAntiAffinityRule:ComputeClusterVmAntiAffinityRule",
    "vsphere:index/folder:Folder",
    "vsphere:index/virtualMachine:VirtualMachine",
}
ANSWERS = vcenter(template_disk_gib=20)
TEMPLATE = ANSWERS["vsphere:index/getVirtualMachine:getVirtualMachine"]


def config_of(stack: str, project: Path = PROJECT) -> dict[str, str]:
    """The configuration the engine would hand to the program for a stack of `project`."""
    return program.config_of(project, stack, PASSWORD)


def run_program(
    stack: str,
    *,
    preview: bool = False,
    exports: Exports | None = None,
    config: Mapping[str, str] | None = None,
    kept: Mapping[str, Any] | None = None,
    refused: AbstractSet[str] = frozenset(),
    project: Path = PROJECT,
    chosen: str = "192.0.2.1",
) -> Run:
    """Run the whole `__main__.py` for a stack, with what the stacks exported before."""
    world = World(
        answers=ANSWERS,
        exports=exports or {},
        kept=kept or {},
        refused=refused,
        known_types=KNOWN_TYPES,
        chosen=chosen,
    )
    config = config or config_of(stack, project)
    return program.run_program(project, stack, config, world, preview=preview)
