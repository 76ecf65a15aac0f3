import json
from pathlib import Path

import pytest

from tests.mesh.render.clusters import settings
from tests.mesh.render.node_stage import Stage, stage

SCRIPT = "mesh-certificate-renewal.sh"
MANIFESTS = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"]
DAY = 86400


@pytest.fixture
def node(tmp_path: Path) -> Stage:
    made = stage(tmp_path / "n", settings(), "control-plane")
    made.path("/etc/kubernetes/manifests").mkdir()
    for name in MANIFESTS:
        made.path(f"/etc/kubernetes/manifests/{name}.yaml").touch()
    return made


def expiring_in(node: Stage, days: int) -> None:
    certificates = [
        {"name": "apiserver", "residualTime": days * DAY, "missing": False},
        {"name": "etcd-server", "residualTime": 300 * DAY, "missing": False},
        {"name": "admin.conf", "residualTime": 0, "missing": True},
    ]
    answer = json.dumps({"certificates": certificates})
    node.answer("kubeadm", f"[[ $2 != check-expiration ]] || echo '{answer}'\n")


def manifests(node: Stage) -> list[str]:
    return sorted(path.stem for path in node.path("/etc/kubernetes/manifests").iterdir())


def test_fresh_certificates_are_left_alone(node: Stage) -> None:
    expiring_in(node, days=200)
    result = node.run(SCRIPT)
    assert result.stdout == "200 days left: nothing to renew\n", result.stderr
    assert not any("renew" in call for call in node.calls("kubeadm"))


def test_certificates_in_their_last_third_are_renewed(node: Stage) -> None:
    expiring_in(node, days=100)
    assert node.run(SCRIPT).returncode == 0
    assert "certs renew all" in node.calls("kubeadm")
    assert manifests(node) == MANIFESTS


def test_the_control_plane_is_down_while_its_manifests_are_away(node: Stage) -> None:
    expiring_in(node, days=100)
    node.answer("sleep", f"ls {node.path('/etc/kubernetes/manifests')} > {node.folder}/seen\n")
    node.run(SCRIPT)
    assert (node.folder / "seen").read_text() == ""


def test_a_restart_that_was_cut_short_is_repaired(node: Stage) -> None:
    expiring_in(node, days=100)
    node.answer("sleep", 'kill -9 "$PPID"\n')
    node.run(SCRIPT)
    assert manifests(node) == []
    expiring_in(node, days=300)
    assert node.run(SCRIPT).returncode == 0
    assert manifests(node) == MANIFESTS
