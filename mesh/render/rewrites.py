"""The rewrite rules of the own zone: what CoreDNS looks up for a name that peers use."""

from collections.abc import Iterator

from mesh.endpoint import Endpoint


def rewrites(own: Endpoint) -> tuple[str, ...]:
    """The lines for a server block, in their order: the first that fits a name is the only one.

    `suffix` with a leading dot matches whole labels only; `answer auto` gives the answer the name
    that was asked for, without which glibc finds nothing.
    """
    rules = {"zones": _of_the_zone, "domain": _of_the_domain, "namespaces": _none}[own.dns.mode]
    return tuple(f"rewrite stop name {rule} answer auto" for rule in rules(own))


def _of_the_zone(own: Endpoint) -> Iterator[str]:
    # The longer suffix comes first.
    parts = (f"svc.{own.zone}.", f"{own.zone}.")
    # Their own names end in no such suffix: unrewritten, the site's resolver would be asked.
    for part in parts:
        yield f"exact {part} svc.{own.dns_domain}."
    for part in parts:
        yield f"suffix .{part} .svc.{own.dns_domain}."


def _of_the_domain(own: Endpoint) -> Iterator[str]:
    """Without its `svc` a name gets one; what Kubernetes itself knows below the domain stays."""
    for label in ("svc", "pod", "dns-version"):
        yield _unchanged("exact", f"{label}.{own.zone}.")
    for label in ("svc", "pod", "dns"):
        yield _unchanged("suffix", f".{label}.{own.zone}.")
    yield f"suffix .{own.zone}. .svc.{own.zone}."


def _none(_: Endpoint) -> Iterator[str]:
    # A namespace has the same name everywhere.
    yield from ()


def _unchanged(kind: str, name: str) -> str:
    # Rewritten into itself, so that no later rule is looked at.
    return f"{kind} {name} {name}"
