"""CoreDNS: whether it runs what it was told, and answers for every cluster of the mesh."""

from collections.abc import Iterator, Mapping

from cli.doctor.facts import Answer, Controller, Dns, Unanswered
from cli.doctor.finding import Finding, Subject
from cli.doctor.zones import domain_of, is_namespace, served_zones_of
from mesh.corefile.node_local import blocks_missing_in, missing_zones
from mesh.corefile.reader import server_blocks
from mesh.corefile.roll_out import corefile_hash
from mesh.corefile.words import CorefileError


def core_dns(cluster: str, dns: Dns) -> Iterator[Finding]:
    """Its pods are ready, run the file that is there, and no roll-out is stalled."""
    subject = Subject(cluster, "CoreDNS")
    complaints = _complaints(dns)
    if isinstance(dns.controller, Unanswered):
        yield subject.not_checked(dns.controller.why)
    elif complaints:
        seen = "; ".join(complaints)
        yield subject.error(f"{_stalled(dns.controller)}{seen}", _mend(cluster))
    elif dns.controller.ready < dns.controller.wanted or not dns.controller.wanted:
        seen = f"{dns.controller.ready} of {dns.controller.wanted} pods ready"
        look = f"kubectl --context {cluster} -n kube-system describe pods -l k8s-app=kube-dns"
        yield subject.error(seen, look)
    else:
        yield subject.ok(f"{dns.controller.ready} of {dns.controller.wanted} pods ready")


def rolled_out(cluster: str, dns: Dns) -> Finding:
    """The Corefile is the one that the last `up` rolled out: nobody changed it by hand."""
    subject = Subject(cluster, "Corefile")
    if isinstance(dns.corefile, Unanswered):
        return subject.not_checked(dns.corefile.why)
    again = _anew(cluster)
    try:
        server_blocks(dns.corefile)
    except CorefileError as error:
        return subject.error(f"line {error.line} {error.reason}", again)
    if dns.rolled_out is None:
        return subject.error("no `up` of this program rolled it out", again)
    if corefile_hash(dns.corefile) != dns.rolled_out:
        return subject.error("was changed since the last `up` rolled it out", again)
    return subject.ok("is the one that was rolled out last")


def answers(
    cluster: str, dns: Dns, owners: Mapping[str, str], addresses: Mapping[str, str]
) -> Iterator[Finding]:
    """Each zone of the mesh is answered for by each CoreDNS pod, and rightly.

    `owners` has the cluster of each zone, `addresses` the ClusterIP of its `kube-dns`.
    """
    for zone, owner in sorted(owners.items()):
        yield _zone(cluster, dns, zone, owner, addresses.get(owner))


def node_local(cluster: str, dns: Dns, owners: Mapping[str, str]) -> Iterator[Finding]:
    """A DNS cache on the nodes sends the mesh's zones to CoreDNS; nothing where there is none."""
    if dns.node_local is None:
        return
    subject = Subject(cluster, "node-local DNS cache")
    if isinstance(dns.node_local, Unanswered):
        yield subject.not_checked(dns.node_local.why)
        return
    domain = domain_of(dns.corefile if isinstance(dns.corefile, str) else "")
    try:
        missing = missing_zones(dns.node_local, sorted(owners), domain)
        blocks = blocks_missing_in(dns.node_local, sorted(owners), domain)
    except CorefileError as error:
        edit = f"kubectl --context {cluster} -n kube-system edit configmap node-local-dns"
        yield subject.error(f"its Corefile: line {error.line} {error.reason}", edit)
        return
    if missing:
        seen = f"sends {', '.join(missing)} to the site's resolvers"
        yield subject.error(seen, f"add to ConfigMap kube-system/node-local-dns:\n{blocks}")
    else:
        yield subject.ok("sends the zones of the mesh to CoreDNS")


def _complaints(dns: Dns) -> list[str]:
    if isinstance(dns.pods, Unanswered):
        return []
    return [f"pod {one.name} says: {one.complaint}" for one in dns.pods if one.complaint]


def _stalled(controller: Controller) -> str:
    if controller.updated < controller.wanted or controller.ready < controller.wanted:
        return "a roll-out is stalled: "
    return ""


def _mend(cluster: str) -> str:
    # No `rollout undo`: it brings back pods, and not the file they would read.
    return f"mend the setting, or take its change back; then {_anew(cluster)}"


def _anew(cluster: str) -> str:
    return f"pulumi refresh -s {cluster}; pulumi up -s {cluster}"


def _zone(cluster: str, dns: Dns, zone: str, owner: str, address: str | None) -> Finding:
    subject = Subject(cluster, f"names of {owner} in {zone}")
    if isinstance(dns.corefile, str) and owner != cluster:
        served = served_zones_of(dns.corefile)
        if zone not in served:
            seen, fix = "the Corefile doesn't know this zone", f"pulumi up -s {cluster}"
            return subject.error(seen, fix)
    if not dns.answers:
        return subject.not_checked("no CoreDNS pod could be asked")
    for pod, said in sorted(dns.answers.items()):
        if isinstance(said, Unanswered):
            return subject.not_checked(f"{pod}: {said.why}")
        for answer in (one for one in said if one.zone == zone):
            if trouble := _trouble(answer, address):
                return subject.error(f"{pod}: {trouble}", _ways(cluster, owner))
    own = "" if owner == cluster else " through the peer's DNS"
    return subject.ok(f"answered over TCP{own} by {len(dns.answers)} pods")


def _trouble(answer: Answer, address: str | None) -> str:
    if is_namespace(answer.zone):
        return "" if answer.code == "NXDOMAIN" else f"no answer: {answer.code}"
    if answer.code != "NOERROR":
        return f"no answer: {answer.code}"
    if answer.unheard != "NXDOMAIN":
        return f"answers from its cache only; a new question: {answer.unheard}"
    if address and answer.addresses != (address,):
        given = ", ".join(answer.addresses) or "no address"
        return f"says {given} for the Service kube-dns, which has {address}"
    return ""


def _ways(cluster: str, owner: str) -> str:
    if owner == cluster:
        return f"kubectl --context {cluster} -n kube-system logs -l k8s-app=kube-dns"
    return f"mesh firewall: may the nodes of {cluster} reach the DNS of {owner}, UDP and TCP?"
