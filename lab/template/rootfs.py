"""The node's root file system: a small Debian with what a Kubernetes template for vSphere has."""

import shutil
import subprocess
from pathlib import Path

from lab.debian import debian
from lab.programs import program

FILES = Path(__file__).parent / "files"

PACKAGES = (
    "ca-certificates",
    "cloud-init",
    "conntrack",
    "containerd",
    "containernetworking-plugins",
    "dbus",
    "ebtables",
    "ethtool",
    "iproute2",
    "iptables",
    "iputils-ping",
    "kmod",
    "mount",
    "netplan.io",
    "openssh-server",
    "procps",
    "python3",
    "runc",
    "socat",
    "sudo",
    "systemd-resolved",
    "systemd-sysv",
    "systemd-timesyncd",
    "util-linux",
)
PROGRAMS = ("kubeadm", "kubelet", "kubectl")

_ENABLED = ("systemd-networkd", "systemd-resolved", "containerd", "kubelet")
# A node has no console, no time of its own that it could set, and no packages to update.
_MASKED = (
    "console-getty.service",
    "getty.target",
    "systemd-timesyncd.service",
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "e2scrub_all.timer",
    "fstrim.timer",
)


def make_rootfs(target: Path) -> None:
    """Make the root file system in a new directory."""
    debian(PACKAGES, target)
    shutil.copytree(FILES, target, dirs_exist_ok=True)
    for name in PROGRAMS:
        shutil.copy2(program(name).path, target / "usr/bin" / name)
    _settle(target)


def _settle(root: Path) -> None:
    # Empty, so that each node's first boot makes a machine id of its own.
    (root / "etc/machine-id").write_text("")
    (root / "etc/hostname").unlink(missing_ok=True)
    resolv_conf = root / "etc/resolv.conf"
    resolv_conf.unlink(missing_ok=True)
    # kubeadm and pods need the real name servers, not resolved's own address.
    resolv_conf.symlink_to("/run/systemd/resolve/resolv.conf")
    for directory in ("var/lib/containerd", "opt/containerd", "etc/cni/net.d"):
        (root / directory).mkdir(parents=True, exist_ok=True)
    shutil.copytree(root / "usr/lib/cni", root / "opt/cni/bin", dirs_exist_ok=True)
    for key in (root / "etc/ssh").glob("ssh_host_*"):
        key.unlink()
    _systemctl(root, "enable", *_ENABLED)
    _systemctl(root, "mask", *_MASKED)


def _systemctl(root: Path, *words: str) -> None:
    subprocess.run(["chroot", str(root), "systemctl", *words], check=True, capture_output=True)
