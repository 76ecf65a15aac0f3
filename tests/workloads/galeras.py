"""A stretched MariaDB Galera of real processes, each in a root file system of the lab's image."""

import json
import os
import shutil
import subprocess
import tarfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from lab.paths import cache
from mesh.workloads import Site, manifests
from tests.dns.hosts import running
from tests.lab.conftest import located
from tests.processes import DIES_WITH_US
from tests.workloads.machines import Machines
from tests.workloads.members import Process, job, pod

USER = 999
IMAGE = "docker.io_library_mariadb_10.11.tar"
ENTER = """\
set -e
root=$1 volume=$2 secret=$3 files=$4 resolver=$5
mount --bind "$root" "$root"
mount --bind "$volume" "$root/var/lib/mysql"
mount --bind "$secret" "$root/certificates"
mount --bind "$files" "$root/configuration"
mount --bind "$resolver" "$root/etc/resolv.conf"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
shift 5
exec chroot --userspec={user}:{user} "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
"""


def root_file_system(target: Path) -> Path:
    """The lab's image unpacked, or what GALERA_ROOT names; skips with words when neither is."""
    if given := os.environ.get("GALERA_ROOT"):
        return Path(given)
    archive = located("LAB_IMAGES", cache() / "images", IMAGE) / IMAGE
    target.mkdir()
    with tarfile.open(archive) as image:
        [manifest] = json.load(cast("IO[bytes]", image.extractfile("manifest.json")))
        for layer in manifest["Layers"]:
            packed = target.with_name("layer.tar")
            with packed.open("wb") as file:
                shutil.copyfileobj(cast("IO[bytes]", image.extractfile(layer)), file)
            subprocess.run(["tar", "-xf", str(packed), "-C", str(target)], check=True)
            packed.unlink()
    return target


@dataclass
class StretchedGalera:
    """The members that can be started and killed, and SQL of a client of each site."""

    machines: Machines
    root: Path
    started: dict[str, ExitStack] = field(default_factory=dict)

    def prepare(self) -> None:
        """Directories that kubelet would mount."""
        for directory in ("certificates", "configuration", "var/lib/mysql"):
            (self.root / directory).mkdir(parents=True, exist_ok=True)
        (self.root / "etc/resolv.conf").touch()
        for site in self.machines.workload.sites:
            objects = manifests(self.machines.workload, site, 1)
            [files] = [
                one["data"]
                for one in objects
                if one["kind"] == "ConfigMap" and one["metadata"]["name"].endswith("-configuration")
            ]
            self._files(site).mkdir()
            for name, text in files.items():
                (self._files(site) / name).write_text(text)
            for secrets in (self.machines.of_members(site), self.machines.of_clients(site)):
                for path in (secrets / "certificates").iterdir():
                    os.chown(path, 0, USER)
                    path.chmod(0o440)
        for name in self.machines.workload.members():
            self.volume(name).mkdir(parents=True)
            os.chown(self.volume(name), USER, USER)

    def volume(self, name: str) -> Path:
        """What stays when a member is killed."""
        return self.machines.directory / name / "volume"

    def log(self, name: str) -> str:
        """What a member said since it was started last."""
        return (self.machines.directory / name / "log").read_text(errors="replace")

    def start(self, name: str) -> None:
        """Start one member with exactly what its manifest says."""
        site, number = self.machines.place(name)
        process = pod(self.machines.workload, site, number)
        # As kubelet does, which knows no last word.
        again = ["sh", "-c", 'while :; do "$@"; sleep 1; done', "kubelet", *process.words]
        process = Process(again, process.environment)
        self.started[name] = ExitStack()
        command = self._command(name, process, self.machines.of_members(site))
        log = self.machines.directory / name / "log"
        self.started[name].enter_context(running(command, log))

    def stop(self, name: str) -> None:
        """Kill one member; its volume stays."""
        self.started.pop(name).close()

    def end(self) -> None:
        """Kill all that run."""
        for name in [*self.started]:
            self.stop(name)

    def verified(self, name: str) -> "subprocess.CompletedProcess[str]":
        """What the Job that verifies says in the site of a member."""
        site, _ = self.machines.place(name)
        process = job(self.machines.workload, site, "verify")
        return self._run(name, process)

    def ask(self, name: str, sql: str) -> str:
        """What a member answers a client of its own site; '' when it answers nothing."""
        client = ("mariadb", "--defaults-file=/configuration/client.cnf", f"--host={name}")
        how = ("--connect-timeout=5", "--skip-column-names", "--batch", f"--execute={sql}")
        return self._run(name, Process([*client, *how], {})).stdout.strip()

    def _run(self, name: str, process: Process) -> "subprocess.CompletedProcess[str]":
        site, _ = self.machines.place(name)
        command = self._command(name, process, self.machines.of_clients(site))
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=90)

    def _command(self, name: str, process: Process, secrets: Path) -> list[str]:
        site, _ = self.machines.place(name)
        mounted = (self.root, self.volume(name), secrets / "certificates", self._files(site))
        variables = [f"{key}={value}" for key, value in process.environment.items()]
        inside = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--", "sh", "-c")
        enter = ENTER.format(user=USER)
        places = [*map(str, mounted), str(self.machines.resolver)]
        host = self.machines.hosts[name]
        # A change of the user makes the kernel forget whose death ends us.
        words = (*DIES_WITH_US, *process.words)
        return host.command(*inside, enter, "sh", *places, *variables, *words)

    def _files(self, site: Site) -> Path:
        return self.machines.directory / f"configuration-{site.stack}"
