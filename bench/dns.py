"""How quick names are: `python -m bench.dns [ROUNDS]`, as root, with dnsperf on PATH.

Two clusters' worth of real API servers and CoreDNS. The rival is the articles' Corefile on the same
CoreDNS; both take turns in each round, and their ratio is that of the round.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median, quantiles

from bench.dns_files import RENDERERS
from mesh.render.corefile import EXPOSED_PORT
from tests.dns.fleets import World
from tests.dns.hosts import Host
from tests.dns.objects import headless
from tests.dns.servers import Server, coredns
from tests.dns.worlds import running_world

ROUNDS = 5
SECONDS = 2
CALM = 500
"""Questions a second while latencies are taken: few enough that none waits for another."""
PEERS = (1, 10, 100)
SERVICES = 1000
ZONE = "db.shop.west.mesh.example"
# Each is asked once, and asked of the peer.
COLD = [f"db-{number}.{ZONE}" for number in range(1000, 400_000)]
QUESTIONS: Mapping[str, list[str]] = {
    "local": ["db-0.db.shop.svc.cluster.local"],
    "remote, warm": [f"db-{number}.{ZONE}" for number in range(3)],
    "remote, cold": COLD,
    "asked of the peer itself": COLD,
}
HEAD = (
    "| peers | name | questions/s: ours | articles | ratio | p50: ours | articles | ratio "
    "| p99: ours | articles | ratio |\n|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
)


@dataclass(frozen=True)
class Figures:
    """Questions answered in a second at full load; seconds for one when there is little."""

    rate: float
    p50: float
    p99: float


def main() -> None:
    """Print the tables of README.md."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with ExitStack() as ends:
        home = ends.enter_context(tempfile.TemporaryDirectory(prefix="mesh-bench-"))
        world = ends.enter_context(running_world(Path(home), "east", "west"))
        servers = started(world, ends)
        sys.stdout.write(HEAD)
        for count, name in product(PEERS, QUESTIONS):
            rivals = {kind: servers[kind, count] for kind in RENDERERS}
            sys.stdout.write(f"| {count} | {name} | {row(rivals, name, rounds)} |\n")
            sys.stdout.flush()
        sys.stdout.writelines(memory(world, servers))


@dataclass(frozen=True)
class Pair:
    """East's CoreDNS, the one of west that it asks, and the port it asks at."""

    east: Server
    west: Server
    port: int

    def asked(self, name: str) -> list[str]:
        """Whom a pod in east sends such a question to, as dnsperf takes it."""
        if name == "asked of the peer itself":
            return ["-s", self.west.host.address, "-p", str(self.port)]
        return ["-s", "127.0.0.1"]


def started(world: World, ends: ExitStack) -> dict[tuple[str, int], Pair]:
    """A pair of each kind for each number of peers that east has."""
    found = {}
    for number, (kind, render) in enumerate(RENDERERS.items()):
        host = world.network.host(f"10.11.86.{100 * number + 9}")
        text = render("west", world.apis["west"], "10.11.86.250", 1)
        west = _serve(world, ends, host, f"{kind}-west", text)
        for last, count in enumerate(PEERS):
            host = world.network.host(f"10.11.86.{100 * number + last + 1}")
            text = render("east", world.apis["east"], west.host.address, count)
            east = _serve(world, ends, host, f"{kind}-{count}", text)
            found[kind, count] = Pair(east, west, EXPOSED_PORT if kind == "ours" else 53)
    return found


def row(rivals: Mapping[str, Pair], name: str, rounds: int) -> str:
    """The cells of one line: medians of the rounds, and the median ratio of ours to theirs."""
    seen: dict[str, list[Figures]] = {kind: [] for kind in rivals}
    for _ in range(rounds):
        for kind, pair in rivals.items():
            seen[kind].append(measured(pair, name))
    return " | ".join(
        [
            *cells([[one.rate for one in seen[kind]] for kind in rivals], "{:,.0f}"),
            *cells([[one.p50 * 1e3 for one in seen[kind]] for kind in rivals], "{:.2f} ms"),
            *cells([[one.p99 * 1e3 for one in seen[kind]] for kind in rivals], "{:.2f} ms"),
        ]
    )


def cells(pair: list[list[float]], form: str) -> Iterator[str]:
    """Ours, theirs and the ratio."""
    ours, theirs = pair
    yield from (form.format(median(values)) for values in pair)
    yield f"{median(one / other for one, other in zip(ours, theirs, strict=True)):.2f}"


def measured(pair: Pair, name: str) -> Figures:
    """One run at full load and one with little, of a pod's beside that CoreDNS."""
    [rate] = re.findall(r"Queries per second: +([\d.]+)", _dnsperf(pair, name, "-q", "50"))
    calm = _dnsperf(pair, name, "-v", "-Q", str(CALM))
    times = [float(line.split()[-1]) for line in calm.splitlines() if line.startswith("> ")]
    cuts = quantiles(times, n=100)
    return Figures(float(rate), cuts[49], cuts[98])


def memory(world: World, servers: Mapping[tuple[str, int], Pair]) -> Iterator[str]:
    """What a thousand Services with two pods each cost one CoreDNS."""
    yield "\n| resident memory | ours | articles | ratio |\n|---|---:|---:|---:|\n"
    yield _memory_row("as above, 1 peer", servers)
    for number in range(SERVICES):
        pods = {f"pod-{last}": f"10.101.{number // 250}.{number % 250}" for last in range(2)}
        world.apis["east"].create(headless("east", f"service-{number}", pods))
    yield _memory_row(f"and {SERVICES} Services more", servers)


def _memory_row(title: str, servers: Mapping[tuple[str, int], Pair]) -> str:
    used = [[servers[kind, 1].east.resident_bytes() / 2**20] for kind in RENDERERS]
    return f"| {title} | {' | '.join(cells(used, '{:.0f} MiB'))} |\n"


def _serve(world: World, ends: ExitStack, host: Host, name: str, text: str) -> Server:
    directory = world.directory / name
    directory.mkdir()
    return ends.enter_context(coredns(host, directory, text, world.site.host.address))


def _dnsperf(pair: Pair, name: str, *options: str) -> str:
    with tempfile.NamedTemporaryFile("w") as questions:
        # It starts over at the end of a file, and of nothing else.
        questions.writelines(f"{one} A\n" for one in QUESTIONS[name])
        questions.flush()
        words = ["-d", questions.name, "-l", str(SECONDS), *pair.asked(name), *options]
        command = pair.east.host.command("dnsperf", *words)
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
