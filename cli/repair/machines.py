"""Virtual machines, folder and rule of a stack that its state doesn't know."""

import base64
import gzip
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

import yaml

from cli.state import State

MACHINE = "vsphere:index/virtualMachine:VirtualMachine"
FOLDER = "vsphere:index/folder:Folder"
RULE = "vsphere:index/computeClusterVmAntiAffinityRule:ComputeClusterVmAntiAffinityRule"


@dataclass(frozen=True)
class Machine:
    """A virtual machine in the stack's folder; `uuid` is None while vCenter still makes it."""

    moid: str
    name: str
    uuid: str | None
    powered_on: bool
    guestinfo: Mapping[str, str] = field(default_factory=dict, repr=False)


class Verdict(Enum):
    """What becomes of something that the state doesn't know; the value says why."""

    DELETE = "its creation was cut short"
    WAIT = "vCenter is still making it"
    FOREIGN = "this program didn't make it"
    KEEP = "no creation of it was cut short: is this the right backend, with the last state?"


def unknown_machines(
    found: Collection[Machine], state: State, cluster: str
) -> Iterator[tuple[Machine, Verdict]]:
    """Every machine that the state doesn't know, with what becomes of it.

    Only what the state says was being created is deleted: a lost state, or another backend's,
    must not cost a living cluster.
    """
    known = {resource.id for resource in state.of_type(MACHINE)}
    cut_short = {str(one.inputs.get("name")) for one in state.being_created(MACHINE)}
    for machine in found:
        if machine.uuid not in known:
            yield machine, _verdict(machine, cut_short, cluster)


def _verdict(machine: Machine, cut_short: Collection[str], cluster: str) -> Verdict:
    if not re.fullmatch(rf"{re.escape(cluster)}-(control-plane|worker)-\d+", machine.name):
        return Verdict.FOREIGN
    identity = instance_id(machine.guestinfo)
    # Between its clone and its configuration a machine is off and has no guestinfo.
    bare = identity is None and not machine.powered_on
    if not bare and not (identity or "").startswith(f"{machine.name}-"):
        return Verdict.FOREIGN
    if machine.name not in cut_short:
        return Verdict.KEEP
    return Verdict.WAIT if machine.uuid is None else Verdict.DELETE


def instance_id(guestinfo: Mapping[str, str]) -> str | None:
    """The instance-id in a machine's guestinfo metadata, or None."""
    text = guestinfo.get("guestinfo.metadata")
    encoding = guestinfo.get("guestinfo.metadata.encoding", "")
    if text is None:
        return None
    try:
        data = base64.b64decode(text) if "base64" in encoding else text.encode()
        data = gzip.decompress(data) if "gzip" in encoding else data
        found = yaml.safe_load(data)
    except (ValueError, OSError, EOFError, yaml.YAMLError):
        return None
    identity = found.get("instance-id") if isinstance(found, dict) else None
    return identity if isinstance(identity, str) else None


def rule_name(cluster: str) -> str:
    """The name of the rule that keeps a cluster's workers apart."""
    return f"{cluster}-nodes-workers-apart"


def folder_verdict(path: str, state: State) -> Verdict | None:
    """What becomes of the stack's folder if it exists; None when the state knows its folder."""
    return _only_one(FOLDER, "path", path, state)


def rule_verdict(name: str, state: State) -> Verdict | None:
    """What becomes of the stack's rule if it exists; None when the state knows its rule."""
    return _only_one(RULE, "name", name, state)


def _only_one(kind: str, key: str, value: str, state: State) -> Verdict | None:
    if any(state.of_type(kind)):
        return None
    cut_short = any(one.inputs.get(key) == value for one in state.being_created(kind))
    return Verdict.DELETE if cut_short else Verdict.KEEP
