"""What a lab could leave behind on this machine."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import psutil
from pyroute2 import IPRoute, netns

from lab import cgroups, limits


@dataclass(frozen=True)
class Machine:
    """Everything a lab makes that must be gone after `lab down`."""

    processes: frozenset[str]
    namespaces: frozenset[str]
    mounts: frozenset[str]
    links: frozenset[str]
    cgroups: frozenset[str]
    limits: frozenset[str]

    @classmethod
    def now(cls) -> "Machine":
        """Look at the machine, leaving out this test's own processes."""
        with IPRoute() as routes:
            links = frozenset(str(link.get_attr("IFLA_IFNAME")) for link in routes.get_links())
        return cls(
            processes=frozenset(_other_processes()),
            namespaces=frozenset(map(str, netns.listnetns())),
            mounts=frozenset(Path("/proc/self/mounts").read_text().splitlines()),
            links=links,
            cgroups=frozenset(map(str, _top_level_cgroups())),
            limits=frozenset(
                f"{name} {(limits.ROOT / name).read_text()}" for name in limits.NEEDED
            ),
        )

    def additions_to(self, before: "Machine") -> list[str]:
        """Return what is here and was not there before."""
        return [
            f"{kind.name}: {thing}"
            for kind in fields(self)
            for thing in sorted(getattr(self, kind.name) - getattr(before, kind.name))
        ]


def _top_level_cgroups() -> Iterator[Path]:
    # Deeper ones come and go with other people's programs; the lab's all lie under one of its own.
    for hierarchy in cgroups.hierarchies():
        yield from (path for path in hierarchy.iterdir() if path.is_dir())


# What a lab starts: nothing of it may run when the lab is down.
_LAB_WORDS = ("vcsim", "lab.", "boot-node", "containerd", "kube", "cilium", "etcd", "pulumi")

# Tests, and builds that may go on beside them.
_OTHER_WORDS = ("pytest", "go build", "/pkg/tool/")


def _other_processes() -> Iterator[str]:
    for process in psutil.process_iter(["cmdline"]):
        command = " ".join(process.info["cmdline"] or ())
        ours = any(word in command for word in _LAB_WORDS)
        builds = any(word in command for word in _OTHER_WORDS)
        if ours and not builds and not _of_another_test_run(process):
            yield command


def _of_another_test_run(process: psutil.Process) -> bool:
    # What a lab leaves behind has lost its parents; what other tests run has a living pytest above.
    here = psutil.Process(os.getpid())
    try:
        above = set(process.parents()) - {here, *here.parents()}
        return any("pytest" in " ".join(parent.cmdline()) for parent in above)
    except psutil.NoSuchProcess:
        return True
