"""One cluster of the mesh, from an empty folder to an endpoint its peers can use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_vsphere as vsphere
from pulumi import Input, Output, ResourceOptions

from components.acceptance import Acceptance, acceptance_args
from components.cilium import Cilium, CiliumArgs
from components.core_dns import CoreDns, CoreDnsArgs
from components.exposure import Exposure, ExposureArgs
from components.identity import Identity, IdentityArgs
from components.kubeadm_cluster import KubeadmCluster, KubeadmClusterArgs
from components.mesh_ca import MeshCa, MeshCaArgs
from components.metallb import MetalLB, MetalLBArgs
from components.readiness import ready_hook
from components.stretched_stateful_set import StretchedStatefulSet
from components.vsphere_inventory import look_up
from components.vsphere_nodes import Machine, VsphereNodes, VsphereNodesArgs
from components.workloads import WorkloadsArgs, stretched_workloads, workload_outputs
from mesh.endpoint import planned_endpoint
from mesh.nodes import Node, node_generation, nodes
from mesh.peer import Peer
from mesh.pki import ClusterSecrets, KeyPair, certificate_expiry
from mesh.readiness import Wait
from mesh.render.announcements import announcements
from mesh.render.api_server import api_server
from mesh.render.cilium_values import cilium_values
from mesh.render.cloud_init import GuestinfoTooLargeError, guestinfo, metadata, user_data
from mesh.render.corefile import corefile
from mesh.render.firewall import Rule, firewall
from mesh.render.metallb import address_pools, metallb_values
from mesh.render.source_ranges import source_ranges
from mesh.settings import Settings
from mesh.topology import Topology


@dataclass(frozen=True, kw_only=True)
class MeshClusterArgs:
    """Settings, peers, the mesh they are in, the CA to keep, generations, a password."""

    settings: Settings
    peers: Sequence[Peer]
    topology: Topology
    mesh_ca: KeyPair
    admin_generation: int
    workload_generations: Mapping[str, int]
    vcenter_password: Input[str]


class MeshCluster(pulumi.ComponentResource):
    """A Kubernetes cluster on vSphere, joined to its peers.

    Machines first; then the network; then addresses; then what the peers reach; then names.
    """

    def __init__(
        self, name: str, args: MeshClusterArgs, opts: ResourceOptions | None = None
    ) -> None:
        super().__init__("mesh:cluster:MeshCluster", name, {}, opts)
        self._name = name
        self._args = args
        self._settings = args.settings
        self.vcenter = self._vcenter()
        # Before anything that is kept: wrong names leave no keys and no folder behind.
        self._inventory = look_up(self._settings, self.vcenter)
        self.mesh_ca = self._mesh_ca()
        self.identity = self._identity()
        self.nodes = self._nodes()
        self.kubernetes = self._kubernetes()
        self.cilium = self._cilium()
        self.metallb = self._metallb()
        self.exposure = self._exposure()
        self.core_dns = self._core_dns()
        self.workloads = self._workloads()
        self.acceptance = self._acceptance() if self._settings.acceptance.enabled else None
        self.register_outputs({"endpoint": self.exposure.endpoint})

    @property
    def outputs(self) -> dict[str, Any]:
        """What the stack exports: for its peers, for its user, and for its own next run."""
        accepted = {"acceptance": self.acceptance.results} if self.acceptance else {}
        return {
            **accepted,
            "endpoint": self.exposure.endpoint,
            "kubeconfig": self.identity.kubeconfig,
            "meshCa": self.mesh_ca.key_pair,
            "peers": {
                peer.endpoint.cluster: {"status": peer.status, "next": peer.next_command}
                for peer in self._args.peers
            },
            "certificates": self._certificates(),
            "firewall": [rule.as_output() for rule in self._firewall()],
            **workload_outputs(self.workloads),
        }

    def _firewall(self) -> tuple[Rule, ...]:
        return firewall(self._args.topology, self._args.topology.own)

    def _certificates(self) -> dict[str, Any]:
        # When a certificate ends is no secret, and the next run compares it with its clock.
        return {
            "adminGeneration": self._args.admin_generation,
            "adminNotAfter": Output.unsecret(self.identity.admin.apply(_not_after)),
            "caNotAfter": Output.unsecret(self.mesh_ca.key_pair.apply(_not_after)),
        }

    def _mesh_ca(self) -> MeshCa:
        args = MeshCaArgs(proposed=self._args.mesh_ca, authority=self._settings.mesh.authority)
        return MeshCa(f"{self._name}-mesh-ca", args, self._child())

    def _identity(self) -> Identity:
        args = IdentityArgs(
            cluster=self._name,
            server=self._server,
            lifetimes=self._settings.lifetimes,
            admin_generation=self._args.admin_generation,
        )
        return Identity(f"{self._name}-identity", args, self._child())

    def _vcenter(self) -> vsphere.Provider:
        vcenter = self._settings.vsphere
        return vsphere.Provider(
            f"{self._name}-vcenter",
            vsphere_server=vcenter.server,
            user=vcenter.user,
            password=Output.secret(self._args.vcenter_password),
            allow_unverified_ssl=vcenter.allow_unverified_tls,
            opts=self._child(),
        )

    def _nodes(self) -> VsphereNodes:
        args = VsphereNodesArgs(
            inventory=self._inventory,
            folder=self._settings.vsphere.folder,
            machines=[self._machine(node) for node in nodes(self._settings)],
            protect_control_planes=self._settings.nodes.protect_control_planes,
        )
        opts = ResourceOptions(parent=self, providers=[self.vcenter])
        return VsphereNodes(f"{self._name}-nodes", args, opts)

    def _machine(self, node: Node) -> Machine:
        # The CA of the mesh is not in it; with a wrong one no machine is made, and none waited for.
        boot = Output.all(self.identity.secrets, self.mesh_ca.key_pair).apply(
            lambda known: _guestinfo(self._settings, node, known[0])
        )
        return Machine(node=node, guestinfo=boot, generation=node_generation(self._settings, node))

    def _kubernetes(self) -> KubeadmCluster:
        wait = Output.all(self.identity.secrets, self.identity.admin).apply(self._wait)
        ready = ready_hook(f"{self._name}-ready", wait, self.nodes.machines, self.vcenter)
        args = KubeadmClusterArgs(
            cluster=self._name,
            kubeconfig=self.identity.kubeconfig,
            ready=ready,
        )
        opts = ResourceOptions(parent=self, depends_on=[self.nodes])
        return KubeadmCluster(f"{self._name}-kubernetes", args, opts)

    def _cilium(self) -> Cilium:
        args = CiliumArgs(
            chart=self._settings.charts.cilium,
            version=self._settings.versions.cilium,
            values=cilium_values(self._settings, self._args.peers),
            certificate_authority=self.mesh_ca.key_pair,
            lifetime=self.kubernetes.lifetime,
        )
        return Cilium(f"{self._name}-cilium", args, self._inside())

    def _metallb(self) -> MetalLB:
        args = MetalLBArgs(
            chart=self._settings.charts.metallb,
            version=self._settings.versions.metallb,
            values=metallb_values(self._settings),
            address_pools=address_pools(self._settings),
            announcements=announcements(self._settings),
            lifetime=self.kubernetes.lifetime,
        )
        # Its pods need the pod network.
        return MetalLB(f"{self._name}-metallb", args, self._inside(self.cilium))

    def _exposure(self) -> Exposure:
        dns = self._settings.dns
        args = ExposureArgs(
            endpoint=planned_endpoint(self._settings),
            source_ranges=source_ranges(self._settings, self._args.peers),
            dns_node_port=dns.node_port if dns.exposure == "nodePort" else None,
            lifetime=self.kubernetes.lifetime,
        )
        # A Service is ready when MetalLB gave it its address and Cilium runs what is behind it.
        return Exposure(f"{self._name}-exposure", args, self._inside(self.cilium, self.metallb))

    def _core_dns(self) -> CoreDns:
        args = CoreDnsArgs(
            corefile=corefile(self._settings, self._args.peers),
            lifetime=self.kubernetes.lifetime,
        )
        return CoreDns(f"{self._name}-core-dns", args, self._inside(self.cilium))

    def _acceptance(self) -> Acceptance:
        args = acceptance_args(self._settings, self._args.peers, self.kubernetes.lifetime)
        opts = self._inside(self.cilium, self.exposure, self.core_dns)
        return Acceptance(f"{self._name}-acceptance", args, opts)

    def _workloads(self) -> dict[str, StretchedStatefulSet]:
        args = WorkloadsArgs(
            topology=self._args.topology,
            mesh_ca=self.mesh_ca.key_pair,
            generations=self._args.workload_generations,
            lifetime=self.kubernetes.lifetime,
        )
        opts = self._inside(self.cilium, self.core_dns)
        return stretched_workloads(self._name, pulumi.get_stack(), args, opts)

    def _child(self) -> ResourceOptions:
        return ResourceOptions(parent=self)

    def _inside(self, *after: pulumi.Resource) -> ResourceOptions:
        access = self.kubernetes.provider
        return ResourceOptions(parent=self, providers=[access], depends_on=[*after])

    @property
    def _server(self) -> str:
        return f"https://{api_server(self._settings)}"

    def _wait(self, made: list[dict[str, Any]]) -> Wait:
        secrets, admin = made
        return Wait(
            server=self._server,
            ca=ClusterSecrets.from_mapping(secrets).cluster_ca.certificate,
            admin=KeyPair.from_mapping(admin),
            nodes=nodes(self._settings),
            bound=self._settings.nodes.ready_timeout_minutes * 60.0,
        )


def _guestinfo(settings: Settings, node: Node, secrets: Mapping[str, Any]) -> dict[str, str]:
    text = user_data(settings, node, ClusterSecrets.from_mapping(secrets))
    try:
        return guestinfo(text, metadata(settings, node))
    except GuestinfoTooLargeError as error:
        raise pulumi.RunError(str(error)) from error


def _not_after(key_pair: Mapping[str, str]) -> str:
    return certificate_expiry(key_pair["certificate"]).isoformat()
