"""Single mistakes in a mesh that is right otherwise, by what is wrong."""

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.mesh.settings.written import Config
from tests.mesh.topology.written import put


class Fault(NamedTuple):
    """What to write into one of two clusters, made from both, and the key that is to be named."""

    path: str
    value: Callable[[Config, Config], Any]
    key: str
    """The key in either file."""
    alone: bool = False
    """Whether the mistake is one cluster's alone."""
    shared: bool = False
    """Whether it meets what both clusters may have in common, so that one is named alone."""

    def common(self) -> "Fault":
        """The same mistake, of what may be in common."""
        return self._replace(shared=True)


def _at(config: Config, path: str) -> Any:
    for part in path.split("."):
        config = config[part]
    return config


def _copied(path: str, key: str | None = None) -> Fault:
    return Fault(path, lambda _, other: _at(other, path), key or path)


def _taken(path: str, taken: Callable[[Config], Any], key: str | None = None) -> Fault:
    return Fault(path, lambda _, other: taken(other), key or path)


def _own(path: str, value: Any, key: str | None = None) -> Fault:
    return Fault(path, lambda *_: value, key or path, alone=True)


def _etcd(config: Config) -> str:
    return str(config["loadBalancer"]["etcdAddress"])


def _pods(config: Config) -> str:
    return str(config["network"]["podCidr"])


def _widened(cidr: str, prefix: int) -> str:
    return f"{cidr.split('.')[0]}.0.0.0/{prefix}"


POD, SERVICE, NODE = "network.podCidr", "network.serviceCidr", "network.nodeCidr"
ETCD, DNS, POOL = (f"loadBalancer.{key}" for key in ("etcdAddress", "dnsAddress", "addresses"))
EXTRA = "cilium.extraValues"

FAULTS = {
    "one name": _copied("cluster.name"),
    "one id": _copied("cluster.id"),
    "one zone": _copied("cluster.zone"),
    "a zone in a zone": _taken("cluster.zone", lambda other: f"in.{other['cluster']['zone']}"),
    "a zone around a zone": Fault("cluster.zone", lambda *_: "mesh.example", "cluster.zone"),
    "a search domain that is a zone": _taken(
        "network.searchDomains",
        lambda other: ["a.example", other["cluster"]["zone"]],
        "cluster.zone",
    ),
    "one folder": _copied("vsphere.folder"),
    "a folder in a folder": _taken(
        "vsphere.folder", lambda other: f"{other['vsphere']['folder']}/in"
    ),
    "one pod range": _copied(POD),
    "a pod range in another": _taken(POD, lambda other: _pods(other).replace("/16", "/18")),
    "a pod range around others": _taken(POD, lambda other: _widened(_pods(other), 8)),
    "pods over services": _taken(POD, lambda other: other["network"]["serviceCidr"]).common(),
    "pods over nodes": _taken(
        POD, lambda other: _widened(other["network"]["nodeCidr"], 8)
    ).common(),
    "services over pods": _taken(SERVICE, _pods, POD),
    "services over nodes": _taken(SERVICE, lambda other: other["network"]["nodeCidr"]).common(),
    "a name server among the pods": _taken(
        "network.nameServers", lambda other: [_pods(other).replace(".0.0/16", ".0.53")], POD
    ),
    "a node network around another's": Fault(
        NODE, lambda one, _: _widened(one["network"]["nodeCidr"], 15), NODE, shared=True
    ),
    "one etcd address": _copied(ETCD),
    "one DNS address": _copied(DNS),
    "DNS at another's etcd": _taken(DNS, _etcd),
    "a node at another's etcd": _taken(
        "nodes.worker.addresses", lambda other: [_etcd(other)], "nodes.worker.addresses[0]"
    ),
    "etcd at another's control plane": _taken(
        ETCD, lambda other: other["nodes"]["controlPlane"]["addresses"][0]
    ),
    "etcd in another's range": _taken(ETCD, lambda other: _etcd(other).removesuffix("100") + "135"),
    "a range around another's etcd": _taken(
        POOL, lambda other: [f"{_etcd(other)}-{_etcd(other)}"], f"{POOL}[0]"
    ),
    "a range across another's": _taken(
        POOL,
        lambda other: ["{0}.120-{0}.130".format(_etcd(other).removesuffix(".100"))],
        f"{POOL}[0]",
    ),
    "a name server at another's DNS": _taken(
        "network.nameServers", lambda other: [other["loadBalancer"]["dnsAddress"]], DNS
    ),
    "pods over services of one's own": Fault(
        POD, lambda one, _: one["network"]["serviceCidr"], POD, alone=True
    ),
    "pods over nodes of one's own": Fault(
        POD, lambda one, _: one["network"]["nodeCidr"], POD, alone=True
    ),
    "an unknown peer": _own("peers", ["nobody"]),
    "itself as a peer": Fault(
        "peers", lambda one, _: [one["cluster"]["name"]], "peers", alone=True
    ),
    "an unknown authority": _own("mesh.authority", "nobody"),
    "an unknown Kubernetes": _own("versions.kubernetes", "1.31.0"),
    "a Kubernetes with an old CoreDNS": _own("versions.kubernetes", "1.33.0"),
    "an unknown Cilium": _own("versions.cilium", "1.18.0"),
    "an unknown MetalLB": _own("versions.metallb", "0.13.0"),
    "a misspelt value of the chart": _own(EXTRA, {"hubbel": {}}, f"{EXTRA}.hubbel"),
    "a Corefile of two masters": _own(
        EXTRA,
        {"clustermesh": {"mcsapi": {"corednsAutoConfigure": {"enabled": True}}}},
        f"{EXTRA}.clustermesh.mcsapi.corednsAutoConfigure.enabled",
    ),
    "a removed value of the chart": _own(EXTRA, {"customCalls": {}}, f"{EXTRA}.customCalls"),
}


def break_one(fault: Fault, one: Config, other: Config) -> None:
    """Write the mistake into the first config."""
    put(one, fault.path, fault.value(one, other))
