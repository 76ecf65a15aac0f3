"""The life of our Corefile, on the real engine and kubeadm's own CoreDNS."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pulumi
import pulumi_kubernetes
import pytest
from pulumi import automation

from components import core_dns
from components.core_dns import CoreDns, CoreDnsArgs
from mesh.render.corefile import corefile
from tests.cli.conftest import Kubernetes, kubernetes
from tests.engine.conftest import Engine
from tests.engine.core_dns_pods import CoreDnsPods, kubeadms, running
from tests.engine.kubeadm_core_dns import KubeadmCoreDns
from tests.mesh.render.clusters import peers, settings

__all__ = ["kubernetes"]

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]

PROGRAM = "coredns"
# The values of options are CoreDNS's own business: nothing that reads the settings looks at them.
WRONG = "ttl never"
HOSTS = f"hosts {{\n    192.0.2.7 db.example\n    {WRONG}\n    fallthrough\n}}"
ONE_PEER = corefile(settings(), peers("west"))
TWO_PEERS = corefile(settings(), peers("west", "north"))
KUBEADM = corefile(settings(dns={"forwarding": False}), peers("west"))
REJECTED = corefile(settings(dns={"extra": {"plugins": HOSTS}}), peers("west"))
LINE = [line.strip() for line in REJECTED.splitlines()].index(WRONG) + 1
REASON = f"plugin/hosts: Corefile:{LINE} - Error during parsing: ttl needs a number"
BOUND_SECONDS = 20


def program(kubeconfig: str, text: str | None) -> None:
    access = pulumi_kubernetes.Provider("access", kubeconfig=kubeconfig)
    lifetime = pulumi.Stash("lifetime", input="east")
    if text:
        arguments = CoreDnsArgs(corefile=text, lifetime=lifetime)
        CoreDns("east-core-dns", arguments, pulumi.ResourceOptions(providers=[access]))


@dataclass(frozen=True)
class East:
    """The stack of a cluster, its CoreDNS, and the Corefile that kubeadm wrote."""

    stack: Callable[[str | None], automation.Stack]
    kubeadm: KubeadmCoreDns
    pods: CoreDnsPods
    shipped: str

    def up(self, text: str | None) -> None:
        self.stack(text).up()

    def failure(self, text: str) -> str:
        """What `up` says when it fails."""
        with pytest.raises(automation.CommandError) as failed:
            self.up(text)
        return str(failed.value)


@pytest.fixture
def east(
    engine: Engine, kubernetes: Kubernetes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[East]:
    if not (engine.root / "bin/pulumi-resource-kubernetes").is_file():
        pytest.skip("THE LIFE OF A COREFILE IS NOT TESTED: no pulumi-resource-kubernetes")
    (tmp_path / "pods").mkdir()

    def stack(text: str | None) -> automation.Stack:
        return engine.stack("east", partial(program, kubernetes.kubeconfig, text))

    with kubeadms(kubernetes, tmp_path / "pods") as kubeadm, running(kubeadm, PROGRAM) as pods:
        made = East(stack, kubeadm, pods, kubeadm.data["Corefile"])
        made.up(ONE_PEER)
        monkeypatch.setattr(core_dns, "ROLL_OUT_TIME", f"{BOUND_SECONDS}s")
        yield made


def wait_until(true: Callable[[], bool], why: Callable[[], str]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, why()
        time.sleep(0.2)


def test_a_rejected_file_stops_at_one_pod_and_is_named_until_it_is_mended(east: East) -> None:
    old = east.pods.serving
    assert len(old) == 2
    east.pods.watch_fewest()
    for _ in range(2):
        started = time.monotonic()
        said = east.failure(REJECTED)
        assert REASON in said
        assert time.monotonic() - started < BOUND_SECONDS + 60  # the engine's own time
        assert len(east.pods.failed) == 1
        assert east.pods.serving == old

    # The old pods' file changes under them too: they try it, and keep what they have.
    logs = [east.pods.processes[name] for name in old]
    wait_until(lambda: all("reload failed" in one.log for one in logs), lambda: logs[0].log)
    assert east.pods.serving == old

    east.up(ONE_PEER)
    assert east.kubeadm.data == {"Corefile": ONE_PEER}
    assert east.pods.fewest_serving == 2
    wait_until(lambda: not east.pods.failed, lambda: "the failed pod stays")
    assert east.pods.serving == old
    east.stack(ONE_PEER).up(expect_no_changes=True)


def test_a_mended_file_rolls_out_over_the_rejected_one(east: East) -> None:
    old = east.pods.serving
    east.failure(REJECTED)
    east.pods.watch_fewest()
    east.up(TWO_PEERS)
    assert east.pods.fewest_serving == 2
    wait_until(lambda: not east.pods.failed, lambda: "the failed pod stays")
    wait_until(lambda: len(east.pods.serving - old) == 2, lambda: "the old pods stay")
    assert "north.mesh.example." in east.pods.processes[east.pods.serving.pop()].log


def test_kubeadms_own_file_comes_back_by_a_setting_to_the_last_byte(east: East) -> None:
    assert east.shipped != ONE_PEER
    east.up(KUBEADM)
    assert east.kubeadm.data == {"Corefile": east.shipped}
    assert len(east.pods.serving) == 2


def test_an_upgrade_by_kubeadm_keeps_our_file_and_the_next_change_rolls_out_as_before(
    east: East,
) -> None:
    east.kubeadm.pretend_installed("1.12.1")
    east.kubeadm.install()
    assert east.kubeadm.data == {"Corefile": ONE_PEER}
    wait_until(lambda: east.kubeadm.settled, lambda: str(east.kubeadm.deployment.status))
    wait_until(lambda: len(east.pods.serving) == 2, lambda: "the replaced pods stay")
    old = east.pods.serving

    assert REASON in east.failure(REJECTED)
    assert len(east.pods.failed) == 1
    assert east.pods.serving == old


def test_what_an_upgrade_or_a_hand_changed_comes_back_by_refresh_and_up(east: East) -> None:
    ours = east.kubeadm.deployment.spec
    east.kubeadm.install()
    east.kubeadm.write(TWO_PEERS)
    assert not east.kubeadm.deployment.spec.template.metadata.annotations

    east.stack(ONE_PEER).refresh()
    east.up(ONE_PEER)
    assert east.kubeadm.data == {"Corefile": ONE_PEER}
    again = east.kubeadm.deployment.spec
    assert again.template.metadata.annotations == ours.template.metadata.annotations
    assert again.strategy == ours.strategy
    assert len(east.pods.serving) == 2


@pytest.mark.parametrize("how", ["destroyed", "taken out of the program"])
def test_core_dns_keeps_serving_our_file_when_the_stack_is_gone(east: East, how: str) -> None:
    template = east.kubeadm.deployment.spec.template
    serving = east.pods.serving
    if how == "destroyed":
        east.stack(ONE_PEER).destroy()
    else:
        east.up(None)
    assert east.kubeadm.data == {"Corefile": ONE_PEER}
    assert east.kubeadm.deployment.spec.template == template
    assert east.pods.serving == serving
