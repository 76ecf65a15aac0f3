"""What one kind of workload adds to what all kinds have: the interface of a kind.

A kind is one file with one function, `(workload, site) -> Software`, and a row in `kinds.py`. It
says which image runs with which arguments; everything around that is in `manifests.py`.

What a container finds, whatever the kind:

* `CERTIFICATES`: the Secret of the members, with `ca.crt`, the files of `Software.certificates`
  that are not for clients;
* in a Task, at the same path: the Secret of the clients, with `ca.crt` and the certificates for
  clients;
* `CONFIGURATION`: `Software.files`, one file each;
* the environment of `environment.py`: `MEMBER_NAME`, `MEMBERS`, `SEEDS` and so on, to be used in
  arguments as `$(MEMBER_NAME)`, which needs no shell.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mesh.settings.workloads import PROGRAM_MOUNTS
from mesh.workloads.workload import Site, Workload

CERTIFICATES, CONFIGURATION = PROGRAM_MOUNTS


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """A certificate of the workload's own CA, kept as `<name>.crt` and `<name>.key`."""

    name: str
    common_name: str
    organization: str | None = None
    organizational_unit: str | None = None
    server: bool = False
    """Whether it vouches for the members of this cluster, under every name they are called by."""
    for_clients: bool = False
    """Whether it lies in the Secret of the clients, and not in that of the members."""
    in_one_file: bool = False
    """Whether there is `<name>.pem` too, certificate and key together."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a Job runs, in the image of the members, again and again until it exits with 0."""

    command: tuple[str, ...]
    environment: Mapping[str, str | Mapping[str, Any]]
    as_member: bool = False
    """Whether it has the Secret of the members, in place of the clients'."""


@dataclass(frozen=True, kw_only=True)
class Software:
    """What runs in a member of one cluster, and what is done once it runs."""

    image: str
    """The kind's own image, where the settings name none."""
    ports: Mapping[str, int]
    """TCP ports by name; the first is the one that clients dial."""
    data: str
    """Where the volume lies."""
    readiness: Mapping[str, Any]
    """The readiness probe, as in a container's spec."""
    liveness: Mapping[str, Any] | None = None
    """The liveness probe, where software can stay up and be of no use any more."""
    command: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str | Mapping[str, Any]] = field(default_factory=dict)
    """Values, or a `valueFrom` as in a container's spec."""
    files: Mapping[str, str] | None = None
    """Configuration by file name; a change reaches the running members as files, unrestarted."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Values that change with the members and must restart none, read by `configured`."""
    certificates: tuple[Certificate, ...]
    exact_names: bool = False
    """Whether certificates name each member too, where a wildcard is not enough."""
    reloads_certificates: bool = False
    """Whether it takes renewed certificates by itself; if not, the members restart one by one."""
    user: int | None = None
    """User and group of its processes and volume; absent is the image's own."""
    grace_seconds: int = 60
    """How long a member may take to leave."""
    mounts: tuple[Mapping[str, Any], ...] = ()
    """Further mounts of the volumes `configuration` and `certificates`."""
    initialise: Task | None = None
    """Done in one cluster, the first with members; safe to be done again."""
    verify: Task | None = None
    """Exits with 0 once every member of every cluster is in; done in each cluster."""


Kind = Callable[[Workload, Site], Software]
"""How a kind is looked up: from the whole workload and one cluster's part to its Software."""


def configured(site: Site, fact: str) -> dict[str, Any]:
    """The `valueFrom` of an environment variable that is read from `Software.facts`.

    The pod template stays as it is when the value changes, so nothing restarts.
    """
    return {"configMapKeyRef": {"name": f"{site.workload}-members", "key": fact}}


def secret_name(site: Site, *, for_clients: bool = False) -> str:
    """The Secret of the members of a workload, or that of its clients."""
    return f"{site.workload}-{'client' if for_clients else 'member'}"
