"""What this machine needs before the lab can run: every problem says what to do about it."""

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from lab.building import BuildError, require_space
from lab.kernel import makes_links_of
from lab.paths import DISKS, cache

GO_MINIMUM = (1, 26)
# The command that must be found, and the Debian package that has it.
COMMANDS = {
    "mmdebstrap": "mmdebstrap",
    "ip": "iproute2",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "mount": "mount",
    "nft": "nftables",
}
# What only the tests run beside the lab; they say so where it is missing.
TEST_COMMANDS = {"dig": "bind9-dnsutils", "dnsperf": "dnsperf", "musl-gcc": "musl-tools"}
# mmdebstrap checks Debian's signatures with it; other distributions do not install it.
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")

_FREE_GIB = 10


def problems() -> tuple[str, ...]:
    """Return what keeps the lab from running here, one line each; empty when nothing does."""
    if platform.system() != "Linux":
        return ("the lab needs Linux: run it on a Linux machine or in a virtual machine",)
    if os.geteuid() != 0:
        return ("the lab makes namespaces and mounts: run it as root (sudo make lab)",)
    checks: Sequence[Callable[[], str | None]] = (
        _packages_problem,
        _go_problem,
        _space_problem,
        _cgroup_problem,
        _bpf_problem,
        _overlay_problem,
        _tunnel_problem,
    )
    return tuple(problem for check in checks if (problem := check()))


def missing_packages() -> tuple[str, ...]:
    """Return the Debian packages whose commands are not on this machine."""
    missing = {package for command, package in COMMANDS.items() if not shutil.which(command)}
    if not KEYRING.is_file():
        missing.add("debian-archive-keyring")
    return tuple(sorted(missing))


def install_missing(say: Callable[[str], None]) -> None:
    """Install the missing Debian packages where that is possible: root, and apt-get is there."""
    wanted = {package for command, package in TEST_COMMANDS.items() if not shutil.which(command)}
    missing = sorted({*missing_packages(), *wanted})
    if not missing or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    say(f"installing {', '.join(missing)}")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "--yes", "--no-install-recommends", "-qq", *missing]
    if subprocess.run(install, env=quiet, check=False).returncode:
        # The lists may be old or absent, as in a fresh container.
        subprocess.run(["apt-get", "update", "-qq"], env=quiet, check=True)
        subprocess.run(install, env=quiet, check=True)


def go_version(text: str) -> tuple[int, int] | None:
    """Return (1, 26) for `go1.26.8`; None when the text names no version."""
    found = re.match(r"go(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def _packages_problem() -> str | None:
    missing = missing_packages()
    return f"install what is missing: apt-get install {' '.join(missing)}" if missing else None


def _go_problem() -> str | None:
    wanted = ".".join(map(str, GO_MINIMUM))
    if not shutil.which("go"):
        return f"Go {wanted} or later is not on PATH: install it from https://go.dev/dl"
    told = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=False)
    version = go_version(told.stdout)
    if version is None or version < GO_MINIMUM:
        return f"Go is {told.stdout.strip()}: install {wanted} or later from https://go.dev/dl"
    return None


def _space_problem() -> str | None:
    try:
        # What the builds need comes on top and is checked by them, because it shrinks as they go.
        for directory in (cache(), DISKS):
            require_space(directory, _FREE_GIB)
    except BuildError as error:
        return str(error)
    return None


def _cgroup_problem() -> str | None:
    root = Path("/sys/fs/cgroup")
    if (root / "cgroup.controllers").exists() or (root / "memory").exists():
        return None
    return "no cgroups are mounted at /sys/fs/cgroup: boot a kernel with the memory controller"


def _bpf_problem() -> str | None:
    if Path("/sys/fs/bpf").is_dir() and Path("/sys/kernel/btf/vmlinux").exists():
        return None
    return "Cilium needs a kernel with BPF and BTF (CONFIG_BPF_SYSCALL, CONFIG_DEBUG_INFO_BTF)"


def _overlay_problem() -> str | None:
    if "overlay" not in Path("/proc/filesystems").read_text():
        subprocess.run(["modprobe", "overlay"], capture_output=True, check=False)
    if "overlay" not in Path("/proc/filesystems").read_text():
        return "the kernel has no overlay file system: load it (modprobe overlay)"
    existing = next(path for path in (DISKS, *DISKS.parents) if path.exists())
    command = ["stat", "--file-system", "--format=%T", str(existing)]
    kind = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if kind == "overlayfs":
        return (
            f"{DISKS} lies on an overlay, below which no node can unpack: mount a real disk there"
        )
    return None


def _tunnel_problem() -> str | None:
    if any(makes_links_of(kind) for kind in ("vxlan", "geneve")):
        return None
    return "the kernel has neither VXLAN nor GENEVE: load one (modprobe vxlan)"
