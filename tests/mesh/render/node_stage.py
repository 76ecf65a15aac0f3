"""A stage on which the node's scripts run: their paths in a folder, programs that only note."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesh.render.bootstrap import bootstrap_environment
from mesh.render.node_file import packaged
from mesh.settings import Settings
from tests.mesh.render.first_boot import control_plane, worker

FOLDERS = (
    *("/etc/mesh", "/etc/kubernetes", "/etc/systemd/timesyncd.conf.d"),
    *("/var/log/mesh", "/var/lib/mesh", "/run/containerd", "/sys/fs/bpf"),
)

NOTES = """#!/bin/bash
echo "$(basename "$0") $*" >> "{folder}/calls"
answer="{folder}/answers/$(basename "$0")"
if [[ -e $answer ]]; then source "$answer"; fi
"""

PROGRAMS = (
    *("kubeadm", "kubelet", "containerd", "systemctl", "modprobe", "sysctl", "swapoff"),
    *("mountpoint", "mount", "vmware-rpctool", "sleep", "sync"),
)


@dataclass
class Stage:
    """`answers` are bash lines a program runs after noting that it was called."""

    folder: Path

    def answer(self, name: str, lines: str) -> None:
        (self.folder / "answers" / name).write_text(lines)

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        text = packaged(script)
        for folder in FOLDERS:
            text = text.replace(folder, f"{self.folder}{folder}")
        path = f"{self.folder}/programs:{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "-c", text],
            env={"PATH": path, "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def path(self, path: str) -> Path:
        return self.folder / path.lstrip("/")

    def calls(self, program: str) -> list[str]:
        """Arguments of every call of the program so far."""
        calls = self.folder.joinpath("calls").read_text().splitlines()
        return [call.removeprefix(f"{program} ") for call in calls if call.startswith(program)]

    def statuses(self) -> list[dict[str, Any]]:
        prefix = "info-set guestinfo.mesh.status "
        return [json.loads(each.removeprefix(prefix)) for each in self.calls("vmware-rpctool")]


def stage(folder: Path, settings: Settings, role: str) -> Stage:
    """A node before its first boot, with a template that keeps its contract."""
    node = control_plane(settings) if role == "control-plane" else worker(settings)
    for name in ("answers", "programs", *(folder.lstrip("/") for folder in FOLDERS)):
        (folder / name).mkdir(parents=True)
    for name in PROGRAMS:
        program = folder / "programs" / name
        program.write_text(NOTES.format(folder=folder))
        program.chmod(0o755)
    made = Stage(folder)
    made.path("/etc/mesh/bootstrap.env").write_text(bootstrap_environment(settings, node))
    made.path("/etc/mesh/pki").mkdir()
    made.path("/etc/mesh/pki/ca.key").write_text("CLUSTER CA KEY\n")
    version = settings.versions.kubernetes
    made.answer("kubeadm", f'[[ $1 != version ]] || echo "v{version}"\n')
    made.answer("kubelet", f'echo "Kubernetes v{version}"\n')
    return made
