"""The rules about which names peers find, and where they ask for them."""

from collections.abc import Iterator

from mesh.settings.dns import DnsSettings
from mesh.settings.load_balancer import LoadBalancerSettings
from mesh.settings.problems import Broken

_ADDRESS = "loadBalancer.dnsAddress"
_MODE, _EXPOSURE = "dns.mode", "dns.exposure"


def keys_belong_to_the_mode_and_the_exposure(dns: DnsSettings) -> Iterator[Broken]:
    """A key of another choice would be read by nobody, and promise something all the same."""
    if dns.namespaces and dns.mode != "namespaces":
        yield _meaningless("dns.namespaces", None, f"{_MODE}: {dns.mode}", f"{_MODE}: namespaces")
    if "node_port" in dns.model_fields_set and dns.exposure != "nodePort":
        instead = f"{_EXPOSURE}: nodePort"
        yield _meaningless("dns.nodePort", dns.node_port, f"{_EXPOSURE}: {dns.exposure}", instead)


def namespaces_are_named_once(dns: DnsSettings) -> Iterator[Broken]:
    """With the mode `namespaces` there is one at least, and none is there twice."""
    if dns.mode == "namespaces" and not dns.namespaces:
        reason = f"is missing, and {_MODE} is namespaces"
        yield Broken("dns.namespaces", None, reason, "write one like [east-1]")
    for place, name in enumerate(dns.namespaces):
        if (first := dns.namespaces.index(name)) < place:
            reason = f"is dns.namespaces[{first}] too"
            yield Broken(f"dns.namespaces[{place}]", name, reason, "leave one of them out")


def the_address_goes_with_the_exposure(
    dns: DnsSettings, load_balancer: LoadBalancerSettings
) -> Iterator[Broken]:
    """Peers ask at one address, or at the nodes, and nothing is announced for nobody."""
    address = load_balancer.dns_address
    if dns.exposure == "loadBalancer" and address is None:
        instead = f"write one like 10.11.84.21, or {_EXPOSURE}: nodePort"
        yield Broken(_ADDRESS, None, "is missing", instead)
    if dns.exposure == "nodePort" and address is not None:
        choices = f"{_EXPOSURE}: nodePort", f"{_EXPOSURE}: loadBalancer"
        yield _meaningless(_ADDRESS, str(address), *choices)


def _meaningless(key: str, value: object, chosen: str, other: str) -> Broken:
    return Broken(key, value, f"means nothing with {chosen}", f"take it out, or write {other}")
