"""NodeLocal DNSCache in front of CoreDNS: which zones it doesn't know, and what makes it know.

It sends the cluster's own domain to CoreDNS and all else to the site's resolvers, where nobody
has heard of the mesh. Source: Kubernetes' nodelocaldns.yaml.
"""

from collections.abc import Iterable, Iterator, Sequence

from mesh.corefile.block import Block, text
from mesh.corefile.names import DNS_PORT, longest, served_zones
from mesh.corefile.reader import Directive, server_blocks

CLUSTER_DNS = "__PILLAR__CLUSTER__DNS__"
"""What the cache's pod replaces by the address behind which CoreDNS is."""


def missing_zones(
    corefile_text: str, zones: Sequence[str], dns_domain: str = "cluster.local"
) -> tuple[str, ...]:
    """The zones that the cache sends elsewhere than the cluster's own domain, in their order.

    A zone with a block of its own is not missing, wherever that forwards to. Raises
    CorefileError when the text is no Corefile.
    """
    served = _served(corefile_text)
    cluster = _forwarded(served, dns_domain)
    return tuple(
        zone for zone in zones if zone not in served and _forwarded(served, zone) != cluster
    )


def blocks_to_add(
    zones: Sequence[str], upstream: str = CLUSTER_DNS, bind: Sequence[str] = ()
) -> str:
    """The server blocks that send the zones to `upstream`, one or several addresses of CoreDNS.

    `bind` is what the cache's other blocks are bound to. Answers are kept as long as CoreDNS
    says, which is short for the mesh.
    """
    return "".join(text(_block(zone, upstream, bind)) for zone in zones)


def blocks_missing_in(
    corefile_text: str, zones: Sequence[str], dns_domain: str = "cluster.local"
) -> str:
    """The blocks for the missing zones, bound and forwarding as the block of the cluster's domain.

    Raises CorefileError when the text is no Corefile.
    """
    own = _served(corefile_text).get(dns_domain)
    upstream = " ".join(_arguments(own, "forward")[1:]) if own else ""
    missing = missing_zones(corefile_text, zones, dns_domain)
    return blocks_to_add(missing, upstream or CLUSTER_DNS, _arguments(own, "bind") if own else ())


def _block(zone: str, upstream: str, bind: Sequence[str]) -> Block:
    bound = (f"bind {' '.join(bind)}",) if bind else ()
    # As in the cache's own block: a connection, so that no datagram is lost on the way.
    forward = Block(f"forward . {upstream}", ("force_tcp",))
    # The zone is explicit, which is right for every order of plugins.
    cache = Block("cache 5 .", ("denial 9984 5",))
    return Block(f"{zone}:{DNS_PORT}", ("errors", cache, "reload", *bound, forward))


def _served(corefile_text: str) -> dict[str, Directive]:
    """The block of each zone that is served to pods."""
    return {zone: block for block in server_blocks(corefile_text) for zone in _zones(block)}


def _zones(block: Directive) -> Iterator[str]:
    for key in block.words:
        try:
            served = served_zones(key)
        except ValueError:
            continue  # a placeholder: no zone of ours
        yield from (one.zone for one in served if one.port == DNS_PORT)


def _forwarded(served: dict[str, Directive], name: str) -> frozenset[str]:
    zone = longest(served, name)
    return frozenset() if zone is None else frozenset(_arguments(served[zone], "forward")[1:])


def _arguments(block: Directive, plugin: str) -> tuple[str, ...]:
    found: Iterable[Directive] = (one for one in block.inner() if one.name == plugin)
    return next((one.arguments for one in found), ())
