"""CoreDNS's Corefile: our names answered here, each peer's asked of the peer."""

from collections.abc import Iterable, Sequence

from mesh.corefile import ports
from mesh.corefile.block import Block, text
from mesh.corefile.extra import extra_parts, extra_servers
from mesh.endpoint import Endpoint, planned_endpoint
from mesh.peer import Peer
from mesh.render.rewrites import rewrites
from mesh.settings import DnsSettings, Settings

EXPOSED_PORT = ports.EXPOSED_PORT


def corefile(settings: Settings, peers: Sequence[Peer]) -> str:
    """The Corefile of this cluster; with `dns.forwarding` off, the one kubeadm ships.

    Uses only what CoreDNS 1.12.1 (Kubernetes 1.34) knows, and is right on both plugin orders
    that CoreDNS has had since.
    """
    own = planned_endpoint(settings)
    domain = own.dns_domain
    if not settings.dns.forwarding:
        return text(_kubernetes_block(domain, ttl=30, uncached=domain, reload="reload"))
    block = _kubernetes_block(
        domain,
        # A member that starts late must not stay unknown for long in the other clusters.
        ttl=5,
        uncached=" ".join([domain, own.zone] if own.dns.mode == "zones" else [domain]),
        reload="reload 10s 2s",
        # First ours: of the rules that fit a name, one is taken.
        added=(*rewrites(own), *extra_parts(settings.dns.extra.plugins)),
    )
    asked = sorted(_asked(own, peers).items())
    forwarded = [_peer_block(zone, endpoint, settings.dns) for zone, endpoint in asked]
    exposed = [_exposed(zone) for zone in own.zones]
    added = extra_servers(settings.dns.extra.servers)
    return "".join(text(one) for one in (block, *forwarded, *exposed, *added))


def _asked(own: Endpoint, peers: Iterable[Peer]) -> dict[str, Endpoint]:
    """Whom each zone is asked of. A peer with its own forwarding off answers nobody.

    A namespace that moves is for a while exported by two: who is what its file plans has it.
    CoreDNS refuses a file with a zone twice.
    """
    found: dict[str, Endpoint] = {}
    for peer in sorted(peers, key=lambda peer: (peer.warning is not None, peer.stack)):
        if peer.endpoint.dns.addresses:
            for zone in {*peer.endpoint.zones} - {*own.zones}:
                found.setdefault(zone, peer.endpoint)
    return found


def _kubernetes_block(
    domain: str, *, ttl: int, uncached: str, reload: str, added: tuple[Block | str, ...] = ()
) -> Block:
    reverse = "in-addr.arpa ip6.arpa"
    records = ("pods insecure", f"fallthrough {reverse}", f"ttl {ttl}")
    return Block(
        ".:53",
        (
            "errors",
            Block("health", ("lameduck 5s",)),
            "ready",
            *added,
            Block(f"kubernetes {domain} {reverse}", records),
            "prometheus :9153",
            Block("forward . /etc/resolv.conf", ("max_concurrent 1000",)),
            Block("cache 30", (f"disable success {uncached}", f"disable denial {uncached}")),
            "loop",
            reload,
            "loadbalance",
        ),
    )


def _peer_block(zone: str, endpoint: Endpoint, dns: DnsSettings) -> Block:
    stale = (f"serve_stale {dns.serve_stale_seconds}s verify",) if dns.serve_stale_seconds else ()
    upstreams = " ".join(f"{address}:{endpoint.dns.port}" for address in endpoint.dns.addresses)
    return Block(
        f"{zone}:53",
        (
            "errors",
            "prometheus :9153",
            # The explicit zone is right on both plugin orders.
            Block(
                f"cache {dns.cache_seconds} .",
                # A failure that is remembered hides the answer that was known before it, until
                # CoreDNS 1.14.4: coredns/coredns#7956.
                (f"denial 1024 {dns.denial_cache_seconds}", "servfail 0", *stale),
            ),
            Block(
                f"forward . {upstreams}",
                (
                    # Only an upstream that failed is probed: a dead one is known in seconds.
                    "max_fails 2",
                    "health_check 1s",
                    # Else each question about a dead peer waits longer than any client does.
                    "failfast_all_unhealthy_upstreams",
                    f"expire {dns.expire_seconds}s",
                    "policy round_robin",
                    "max_concurrent 1000",
                ),
            ),
        ),
    )


def _exposed(zone: str) -> Block:
    # What peers reach: any other name is refused, so this is no open resolver. The rewriting
    # is done by the first block, which also holds the one watch on Kubernetes.
    forward = Block("forward . 127.0.0.1:53", ("max_concurrent 1000",))
    return Block(f"{zone}:{EXPOSED_PORT}", ("errors", forward))
