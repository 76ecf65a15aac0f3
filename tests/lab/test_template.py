import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from lab.images import build_images
from lab.node_disk import Template, copy_store
from lab.paths import DISKS
from lab.template import node_template
from lab.template.rootfs import FILES

RPCTOOL = FILES / "usr/bin/vmware-rpctool"


def ask(tmp_path: Path, reply: dict[str, object], request: str) -> subprocess.CompletedProcess[str]:
    """Run the node's rpctool against a door that gives one reply and notes the request."""
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(tmp_path / "socket"))
    door.listen()

    def answer() -> None:
        connection, _ = door.accept()
        with connection:
            (tmp_path / "request").write_bytes(connection.makefile("rb").readline())
            connection.sendall(json.dumps(reply).encode())

    server = threading.Thread(target=answer)
    server.start()
    program = RPCTOOL.read_text().replace("/run/guestinfo/socket", str(tmp_path / "socket"))
    try:
        return subprocess.run(["python3", "-c", program, request], capture_output=True, text=True)
    finally:
        server.join(10)
        door.close()


def test_rpctool_prints_the_value_alone(tmp_path: Path) -> None:
    finished = ask(tmp_path, {"ok": True, "value": "abc"}, "info-get guestinfo.metadata")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "abc", "")
    assert (tmp_path / "request").read_text() == "info-get guestinfo.metadata\n"


def test_rpctool_says_what_cloud_init_expects_when_there_is_no_value(tmp_path: Path) -> None:
    finished = ask(tmp_path, {"ok": False, "value": ""}, "info-get guestinfo.vendordata")
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr == "No value found"


def test_a_node_says_it_is_a_virtual_machine_of_vsphere_and_no_container() -> None:
    detect = FILES / "usr/bin/systemd-detect-virt"
    assert subprocess.run([detect, "--quiet", "--container"]).returncode == 1
    assert subprocess.run([detect], capture_output=True, text=True).stdout == "vmware\n"
    product = subprocess.run(
        [FILES / "usr/sbin/dmidecode", "-s", "system-product-name"], capture_output=True, text=True
    )
    assert product.stdout == "VMware7,1\n"


def test_every_program_among_the_files_is_executable() -> None:
    for path in [*(FILES / "usr/bin").iterdir(), *(FILES / "usr/sbin").iterdir()]:
        assert os.access(path, os.X_OK), path


def test_the_kubelet_reads_the_lab_s_settings_beside_kubeadm_s() -> None:
    directory = "/etc/kubernetes/kubelet.conf.d"
    assert f"--config-dir={directory}" in (FILES / "etc/default/kubelet").read_text()
    for path in (FILES / directory.lstrip("/")).iterdir():
        assert path.suffix == ".conf"
        assert yaml.safe_load(path.read_text())["kind"] == "KubeletConfiguration"


def test_cloud_init_asks_vsphere_alone() -> None:
    path = FILES / "etc/cloud/cloud.cfg.d/99-lab.cfg"
    assert yaml.safe_load(path.read_text())["datasource_list"] == ["VMware"]


@pytest.fixture(scope="module")
def template() -> Template:
    return node_template(build_images(lambda *_: None), lambda *_: None)


@pytest.fixture
def stores(template: Template) -> Iterator[list[Path]]:
    home = DISKS / "test-stores"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    stores = [home / "one", home / "two"]
    for store in stores:
        copy_store(template.containerd, store)
    yield stores
    shutil.rmtree(home)


@pytest.mark.lab
def test_the_template_has_what_a_node_needs(template: Template) -> None:
    needed = (
        *("usr/bin/kubeadm", "usr/bin/kubelet", "usr/bin/kubectl", "usr/bin/containerd"),
        *("opt/cni/bin/loopback", "usr/sbin/iptables", "usr/bin/cloud-init", "usr/sbin/conntrack"),
    )
    for path in needed:
        # From inside: a link to /etc/alternatives would be followed on this machine otherwise.
        inside = ["chroot", str(template.root), "test", "-f", f"/{path}"]
        assert subprocess.run(inside, check=False).returncode == 0, path
    assert (template.root / "etc/machine-id").read_text() == ""
    assert not list((template.root / "etc/ssh").glob("ssh_host_*"))
    wanted = template.root / "etc/systemd/system/multi-user.target.wants"
    assert {"containerd.service", "kubelet.service"} <= {path.name for path in wanted.iterdir()}


@pytest.mark.lab
def test_two_nodes_run_containers_from_one_unpacked_copy(
    template: Template, stores: list[Path]
) -> None:
    before = (template.containerd / "io.containerd.metadata.v1.bolt/meta.db").read_bytes()
    for store in stores:
        assert run_in(template, store) == "hello from the toolbox\n"
    assert (template.containerd / "io.containerd.metadata.v1.bolt/meta.db").read_bytes() == before


def run_in(template: Template, store: Path) -> str:
    """Start containerd on a store, run one container, and stop; return what it printed."""
    inside = """
      containerd --log-level error >/dev/null 2>&1 &
      for _ in $(seq 100); do ctr version >/dev/null 2>&1 && break; sleep 0.2; done
      # A container needs a cgroup namespace's mounts, which this small test has not.
      snapshot=$(ctr -n k8s.io images list -q name==lab.local/toolbox:1)
      ctr -n k8s.io images mount --rw "$snapshot" /media >/dev/null
      chroot /media /bin/bash -c 'echo hello from the toolbox | tee /written'
      ctr -n k8s.io images unmount /media >/dev/null
      kill %1; wait
    """
    outside = f"""
      mount --make-rprivate /
      mount --bind {template.root} /mnt && mount -o remount,bind,ro /mnt
      mount -t proc proc /mnt/proc && mount --rbind /dev /mnt/dev
      mount -t tmpfs tmpfs /mnt/run && mount -t tmpfs tmpfs /mnt/tmp
      mount -t tmpfs tmpfs /mnt/media
      mount --bind {store} /mnt/var/lib/containerd
      exec chroot /mnt bash -c "$1"
    """
    unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-euc"]
    finished = subprocess.run(
        [*unshare, outside, "test", inside], capture_output=True, text=True, timeout=120
    )
    assert finished.returncode in (0, 143), finished.stderr
    return finished.stdout
