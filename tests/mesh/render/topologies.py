"""Meshes of the examples: as many clusters as wanted, all shaped alike."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from mesh.settings import Settings, settings_from_config
from mesh.topology import Topology
from tests.mesh.render.clusters import config

NAMES: tuple[str, ...] = (
    "east",
    "west",
    "north",
    "south",
    "alpine",
    "baltic",
    "cobalt",
    "delta",
    "ember",
    "fjord",
)
NAMES += ("garnet", "harbor", "indigo", "juniper", "kelp", "lagoon", "maple", "nectar", "opal", "p")


def cluster(name: str, number: int, **changes: Mapping[str, Any] | list[str]) -> Settings:
    """A cluster in a node network of its own, `changes` merged into it group by group."""
    written = deepcopy(config("east"))
    subnet = f"10.11.{84 + number}"
    written["cluster"] = {"name": name, "id": number, "zone": f"{name}.mesh.example"}
    written["network"] |= {
        "nodeCidr": f"{subnet}.0/24",
        "gateway": f"{subnet}.1",
        "podCidr": f"10.{100 + number}.0.0/16",
        "serviceCidr": f"10.{200 + number}.0.0/16",
    }
    written["nodes"] = {
        "controlPlane": {"addresses": [f"{subnet}.11"]},
        "worker": {"addresses": [f"{subnet}.{last}" for last in (12, 13, 14)]},
    }
    written["loadBalancer"] = {
        "etcdAddress": f"{subnet}.20",
        "dnsAddress": f"{subnet}.21",
        "addresses": [f"{subnet}.22-{subnet}.30"],
    }
    for key, value in changes.items():
        whole = isinstance(value, list)
        written[key] = value if whole else written.get(key, {}) | dict(value)  # type: ignore[arg-type]
    if written.get("dns", {}).get("exposure") == "nodePort":
        del written["loadBalancer"]["dnsAddress"]
    return settings_from_config(f"Pulumi.{name}.yaml", written)


def topology(count: int, **changes: Mapping[str, Any] | list[str]) -> Topology:
    """The first clusters of NAMES, every one changed alike, each dialling all others."""
    names = NAMES[:count]
    return Topology(
        {name: cluster(name, number, **changes) for number, name in enumerate(names, start=1)}
    )
