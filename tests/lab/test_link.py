"""The way between the sites, in namespaces of the test's own: a running lab's is never touched."""

import os
import subprocess
import sys
from collections.abc import Iterator
from ipaddress import IPv4Interface

import pytest

from lab import network
from lab.failure import LabError
from lab.link import Link, rules
from tests.lab.test_network import await_own_network

SITES = {"east": ["east-worker-1", "east-worker-2"], "west": ["west-worker-1"]}
CABLES = [[network.cable_name(name) for name in names] for names in SITES.values()]
ADDRESSES = {
    "east-worker-1": "10.11.85.12",
    "east-worker-2": "10.11.85.13",
    "west-worker-1": "10.11.85.22",
}
TUNNEL, OTHER = 8223, 53
SMALL, LARGE = 100, 1300
ECHO = """
import selectors, socket
ready = selectors.DefaultSelector()
for port in ({ports}):
    opened = socket.socket(type=socket.SOCK_DGRAM)
    opened.bind(("", port))
    ready.register(opened, selectors.EVENT_READ)
print("ready", flush=True)
while True:
    for key, _ in ready.select():
        data, sender = key.fileobj.recvfrom(2000)
        key.fileobj.sendto(data[:1], sender)
"""
ASK = """
import socket, sys
asking = socket.socket(type=socket.SOCK_DGRAM)
asking.settimeout(0.5)
for _ in range(3):
    try:
        asking.sendto(b"." * int(sys.argv[3]), (sys.argv[1], int(sys.argv[2])))
        asking.recv(10)
        sys.exit(0)
    except OSError:
        pass
sys.exit(1)
"""


@pytest.fixture(scope="module")
def machines() -> Iterator[dict[str, int]]:
    """Three machines of two sites on one bridge, each with an echo on two ports, by process id."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network, "NAMESPACE", f"mesh-test-link-{os.getpid()}")
        network.create([IPv4Interface("10.11.84.1/22")])
        echoes = [_machine(name) for name in ADDRESSES]
        yield {name: echo.pid for name, echo in zip(ADDRESSES, echoes, strict=True)}
        for echo in echoes:
            echo.kill()
            echo.communicate()
        network.remove()


def _machine(name: str) -> subprocess.Popen[str]:
    echo = ECHO.format(ports=f"{TUNNEL}, {OTHER}")
    command = ["unshare", "--net", sys.executable, "-c", echo]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    await_own_network(process.pid)
    network.connect(name, process.pid)
    for words in (f"address add {ADDRESSES[name]}/22 dev ens192", "link set ens192 up"):
        inside = ["nsenter", f"--target={process.pid}", "--net", "ip", *words.split()]
        subprocess.run(inside, check=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def let_pass(state: Link) -> None:
    command = network.command(["nft", "--file", "-"])
    subprocess.run(command, input=rules(state, CABLES, TUNNEL), text=True, check=True)


def passes(asker: int, to: str, port: int, size: int = SMALL) -> bool:
    command = ["nsenter", f"--target={asker}", "--net", sys.executable, "-c", ASK]
    asked = subprocess.run([*command, to, str(port), str(size)], check=False)
    return asked.returncode == 0


def seen(machines: dict[str, int]) -> dict[str, bool]:
    """What passes from west to east, and from one machine of east to the other."""
    west, east = machines["west-worker-1"], machines["east-worker-2"]
    address = ADDRESSES["east-worker-1"]
    return {
        "other port": passes(west, address, OTHER),
        "tunnel": passes(west, address, TUNNEL),
        "large by tunnel": passes(west, address, TUNNEL, LARGE),
        "large": passes(west, address, OTHER, LARGE),
        "back": passes(machines["east-worker-1"], ADDRESSES["west-worker-1"], OTHER),
        "inside": passes(east, address, TUNNEL, LARGE),
        "the site's gateway": _finds_the_gateway(west),
    }


def _finds_the_gateway(asker: int) -> bool:
    # Nobody listens there: an answer is the refusal, which needs the way to be open.
    refused = "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(2)\n"
    refused += "s.connect(('10.11.84.1', 9)); s.send(b'.')\n"
    refused += "try: s.recv(1)\nexcept ConnectionRefusedError: raise SystemExit(0)"
    command = ["nsenter", f"--target={asker}", "--net", sys.executable, "-c", refused]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


BROKEN = {
    Link.WHOLE: set[str](),
    Link.CUT: {"other port", "tunnel", "large by tunnel", "large", "back"},
    Link.NO_TUNNEL: {"tunnel", "large by tunnel"},
    Link.SMALL_PACKETS: {"large by tunnel"},
}


@pytest.mark.lab
@pytest.mark.parametrize("state", Link)
def test_only_what_is_broken_between_the_sites_stops_passing(
    machines: dict[str, int], state: Link
) -> None:
    let_pass(state)
    stopped = {name for name, passed in seen(machines).items() if not passed}
    let_pass(Link.WHOLE)
    assert stopped == BROKEN[state]
    assert all(seen(machines).values())


def test_three_sites_are_kept_from_each_other_and_not_within() -> None:
    text = rules(Link.CUT, [["a"], ["b"], ["c", "d"]], None)
    assert 'iifname { "a" } oifname { "b", "c", "d" }  drop' in text
    assert 'iifname { "c", "d" } oifname { "a", "b" }  drop' in text


def test_what_has_no_tunnel_is_told_so() -> None:
    with pytest.raises(LabError, match="have no tunnel to block"):
        rules(Link.NO_TUNNEL, CABLES, None)
