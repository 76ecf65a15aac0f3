"""Cilium: its pods, the clusters it is connected to, and the nodes it knows of them."""

from collections.abc import Iterable, Iterator, Mapping

from cli.doctor.facts import Agent, Cilium, Remote, Unanswered
from cli.doctor.finding import Finding, Subject
from cli.doctor.judging.nodes import controller

_HEALTHY, _WARNS = ("Ok", "Disabled"), "Warning"


def pods(cluster: str, cilium: Cilium) -> Iterator[Finding]:
    """Agents, operator and the mesh's API server have all their pods."""
    if isinstance(cilium.controllers, Unanswered):
        yield Subject(cluster, "Cilium's pods").not_checked(cilium.controllers.why)
        return
    for one in cilium.controllers:
        look = f"kubectl --context {cluster} -n kube-system get pods -o wide; then their logs"
        yield controller(cluster, one, look)


def agents(cluster: str, cilium: Cilium) -> Iterator[Finding]:
    """Every node's agent answers, and is well by its own word."""
    subject = Subject(cluster, "Cilium agents")
    if isinstance(cilium.agents, Unanswered):
        yield subject.not_checked(cilium.agents.why)
        return
    well = 0
    for node, agent in cilium.agents.items():
        own = Subject(cluster, f"Cilium agent on {node}")
        if isinstance(agent, Unanswered):
            yield own.not_checked(agent.why)
        elif agent.state not in _HEALTHY:
            say = own.warning if agent.state == _WARNS else own.error
            yield say(f"says {agent.state} of itself", _status_of(cluster, node))
        else:
            well += 1
    if not cilium.agents:
        yield subject.error("there is none", f"pulumi up -s {cluster}")
    elif well == len(cilium.agents):
        yield subject.ok(f"{well} of {well} answer, and are well")


def remote_clusters(
    cluster: str, cilium: Cilium, peers: Iterable[str], reached: Mapping[str, frozenset[str]]
) -> Iterator[Finding]:
    """Every peer is connected, for kvstoremesh and for each agent, with all its nodes.

    `reached` has the node names of the clusters that could be asked.
    """
    for peer in sorted(peers):
        yield _kvstoremesh(cluster, cilium, peer)
        yield _seen_by_agents(cluster, cilium, peer, reached.get(peer))


def _kvstoremesh(cluster: str, cilium: Cilium, peer: str) -> Finding:
    subject = Subject(cluster, f"kvstoremesh to {peer}")
    if isinstance(cilium.kvstoremesh, Unanswered):
        return subject.not_checked(cilium.kvstoremesh.why)
    remote = _remote(cilium.kvstoremesh, peer)
    if remote is None:
        return subject.error(f"isn't told of {peer}", f"pulumi up -s {cluster}")
    if not remote.ready:
        return subject.error(f"not ready: {_line(remote.status)}", _dial(cluster, peer))
    return subject.ok("connected and synchronised")


def _seen_by_agents(
    cluster: str, cilium: Cilium, peer: str, nodes: frozenset[str] | None
) -> Finding:
    subject = Subject(cluster, f"{peer} as agents see it")
    answering = _answering(cilium)
    if not answering:
        return subject.not_checked("no agent answers")
    for agent in answering:
        if trouble := _trouble(agent, peer, nodes or frozenset()):
            fix = _dial(cluster, peer)
            return subject.error(f"on {agent.node}: {trouble}", fix)
    known = min(
        len([one for one in agent.nodes if one.startswith(f"{peer}/")]) for agent in answering
    )
    if not known:
        return subject.error("no agent knows a node of it", _dial(cluster, peer))
    count = f"{known} of its nodes known" if nodes is None else f"all its {known} nodes known"
    return subject.ok(f"ready in {len(answering)} agents, {count}")


def _trouble(agent: Agent, peer: str, nodes: frozenset[str]) -> str:
    remote = _remote(agent.remotes, peer)
    if remote is None:
        return f"isn't told of {peer}"
    if not remote.ready:
        return f"not ready: {_line(remote.status)}"
    missing = sorted(one for one in nodes if f"{peer}/{one}" not in agent.nodes)
    return f"doesn't know the node {', '.join(missing)}" if missing else ""


def _answering(cilium: Cilium) -> list[Agent]:
    if isinstance(cilium.agents, Unanswered):
        return []
    return [one for one in cilium.agents.values() if isinstance(one, Agent)]


def _remote(remotes: Iterable[Remote], peer: str) -> Remote | None:
    return next((one for one in remotes if one.cluster == peer), None)


def _line(text: str) -> str:
    return " ".join(text.split())


def _dial(cluster: str, peer: str) -> str:
    return (
        f"mesh firewall: may the nodes of {cluster} reach {peer} at TCP 2379? Then:"
        f" kubectl --context {cluster} -n kube-system exec deploy/clustermesh-apiserver"
        " -c kvstoremesh -- clustermesh-apiserver kvstoremesh-dbg troubleshoot"
    )


def _status_of(cluster: str, node: str) -> str:
    return (
        f"kubectl --context {cluster} -n kube-system get pods -l k8s-app=cilium"
        f" --field-selector spec.nodeName={node}; then exec cilium-dbg status --verbose in it"
    )
