"""Meshes of any number of clusters that nothing is wrong with."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mesh.settings import Settings, settings_from_config
from mesh.topology import Topology
from tests.mesh.settings.written import Config, shipped
from tests.mesh.topology.written import put


@dataclass(frozen=True)
class Shape:
    """What meshes differ in; every shape is right with up to 511 clusters."""

    clusters: int = 2
    in_one_network: int = 8
    workers: int = 3
    one_service_range: bool = False
    all_named: bool = False
    by_bgp: bool = False
    older: int = 0
    """Clusters that run the Cilium before."""


def configs(shape: Shape) -> dict[str, Config]:
    """The config of each cluster by its stack, `c000` the authority."""
    stacks = [f"c{number:03}" for number in range(shape.clusters)]
    return {stack: _config(shape, number, stacks) for number, stack in enumerate(stacks)}


def topology(configs: dict[str, Config], own: str | None = None) -> Topology:
    """The clusters of these configs together."""
    return Topology({stack: settings(stack, config) for stack, config in configs.items()}, own)


def settings(stack: str, config: Config) -> Settings:
    """The settings of one config."""
    return settings_from_config(f"Pulumi.{stack}.yaml", config)


def _config(shape: Shape, number: int, stacks: list[str]) -> Config:
    config = shipped("east")
    for path, value in _values(shape, number, stacks):
        put(config, path, value)
    return config


def _values(shape: Shape, number: int, stacks: list[str]) -> Iterator[tuple[str, Any]]:
    stack = stacks[number]
    yield "mesh.authority", stacks[0]
    yield "mesh.maxConnectedClusters", 511
    yield "cluster", {"name": stack, "id": number + 1, "zone": f"{stack}.mesh.example"}
    yield "vsphere.folder", f"mesh/{stack}"
    yield "network.podCidr", f"{20 + number // 256}.{number % 256}.0.0/16"
    service = 0 if shape.one_service_range else number
    yield "network.serviceCidr", f"{30 + service // 256}.{service % 256}.0.0/16"
    yield from _addresses(shape, number)
    if shape.all_named:
        yield "peers", [peer for peer in stacks if peer != stack]
    if number >= shape.clusters - shape.older:
        yield "versions", {"cilium": "1.19.6", "kubernetes": "1.35.0"}


def _addresses(shape: Shape, number: int) -> Iterator[tuple[str, Any]]:
    """A node network for every few clusters, and 256 addresses of it for each."""
    network, place = divmod(number, shape.in_one_network)
    start = f"10.{network % 256}" if network < 256 else f"11.{network % 256}"
    own = f"{start}.{place + 1}"
    yield "network.nodeCidr", f"{start}.0.0/16"
    yield "network.gateway", f"{start}.0.1"
    yield "network.nameServers", [f"{start}.0.2", "192.0.2.53"]
    yield "network.searchDomains", ["site.example"]
    yield "nodes.controlPlane.addresses", [f"{own}.1"]
    yield "nodes.worker.addresses", [f"{own}.{2 + worker}" for worker in range(shape.workers)]
    announced = own
    if shape.by_bgp:
        yield (
            "loadBalancer.bgp",
            {"asn": 64513, "peers": [{"address": f"{start}.0.1", "asn": 64512}]},
        )
        announced = f"{40 + number // 256}.{number % 256}.0"
    yield "loadBalancer.etcdAddress", f"{announced}.100"
    yield "loadBalancer.dnsAddress", f"{announced}.101"
    yield "loadBalancer.addresses", [f"{announced}.112/28", f"{announced}.128-{announced}.140"]
