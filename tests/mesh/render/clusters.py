"""The clusters of the examples, as a user would write them."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from mesh.endpoint import planned_endpoint
from mesh.peer import Peer, peer
from mesh.settings import Settings, settings_from_config

NUMBERS = {"east": 1, "north": 3, "west": 2}


def config(name: str) -> dict[str, Any]:
    number = NUMBERS[name]
    first = 20 + 11 * (number - 1)
    return {
        "mesh": {"authority": "east"},
        "cluster": {"name": name, "id": number, "zone": f"{name}.mesh.example"},
        "network": {
            "nodeCidr": "10.11.84.0/22",
            "gateway": "10.11.84.1",
            "nameServers": ["10.11.84.2"],
            "podCidr": f"10.10{number}.0.0/16",
            "serviceCidr": f"10.20{number}.0.0/16",
        },
        "nodes": {
            "controlPlane": {"addresses": [f"10.11.85.{number}1"]},
            "worker": {"addresses": [f"10.11.85.{number}{last}" for last in (2, 3, 4)]},
        },
        "vsphere": {
            "server": "vcenter.example.com",
            "user": "automation@vsphere.local",
            "datacenter": "Datacenter",
            "cluster": "Compute",
            "datastore": "Datastore",
            "portGroup": "Nodes",
            "folder": f"mesh/{name}",
            "template": "kubernetes-1.36.3",
        },
        "loadBalancer": {
            "etcdAddress": f"10.11.84.{first}",
            "dnsAddress": f"10.11.84.{first + 1}",
            "addresses": [f"10.11.84.{first + 2}-10.11.84.{first + 10}"],
        },
    }


def settings(name: str = "east", **changes: Mapping[str, Any]) -> Settings:
    """The cluster's settings, `changes` merged into them group by group."""
    changed = deepcopy(config(name))
    for group, values in changes.items():
        changed[group] = changed.get(group, {}) | dict(values)
    if changed.get("dns", {}).get("exposure") == "nodePort":
        del changed["loadBalancer"]["dnsAddress"]
    return settings_from_config(f"Pulumi.{name}.yaml", changed)


def peers(*names: str, **changes: Mapping[str, Any]) -> list[Peer]:
    return [peer(name, planned_endpoint(settings(name, **changes)), None) for name in names]
