"""Two clusters that answer as kubectl would of a mesh in order, until a test spoils an answer."""

import json
from collections.abc import Sequence
from typing import Any

from lab.kubectl import KubectlError
from lab.report import Cluster

EAST_NODES = ("east-control-plane-1", "east-worker-1")
WEST_NODES = ("west-control-plane-1", "west-worker-1")
EAST = Cluster("east", "east.mesh.example", "10.11.84.21", EAST_NODES)
WEST = Cluster("west", "west.mesh.example", "10.11.84.32", WEST_NODES)
CLUSTERS = (EAST, WEST)
WEB = "web-0.web.lab-probe"
PODS = {"east": "10.101.1.178", "west": "10.102.1.34"}
SERVICES = {"east": "10.201.14.9", "west": "10.202.200.3"}
OTHER = {"east": "west", "west": "east"}

STATUS = """\
KVStore:                 Disabled
Kubernetes:              Ok         1.36 (v1.36.3) [linux/amd64]
KubeProxyReplacement:    True   [eth0   10.11.85.11 (Direct Routing)]
Cilium:                  Ok   1.20.2 (v1.20.2)
ClusterMesh:             {mesh}
IPAM:                    IPv4: 4/254 allocated from 10.101.1.0/24,
Modules Health:          Stopped(0) Degraded(0) OK(83)
"""
NODE_LIST = """\
Name                         IPv4 Address   Endpoint CIDR   IPv6   Source
east/east-control-plane-1    10.11.85.11    10.101.0.0/24          local
east/east-worker-1           10.11.85.12    10.101.1.0/24          custom
west/west-control-plane-1    10.11.85.21    10.102.0.0/24          clustermesh
west/west-worker-1           10.11.85.22    10.102.1.0/24          clustermesh
"""


class Mesh:
    """Two clusters that answer kubectl; a test spoils some answers, by a part of the command."""

    def __init__(self) -> None:
        self.spoiled: dict[str, str | KubectlError] = {}
        self.nodes = {cluster.name: list(cluster.nodes) for cluster in CLUSTERS}
        self.not_ready: set[str] = set()
        self.asked: list[str] = []

    def run(
        self, context: str, *arguments: str, given: str | None = None, seconds: float = 60
    ) -> str:
        line = " ".join((context, *arguments))
        self.asked.append(line)
        for part, answer in self.spoiled.items():
            if part in line:
                if isinstance(answer, KubectlError):
                    raise answer
                return answer
        if arguments[0] == "get":
            return json.dumps(self.get(context, arguments[1]))
        return self.execute(context, arguments[arguments.index("--") + 1 :])

    def get(self, context: str, kind: str) -> dict[str, Any]:
        if kind == "service":
            return {"spec": {"clusterIP": SERVICES[context]}}
        if kind == "pod":
            return {"status": {"podIP": PODS[context]}}
        return {"items": [self.node(name) for name in self.nodes[context]]}

    def node(self, name: str) -> dict[str, Any]:
        ready = "Unknown" if name in self.not_ready else "True"
        conditions = [{"type": "MemoryPressure", "status": "False"}]
        conditions.append({"type": "Ready", "status": ready})
        return {"metadata": {"name": name}, "status": {"conditions": conditions}}

    def execute(self, context: str, command: Sequence[str]) -> str:
        zone = next((name for name in PODS if f"{name}.mesh.example" in command[-1]), "")
        match command[0]:
            case "cilium-dbg":
                mesh = "1/1 remote clusters ready, 0 global-services"
                return STATUS.format(mesh=mesh) if command[1] == "status" else NODE_LIST
            case "getent":
                return f"{PODS[zone]}     {command[-1]}\n"
            case "curl":
                return f"{zone}\n"
        assert command[0] == "dig"
        return f"{PODS[zone]}\n"
