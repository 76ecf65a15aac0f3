"""The way between the lab's sites, and what can happen to it: filters on the nodes' bridge."""

import subprocess
from collections.abc import Iterator, Sequence
from enum import StrEnum

from lab import network, project
from lab.failure import LabError
from mesh.nodes import nodes

TABLE = "lab-link"
# Far below what any tunnel carries, and above a question and its answer.
_SMALL_BYTES = 1000


class Link(StrEnum):
    """What passes between the sites; inside a site everything does, always."""

    WHOLE = "whole"
    """Everything."""
    CUT = "cut"
    """Nothing, not even the question who has an address."""
    NO_TUNNEL = "no-tunnel"
    """All but the pods' tunnel, as behind a firewall that nobody told of its port."""
    SMALL_PACKETS = "small-packets"
    """All but large packets of the tunnel, as with a network card that breaks them."""


def set_link(state: Link) -> None:
    """Let only that pass between the clusters of the lab, until the next call.

    A node that is made in between is not kept from any other.

    Raises:
        LabError: the clusters have no tunnel that could be blocked.
    """
    settings = {stack: project.settings(stack) for stack in project.stacks()}
    cables = [[network.cable_name(node.name) for node in nodes(each)] for each in settings.values()]
    tunnel_port = settings[project.stacks()[0]].mesh.tunnel_port_in_use
    command = network.command(["nft", "--file", "-"])
    subprocess.run(command, input=rules(state, cables, tunnel_port), text=True, check=True)


def rules(state: Link, cables: Sequence[Sequence[str]], tunnel_port: int | None) -> str:
    """Return what `nft` reads; `cables` are those of each site's nodes. Raises LabError."""
    # Made and deleted first: a table that isn't there can't be deleted.
    lines = [f"table bridge {TABLE}", f"delete table bridge {TABLE}"]
    if state is not Link.WHOLE:
        chain = ["type filter hook forward priority 0;", *_drops(state, cables, tunnel_port)]
        lines += [f"table bridge {TABLE} {{ chain between-sites {{", *chain, "}", "}"]
    return "\n".join([*lines, ""])


def _drops(state: Link, cables: Sequence[Sequence[str]], tunnel_port: int | None) -> Iterator[str]:
    if state is not Link.CUT and tunnel_port is None:
        raise LabError("pods are routed by the site's network, and have no tunnel to block")
    matched = {
        Link.CUT: "",
        Link.NO_TUNNEL: f"udp dport {tunnel_port}",
        Link.SMALL_PACKETS: f"udp dport {tunnel_port} meta length > {_SMALL_BYTES}",
    }[state]
    for site in cables:
        others = [cable for other in cables if other is not site for cable in other]
        yield f"iifname {_set(site)} oifname {_set(others)} {matched} drop"


def _set(cables: Sequence[str]) -> str:
    quoted = ", ".join(f'"{cable}"' for cable in cables)
    return f"{{ {quoted} }}"
