"""What every cluster of the tests holds, and the addresses that say whose it is."""

from collections.abc import Iterator, Mapping
from typing import Any

NUMBERS = {"east": 1, "west": 2, "north": 3}
EXPORTED = "west-1"
"""A namespace that is west's own where clusters export namespaces."""
LONG = "m" * 63
"""As many bytes as a label of a name may have."""
MANY, CROWD = 40, 120
"""Pods whose addresses pass 512 bytes of a datagram, and those that pass any datagram."""


def pod_address(cluster: str, last: int) -> str:
    """The address of a pod: 10.101.0.x is in east, 10.102.0.x in west."""
    return f"10.10{NUMBERS[cluster]}.0.{last}"


def service_address(cluster: str) -> str:
    """The ClusterIP of the Service `front`."""
    return f"10.20{NUMBERS[cluster]}.0.80"


def endpoint(address: str, hostname: str) -> dict[str, Any]:
    """A pod that is ready, as an EndpointSlice names it."""
    return {"addresses": [address], "hostname": hostname, "conditions": {"ready": True}}


def objects(cluster: str) -> Iterator[dict[str, Any]]:
    """The Services and endpoints of a cluster: the same names in each, with its own addresses."""

    def pods(prefix: str, count: int, first: int) -> dict[str, str]:
        return {f"{prefix}-{n}": pod_address(cluster, first + n) for n in range(count)}

    for namespace in ("shop", "east", "example"):
        yield _namespace(namespace)
    yield from headless("shop", "db", pods("db", 3, 10))
    yield from headless("shop", LONG, {LONG: pod_address(cluster, 20)})
    yield from headless("shop", "many", pods("many", MANY, 40))
    yield from headless("shop", "crowd", pods("crowd", CROWD, 100))
    # Names that hold another zone's name, or the own zone's once more.
    zones = {"west": pod_address(cluster, 21), "east": pod_address(cluster, 22)}
    yield from headless("example", "mesh", zones)
    yield from headless("east", "west", {"db-0": pod_address(cluster, 23)})
    # One namespace of the same name in each, which only west exports.
    yield _namespace(EXPORTED)
    yield from headless(EXPORTED, "db", pods("db", 3, 33))
    for name, target in {
        "outside": "db.example.org",
        "inside": f"db-0.db.{EXPORTED}.svc.cluster.local",
    }.items():
        yield _service(EXPORTED, name, {"type": "ExternalName", "externalName": target})
    yield from headless("shop", "late", {})
    yield from headless("shop", "moving", {})
    yield from headless("shop", "slow", {})
    yield _service("shop", "front", {"clusterIP": service_address(cluster), **_ports()})
    for name, target in {
        "outside": "db.example.org",
        "inside": "db-0.db.shop.svc.cluster.local",
        "elsewhere": "db-0.db.shop.north.mesh.example",
    }.items():
        yield _service("shop", name, {"type": "ExternalName", "externalName": target})


def headless(namespace: str, name: str, pods: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """A headless Service, and its pods by hostname as their EndpointSlice has them."""
    yield _service(namespace, name, {"clusterIP": "None", **_ports()})
    yield {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {"kubernetes.io/service-name": name},
        },
        "addressType": "IPv4",
        "endpoints": [endpoint(address, hostname) for hostname, address in pods.items()],
        "ports": [{"name": "sql", "port": 26257, "protocol": "TCP"}],
    }


def _ports() -> dict[str, Any]:
    return {"ports": [{"name": "sql", "port": 26257, "protocol": "TCP"}]}


def _service(namespace: str, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace},
        "spec": dict(spec),
    }


def _namespace(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
