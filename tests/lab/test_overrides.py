"""What the lab changes on which machine."""

from pathlib import Path

import pytest

from lab import cgroups, kernel, overrides
from lab.failure import LabError
from lab.overrides import Change, changes


def machine(
    monkeypatch: pytest.MonkeyPatch, *, geneve: bool, unified: bool, raises_limits: bool
) -> dict[str, Change]:
    """The changes, by key, on a machine whose kernel answers like this."""
    monkeypatch.setattr(overrides, "cilium_chart", lambda: Path("/charts/cilium"))
    monkeypatch.setattr(overrides, "metallb_chart", lambda: Path("/charts/metallb"))
    monkeypatch.setattr(kernel, "makes_links_of", lambda kind: geneve or kind != "geneve")
    monkeypatch.setattr(kernel, "may_raise_limits", lambda: raises_limits)
    monkeypatch.setattr(cgroups, "is_version_2", lambda: unified)
    return {change.key: change for change in changes()}


def able(monkeypatch: pytest.MonkeyPatch) -> dict[str, Change]:
    return machine(monkeypatch, geneve=True, unified=True, raises_limits=True)


def poor(monkeypatch: pytest.MonkeyPatch) -> dict[str, Change]:
    return machine(monkeypatch, geneve=False, unified=False, raises_limits=False)


def test_an_able_machine_changes_only_what_every_lab_must(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sorted(able(monkeypatch)) == [
        "acceptance.image",
        "charts.cilium",
        "charts.metallb",
        "cilium.extraValues.envoy.enabled",
        "cilium.extraValues.l7Proxy",
        "images.digests",
        "vsphere.allowUnverifiedTls",
    ]


def test_a_kernel_without_geneve_gets_vxlan_in_all_clusters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = machine(monkeypatch, geneve=False, unified=True, raises_limits=True)
    tunnel = found["mesh.tunnelProtocol"]
    assert (tunnel.value, tunnel.shared) == ("vxlan", True)
    assert "GENEVE" in tunnel.reason
    assert found["mesh.tunnelPort"].shared


def test_cgroup_v1_makes_one_check_of_kubeadm_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    found = machine(monkeypatch, geneve=True, unified=False, raises_limits=True)
    assert found["nodes.ignorePreflightErrors"].value == ["SystemVerification"]


def test_cilium_is_privileged_where_root_may_not_raise_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = machine(monkeypatch, geneve=True, unified=True, raises_limits=False)
    privileged = found["cilium.extraValues.securityContext.privileged"]
    assert privileged.value is True
    assert "CAP_SYS_RESOURCE" in privileged.reason


def test_every_change_has_a_reason_and_a_key_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = poor(monkeypatch)
    assert len(found) == len(changes()) == 11
    assert all(len(change.reason.split()) > 3 for change in found.values())


def test_a_change_goes_to_the_project_or_to_the_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAB_WORKERS", raising=False)
    changed = list(poor(monkeypatch).values())
    made = overrides.overrides(changed)
    assert made.project["charts.cilium"] == {"chart": "/charts/cilium"}
    assert made.stack["vsphere.allowUnverifiedTls"] is True
    assert not set(made.project) & set(made.stack)
    assert len(made.project) + len(made.stack) == len(changed)
    assert made.workers is None


def test_the_environment_says_how_many_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_WORKERS", "1")
    assert overrides.overrides([]).workers == 1
    monkeypatch.setenv("LAB_WORKERS", "")
    assert overrides.overrides([]).workers is None


@pytest.mark.parametrize("workers", ["one", "-1", "1.5", " "])
def test_a_number_of_workers_that_is_none_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    monkeypatch.setenv("LAB_WORKERS", workers)
    with pytest.raises(LabError, match=f"LAB_WORKERS={workers} is no number of workers"):
        overrides.overrides([])
