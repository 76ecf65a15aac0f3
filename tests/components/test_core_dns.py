"""What CoreDNS's roll-out is told, and kubeadm's own Corefile."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from mesh.nodes import nodes
from mesh.render.corefile import corefile
from mesh.render.kubeadm import init_configuration
from tests.mesh.render.clusters import peers, settings
from tests.mesh.render.first_boot import TOKEN
from tests.mesh.render.programs import program, run
from tests.mocks import run_program


def roll_out() -> Any:
    return run_program("east").one("east-core-dns-roll-out")


def test_no_old_pod_goes_before_a_new_one_is_ready() -> None:
    strategy = roll_out().inputs["spec"]["strategy"]
    assert strategy["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}


def test_a_pod_that_fails_keeps_the_end_of_its_log_where_the_engine_reads_it() -> None:
    [container] = roll_out().inputs["spec"]["template"]["spec"]["containers"]
    assert container == {
        "name": "coredns",
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def test_a_roll_out_that_does_not_end_is_given_up_after_five_minutes() -> None:
    bound = roll_out().request.customTimeouts
    assert (bound.create, bound.update) == ("5m", "5m")


@pytest.mark.parametrize(
    "mode",
    [{"mode": "zones"}, {"mode": "namespaces", "namespaces": ["east-1"]}, {"mode": "domain"}],
    ids=lambda mode: mode["mode"],
)
def test_without_forwarding_the_corefile_is_what_kubeadm_writes_to_the_last_byte(
    mode: dict[str, Any], tmp_path: Path
) -> None:
    own = settings(dns={"forwarding": False, **mode})
    control_plane = nodes(own)[0]
    (tmp_path / "kubeadm.yaml").write_text(init_configuration(own, control_plane, TOKEN))
    phase = ("init", "phase", "addon", "coredns", "--print-manifest")
    config = ("--config", tmp_path / "kubeadm.yaml")
    printed = run(program("kubeadm", "KUBEADM"), *phase, *config)
    assert printed.returncode == 0, printed.stderr
    made = {one["kind"]: one for one in yaml.safe_load_all(printed.stdout) if one}
    assert corefile(own, peers("west")) == made["ConfigMap"]["data"]["Corefile"]
