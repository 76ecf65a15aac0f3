"""Every name by which the members of one cluster are called: what their certificate vouches for."""

from collections.abc import Iterator

from mesh.workloads.software import Software
from mesh.workloads.workload import Site

LOOPBACK = "127.0.0.1"


def public_name(workload: str) -> str:
    """The Service of the members that are ready, for clients in their own cluster."""
    return f"{workload}-public"


def client_host(site: Site) -> str:
    """The name at which clients in the cluster itself find a member that is ready."""
    return f"{public_name(site.workload)}.{site.service_domain}"


def server_names(site: Site, software: Software) -> tuple[str, ...]:
    """DNS names for a certificate: of the loopback, of each member, of the Services for clients.

    A wildcard covers one label only, so each form in which Kubernetes and the zones spell a name
    has one of its own. With `exact_names` the members themselves lead.
    """
    return tuple(dict.fromkeys(_server_names(site, software)))


def _server_names(site: Site, software: Software) -> Iterator[str]:
    if software.exact_names:
        # First: who wants them looks up the names in this order until one fits.
        yield from site.members()
    yield "localhost"
    for tail in _tails(site):
        yield f"*.{site.workload}{tail}"
        yield f"{site.workload}{tail}"
        yield f"{public_name(site.workload)}{tail}"
    for namespace in site.written.client_namespaces:
        for tail in _inside(site, namespace):
            yield f"{public_name(site.workload)}{tail}"


def _tails(site: Site) -> Iterator[str]:
    """What may follow the name of a Service: nothing, its namespace, and each domain there is."""
    yield ""
    yield from _inside(site, site.namespace)
    zone = site.settings.cluster.zone
    yield f".{site.namespace}.{zone}"
    yield f".{site.namespace}.svc.{zone}"


def _inside(site: Site, namespace: str) -> Iterator[str]:
    yield f".{namespace}"
    yield f".{namespace}.svc"
    yield f".{namespace}.svc.{site.cluster_domain}"
