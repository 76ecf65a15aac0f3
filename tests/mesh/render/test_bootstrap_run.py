"""The start script itself, with programs that only note that they were called."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mesh.render.clusters import settings
from tests.mesh.render.node_stage import Stage, stage

SCRIPT = "mesh-bootstrap.sh"


@pytest.fixture
def control_plane(tmp_path: Path) -> Iterator[Stage]:
    made = stage(tmp_path / "n", settings(), "control-plane")
    with _socket(made):
        yield made


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Stage]:
    made = stage(tmp_path / "n", settings(), "worker")
    made.answer("python3", "echo ok\n")
    python = made.folder / "programs" / "python3"
    python.write_text((made.folder / "programs" / "kubeadm").read_text())
    python.chmod(0o755)
    with _socket(made):
        yield made


def _socket(made: Stage) -> socket.socket:
    found = socket.socket(socket.AF_UNIX)
    found.bind(str(made.path("/run/containerd/containerd.sock")))
    return found


def test_a_control_plane_goes_through_its_stages(control_plane: Stage) -> None:
    result = control_plane.run(SCRIPT)
    assert result.returncode == 0, result.stdout
    seen = [(status["stage"], status["state"]) for status in control_plane.statuses()]
    assert seen == [
        ("prepare", "running"),
        ("containerd", "running"),
        ("kubeadm-init", "running"),
        ("done", "done"),
    ]
    assert control_plane.path("/etc/kubernetes/pki/ca.key").read_text() == "CLUSTER CA KEY\n"
    assert "kubeadm-init running" in control_plane.path("/var/log/mesh/bootstrap.log").read_text()


def test_the_token_does_not_get_into_the_log(control_plane: Stage) -> None:
    control_plane.run(SCRIPT)
    assert any("--skip-token-print" in call for call in control_plane.calls("kubeadm"))


def test_a_second_run_does_nothing_but_say_so(control_plane: Stage) -> None:
    control_plane.run(SCRIPT)
    before = control_plane.calls("kubeadm")
    assert control_plane.run(SCRIPT).returncode == 0
    assert control_plane.calls("kubeadm") == before
    assert control_plane.statuses()[-1]["state"] == "done"


def test_an_init_that_was_cut_short_starts_from_a_clean_node(control_plane: Stage) -> None:
    control_plane.answer("kubeadm", '[[ $1 != init ]] || kill -9 "$PPID"\necho v1.36.3\n')
    control_plane.run(SCRIPT)
    kept = '[[ $1 != reset ]] || rm -r "%s"\necho v1.36.3\n'
    control_plane.answer("kubeadm", kept % control_plane.path("/etc/kubernetes/pki"))
    assert control_plane.run(SCRIPT).returncode == 0
    verbs = [call.split()[0] for call in control_plane.calls("kubeadm")]
    assert verbs == ["version", "init", "version", "reset", "init"]
    assert control_plane.path("/etc/kubernetes/pki/ca.key").exists()


def test_what_kubeadm_says_arrives_in_the_status(control_plane: Stage) -> None:
    control_plane.answer(
        "kubeadm",
        "[[ $1 != version ]] || { echo v1.36.3; exit; }\n"
        "echo '[init] Using Kubernetes version'\n"
        "echo 'error execution phase preflight: [preflight] Some \"fatal\" errors occurred:'\n"
        "printf '\\t[ERROR NumCPU]: the number of CPUs 1 is less than 2\\n'\n"
        "exit 1\n",
    )
    assert control_plane.run(SCRIPT).returncode == 1
    last = control_plane.statuses()[-1]
    assert (last["stage"], last["state"]) == ("kubeadm-init", "failed")
    assert last["error"] == (
        'kubeadm init: error execution phase preflight: [preflight] Some "fatal" errors occurred:'
        "  [ERROR NumCPU]: the number of CPUs 1 is less than 2"
    )


def test_a_template_of_another_version_is_refused_in_words(control_plane: Stage) -> None:
    control_plane.answer("kubeadm", "echo v1.35.1\n")
    result = control_plane.run(SCRIPT)
    assert result.returncode == 78
    assert control_plane.statuses()[-1]["error"] == (
        "template kubernetes-1.36.3 carries kubeadm v1.35.1, the stack wants v1.36.3:"
        " name a template with v1.36.3 in vsphere.template, or set versions.kubernetes to 1.35.1"
    )


def test_a_template_without_kubelet_is_refused_in_words(control_plane: Stage) -> None:
    (control_plane.folder / "programs" / "kubelet").unlink()
    assert control_plane.run(SCRIPT).returncode == 78
    assert "has no kubelet" in control_plane.statuses()[-1]["error"]


def test_an_unforeseen_failure_names_its_command(control_plane: Stage) -> None:
    control_plane.answer("sysctl", "exit 4\n")
    assert control_plane.run(SCRIPT).returncode == 4
    last = control_plane.statuses()[-1]
    assert last["state"] == "failed"
    assert "stopped with exit status 4 at: sysctl" in last["error"]


def test_a_containerd_without_a_socket_is_named(tmp_path: Path) -> None:
    made = stage(tmp_path / "n", settings(), "worker")
    assert made.run(SCRIPT).returncode == 1
    assert "containerd shows no" in made.statuses()[-1]["error"]


def test_a_worker_waits_for_the_api_server_and_says_for_what(worker: Stage) -> None:
    worker.answer(
        "python3",
        f'f="{worker.folder}/tries"; echo >> "$f"\n'
        '(( $(wc -l < "$f") > 2 )) && echo ok || echo "[Errno 111] Connection refused"\n',
    )
    assert worker.run(SCRIPT).returncode == 0
    waiting = [status for status in worker.statuses() if status["error"]]
    assert [status["error"] for status in waiting] == [
        "waiting for https://10.11.85.11:6443: [Errno 111] Connection refused"
    ]
    assert any(call.startswith("join --config") for call in worker.calls("kubeadm"))


def test_a_worker_places_no_authority(worker: Stage) -> None:
    assert worker.run(SCRIPT).returncode == 0
    assert not worker.path("/etc/kubernetes/pki").exists()


def test_time_servers_reach_the_service_the_template_has(control_plane: Stage) -> None:
    control_plane.path("/etc/systemd/timesyncd.conf.d/mesh.conf").touch()
    control_plane.answer("systemctl", "[[ $* != *chron* ]]\n")
    assert control_plane.run(SCRIPT).returncode == 0
    assert "restart systemd-timesyncd.service" in control_plane.calls("systemctl")


def test_a_node_without_vmware_tools_still_becomes_one(worker: Stage) -> None:
    (worker.folder / "programs" / "vmware-rpctool").unlink()
    result = worker.run(SCRIPT)
    assert result.returncode == 0
    assert "open-vm-tools is missing" in result.stdout
