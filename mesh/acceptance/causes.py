"""What a check's outcome comes from most likely, and what to do: the table behind every `fail`.

In the texts, {here} is the cluster that asked and {to} the one it asked, {zone} and {dns} are its
zone and the addresses its DNS has, and {tunnel} is what must pass between all nodes.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Cause(NamedTuple):
    """Why, and what to do."""

    why: str
    remedy: str


_COREFILE_HERE = (
    "bring {here} up with --refresh, which writes the Corefile anew, and look at what else "
    "answers pods: kubectl --context {here} -n kube-system get configmap coredns node-local-dns"
)
_COREFILE_THERE = "bring {to} up with --refresh, which writes its Corefile anew"
_ANNOUNCED = (
    "see whether {to} has the address (kubectl --context {to} -n kube-system get service mesh-dns) "
    "and a MetalLB speaker announces it (kubectl --context {to} -n kube-system describe service "
    "mesh-dns); then whether port 53 is open from the nodes of {here} (mesh firewall)"
)
_TUNNEL = (
    "let {tunnel} pass between all nodes of {here} and {to}, both ways (mesh firewall has the "
    "rows), and see whether the nodes know each other: cilium-dbg node list in a cilium pod"
)
_MTU = (
    "set mesh.tunnelProtocol: geneve, or mesh.tunnelPort: 8223 with vxlan (VMXNET3 breaks VXLAN on "
    "8472), or mesh.mtu to what the way between the sites carries; last, switch "
    "tx-udp_tnl-segmentation and tx-udp_tnl-csum-segmentation off (ethtool -K) on the nodes"
)
_BIG_LOST = Cause(
    "packets of full size are lost on the way: the path carries less than the nodes believe, or "
    "the network card's offload breaks the tunnel",
    _MTU,
)
_TUNNEL_CLOSED = Cause(
    "the name resolves and no packet comes back: the tunnel between the nodes is blocked", _TUNNEL
)
_NO_LISTENER = Cause(
    "the pod's address is right, and nothing listens there: the target is being replaced, or a "
    "NetworkPolicy of {to} refuses",
    "look at it: kubectl --context {to} get pods,networkpolicies -A | grep -E 'mesh-|policy'",
)

CAUSES: Mapping[str, Cause] = {
    # Names.
    "own DNS away": Cause(
        "the DNS of {here} doesn't answer its own pods, not even for its own names",
        "see whether CoreDNS runs: kubectl --context {here} -n kube-system get pods -l "
        "k8s-app=kube-dns; by TCP alone, whether the Service kube-dns has port 53/TCP",
    ),
    "own zone unknown": Cause(
        "the Corefile of {here} doesn't rewrite its own zone, {zone}", _COREFILE_HERE
    ),
    "another owner": Cause(
        "a Corefile rewrites {zone} without `answer auto`: the answer belongs to another name than "
        "the one asked for, and glibc throws it away",
        _COREFILE_HERE,
    ),
    "not forwarded": Cause(
        "{to} knows the name and {here} doesn't ask it: the Corefile of {here} doesn't forward "
        "{zone}, or a DNS cache on the nodes stands in front of CoreDNS",
        _COREFILE_HERE,
    ),
    "unreached by own DNS": Cause(
        "{to} answers pods of {here} and not CoreDNS of {here}: its Corefile has another address "
        "than {dns}, or it has just noticed that {to} is back",
        _COREFILE_HERE,
    ),
    "peer away": Cause(
        "nothing comes back from {dns}: the LoadBalancer address of {to} is not announced, or port "
        "53 is closed on the way",
        _ANNOUNCED,
    ),
    "peer closed": Cause(
        "{dns} exists and nobody listens on port 53: the Service mesh-dns of {to} is missing or "
        "has no CoreDNS behind it, or another machine has the address",
        _ANNOUNCED,
    ),
    "zone refused": Cause(
        "{to} answers for other zones than {zone}: its Corefile has no listener for it",
        _COREFILE_THERE,
    ),
    "zone unknown": Cause(
        "{to} doesn't know its own zone {zone}: its Corefile doesn't rewrite it", _COREFILE_THERE
    ),
    "peer fails": Cause(
        "CoreDNS of {to} answers with an error: it can't ask its API server, or its Corefile sends "
        "the question in a circle",
        "read what it says: kubectl --context {to} -n kube-system logs -l k8s-app=kube-dns",
    ),
    "no target": Cause(
        "{to} answers for {zone}, and the pod to ask for isn't there",
        "set acceptance: true in the stack file of {to} too, and bring it up",
    ),
    "no address": Cause(
        "{to} has no address for DNS: it answers no peer (dns.forwarding: false), or MetalLB has "
        "not chosen one yet",
        "bring {to} up, then {here} once more",
    ),
    "no name": Cause(
        "the name of the Service isn't found", "see the rows of the pod's name, which say why"
    ),
    # Traffic.
    "silence": _TUNNEL_CLOSED,
    "no route": Cause(
        "the node has no way to the pod's address: the nodes of {to} are not known in {here}",
        _TUNNEL,
    ),
    "closed": _NO_LISTENER,
    "cut short": Cause(
        "the connection was ended on the way: something between the sites looks into it or resets "
        "it",
        "look for a firewall that ends connections it didn't see begin, and for a proxy",
    ),
    "another pod": Cause(
        "another pod than the one asked for has this address: pod ranges overlap, or an old answer "
        "is still kept",
        "hold the ranges against each other (mesh check), and ask again in a minute",
    ),
    "large lost": _BIG_LOST,
    # The mesh itself.
    "not among them": Cause(
        "Cilium in {here} doesn't send to the pods of {to} behind the Service of the same name: "
        "the Services of {to} haven't arrived",
        "see whether the mesh is connected: cilium-dbg status --all-clusters in a cilium pod of "
        "{here}; the namespace must not be excluded by clustermesh.cilium.io/global",
    ),
    "not connected": Cause(
        "the mesh etcd of {to} isn't reached: its LoadBalancer address is not announced, port 2379 "
        "is closed, or its certificate comes from another CA",
        "read what kvstoremesh says: kubectl --context {here} -n kube-system logs deploy/"
        "clustermesh-apiserver -c kvstoremesh",
    ),
    "unknown to the mesh": Cause("Cilium of {here} was not told of {to}", "bring {here} up"),
    "nodes unknown": Cause(
        "Cilium of {here} knows no node of {to}: the clusters are not connected",
        "read what kvstoremesh says: kubectl --context {here} -n kube-system logs deploy/"
        "clustermesh-apiserver -c kvstoremesh",
    ),
    "not looked at": Cause(
        "cilium-dbg could not be asked in a pod of the DaemonSet cilium",
        "see whether Cilium runs: kubectl --context {here} -n kube-system get pods -l "
        "k8s-app=cilium",
    ),
    "hidden by a cache": Cause(
        "the DNS cache on the nodes of {here} doesn't know {zone} and asks the site's resolver",
        "add the block that is shown to the Corefile in kube-system/node-local-dns",
    ),
}
"""By outcome; what only one check means differently stands in EXCEPTIONS."""

EXCEPTIONS: Mapping[tuple[str, str], Cause] = {
    ("name by TCP", "peer away"): Cause(
        "nothing comes back from {dns} by TCP: port 53/TCP is closed on the way, or the Service "
        "mesh-dns of {to} has UDP alone",
        _ANNOUNCED,
    ),
    ("large by UDP", "silence"): Cause(
        "TCP passes and UDP doesn't: a NetworkPolicy, or a firewall that looks into the tunnel",
        "look for policies about UDP: kubectl --context {to} get networkpolicies,"
        "ciliumnetworkpolicies -A",
    ),
    ("global Service", "silence"): Cause(
        "nobody answers at the Service's own address in {here}: Cilium's replacement of kube-proxy "
        "doesn't serve it",
        "see whether Cilium runs: kubectl --context {here} -n kube-system get pods -l "
        "k8s-app=cilium",
    ),
}


def cause_of(check: str, outcome: str) -> Cause:
    """The cause of a failed check. Raises KeyError for an outcome that no check has."""
    return EXCEPTIONS.get((check, outcome)) or CAUSES[outcome]
