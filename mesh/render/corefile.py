"""CoreDNS's Corefile: our zone answered here, each peer's zone asked of the peer."""

from collections.abc import Sequence

from mesh.corefile.block import Block, text
from mesh.endpoint import Endpoint
from mesh.peer import Peer
from mesh.settings import DnsSettings, Settings

DNS_DOMAIN = "cluster.local"
EXPOSED_PORT = 1053


def corefile(settings: Settings, peers: Sequence[Peer]) -> str:
    """The Corefile of this cluster; with `dns.forwarding` off, the one kubeadm ships.

    Uses only what CoreDNS 1.12.1 (Kubernetes 1.34) knows, and is right on both plugin orders
    that CoreDNS has had since.
    """
    if not settings.dns.forwarding:
        return text(_kubernetes_block(ttl=30, uncached=DNS_DOMAIN, reload="reload"))
    zone = settings.cluster.zone
    # A peer with its own forwarding off answers nobody.
    asked = [peer.endpoint for peer in peers if peer.endpoint.dns.addresses]
    own = _kubernetes_block(
        # A member that starts late must not stay unknown for long in the other clusters.
        ttl=5,
        uncached=f"{DNS_DOMAIN} {zone}",
        reload="reload 10s 2s",
        rewrites=_rewrites(zone),
    )
    forwarded = [
        _peer_block(endpoint, settings.dns)
        for endpoint in sorted(asked, key=lambda endpoint: endpoint.zone)
    ]
    return "".join(text(block) for block in (own, *forwarded, _exposed(zone)))


def _rewrites(zone: str) -> tuple[str, ...]:
    # `suffix` with a leading dot matches whole labels only; `answer auto` gives the answer the
    # name that was asked for, without which glibc finds nothing. The longer suffix comes first.
    parts = (f"svc.{zone}", zone)
    below = (f"suffix .{part}. .svc.{DNS_DOMAIN}." for part in parts)
    # Their own names end in no such suffix: unrewritten, the site's resolver would be asked.
    themselves = (f"exact {part}. svc.{DNS_DOMAIN}." for part in parts)
    return tuple(f"rewrite stop name {rule} answer auto" for rule in (*themselves, *below))


def _kubernetes_block(
    *, ttl: int, uncached: str, reload: str, rewrites: tuple[str, ...] = ()
) -> Block:
    reverse = "in-addr.arpa ip6.arpa"
    records = ("pods insecure", f"fallthrough {reverse}", f"ttl {ttl}")
    return Block(
        ".:53",
        (
            "errors",
            Block("health", ("lameduck 5s",)),
            "ready",
            *rewrites,
            Block(f"kubernetes {DNS_DOMAIN} {reverse}", records),
            "prometheus :9153",
            Block("forward . /etc/resolv.conf", ("max_concurrent 1000",)),
            Block("cache 30", (f"disable success {uncached}", f"disable denial {uncached}")),
            "loop",
            reload,
            "loadbalance",
        ),
    )


def _peer_block(endpoint: Endpoint, dns: DnsSettings) -> Block:
    stale = (f"serve_stale {dns.serve_stale_seconds}s verify",) if dns.serve_stale_seconds else ()
    upstreams = " ".join(f"{address}:{endpoint.dns.port}" for address in endpoint.dns.addresses)
    return Block(
        f"{endpoint.zone}:53",
        (
            "errors",
            "prometheus :9153",
            # The explicit zone is right on both plugin orders.
            Block(
                f"cache {dns.cache_seconds} .",
                (f"denial 1024 {dns.denial_cache_seconds}", *stale),
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
