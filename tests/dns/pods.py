"""A pod of acceptance in each of two clusters: real processes of the probe, each on its own host.

No node is between them: what the tests break of the tunnel they break at the pods' own door.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from mesh.acceptance.findings import Finding, Report, findings
from mesh.acceptance.probe.plan import GLOBAL, PORT, TARGET, Neighbour, Plan
from mesh.acceptance.probe.traffic import Identity, who_answers
from mesh.render.corefile import EXPOSED_PORT
from tests.dns.fleets import Fleet, World
from tests.dns.hosts import Host, running
from tests.dns.objects import NUMBERS, headless
from tests.dns.servers import Server

PROJECT = Path(__file__).parents[2]
NAMESPACE = "mesh-acceptance"
TUNNEL = "UDP 8223 (vxlan)"
_MODULE = "mesh.acceptance.probe"
_RUN = f"""\
import sys
from {_MODULE}.plan import Plan
from {_MODULE}.run import run
sys.stdout.write(run(Plan.read(sys.argv[1]), sys.argv[2]))
"""


@dataclass(frozen=True)
class Pods:
    """The target of each cluster by its name, and where east asks for names."""

    hosts: Mapping[str, Host]
    fleet: Fleet
    directory: Path

    @property
    def plan(self) -> Plan:
        """East asks west once, and has no patience."""
        west = self.fleet["west"].host.address
        return Plan(
            run="r",
            after="",
            namespace=NAMESPACE,
            domain="cluster.local",
            own=Neighbour(cluster="east", zone="east.mesh.example"),
            peers=(
                Neighbour(
                    cluster="west", zone="west.mesh.example", dns=(west,), dns_port=EXPOSED_PORT
                ),
            ),
            patience=0,
        )

    def found(self, plan: Plan | None = None, resolver: Server | None = None) -> list[Finding]:
        """What a run in east finds, where pods ask `resolver`, which is east's CoreDNS."""
        asked = (resolver or self.fleet["east"]).host.address
        file = self.directory / "resolv.conf"
        search = f"{NAMESPACE}.svc.cluster.local svc.cluster.local cluster.local"
        file.write_text(f"nameserver {asked}\nsearch {search}\noptions ndots:5\n")
        plan = plan or self.plan
        program = [sys.executable, "-c", _RUN, plan.text(), asked]
        command = self.hosts["east"].command(*program, resolver=file)
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=400)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        report = Report(run="r", after="", rows=tuple(found["checks"]))
        return [*findings(report, plan, TUNNEL)]

    def about_west(self, **how: object) -> dict[str, Finding]:
        """The findings about west by their check."""
        return {one.check: one for one in self.found(**how) if one.to == "west"}  # type: ignore[arg-type]


@contextmanager
def pods(world: World, fleet: Fleet, directory: Path) -> Iterator[Pods]:
    """A target runs in east and in west, and each cluster's API knows its own."""
    hosts = {
        name: world.network.host(f"10.11.87.{200 + NUMBERS[name]}") for name in ("east", "west")
    }
    with ExitStack() as ends:
        for name, host in hosts.items():
            world.apis[name].create(_objects(name, host))
            command = host.command(
                "env", f"CLUSTER={name}", f"POD={TARGET}-0", sys.executable, "-m", _MODULE, "target"
            )
            ends.enter_context(running(command, directory / f"{name}.log", PROJECT))
        for name, host in hosts.items():
            _wait(host, name)
        _balance(hosts)
        yield Pods(hosts, fleet, directory)


def with_west(plan: Plan, **changes: object) -> Plan:
    """The plan with something else known of west."""
    [west] = plan.peers
    return replace(plan, peers=(replace(west, **changes),))  # type: ignore[arg-type]


@contextmanager
def losing(host: Host, *rule: str) -> Iterator[None]:
    """The host throws away what comes in and fits a rule of nftables."""
    table = ("inet", "losing")
    nft(host, "add", "table", *table)
    hook = "{ type filter hook input priority 0 ; }"
    nft(host, "add", "chain", *table, "input", hook)
    nft(host, "add", "rule", *table, "input", *rule, "drop")
    try:
        yield
    finally:
        nft(host, "delete", "table", *table)


def nft(host: Host, *words: str) -> None:
    """Change what the host's packet filter does."""
    subprocess.run(host.command("nft", *words), check=True, timeout=60)


def _objects(cluster: str, host: Host) -> Iterator[dict[str, object]]:
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    yield from headless(NAMESPACE, TARGET, {f"{TARGET}-0": host.address})
    ports = [{"name": "tcp", "port": PORT, "protocol": "TCP"}]
    yield {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": GLOBAL, "namespace": NAMESPACE},
        "spec": {"clusterIP": _global_address(cluster), "ports": ports},
    }


def _global_address(cluster: str) -> str:
    return f"10.20{NUMBERS[cluster]}.0.99"


def _balance(hosts: Mapping[str, Host]) -> None:
    """East's address of the Service of all clusters leads to both targets, as Cilium would."""
    east, table = hosts["east"], ("ip", "balance")
    subprocess.run(
        east.command("ip", "route", "add", "10.201.0.0/16", "dev", "eth0"), check=True, timeout=60
    )
    nft(east, "add", "table", *table)
    nft(east, "add", "chain", *table, "output", "{ type nat hook output priority -100 ; }")
    turns = ", ".join(f"{turn} : {host.address}" for turn, host in enumerate(hosts.values()))
    to = f"ip daddr {_global_address('east')} dnat to numgen inc mod 2 map {{ {turns} }}"
    nft(east, "add", "rule", *table, "output", to)


def _wait(host: Host, cluster: str) -> None:
    end = time.monotonic() + 120
    expected = Identity(cluster, f"{TARGET}-0")
    while host.run(lambda: who_answers(host.address, PORT, seconds=1)) != expected:
        assert time.monotonic() < end, f"the target of {cluster} does not answer"
        time.sleep(0.1)
