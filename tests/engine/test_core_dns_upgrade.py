"""The real kubeadm, upgrading a cluster whose Corefile is ours."""

from collections.abc import Iterator
from typing import Any

import pytest

from mesh.render.corefile import corefile
from mesh.versions import CORE_DNS
from tests.cli.conftest import Kubernetes, kubernetes
from tests.engine.core_dns_pods import kubeadms
from tests.engine.kubeadm_core_dns import KubeadmCoreDns
from tests.mesh.render.clusters import peers, settings

__all__ = ["kubernetes"]

pytestmark = [pytest.mark.engine, pytest.mark.timeout(200)]

UNKNOWN = "CoreDNSUnsupportedPlugins"
REACHED = "[upgrade/config]"  # what kubeadm says when no check stopped it
FILES = pytest.mark.parametrize(
    "dns",
    [
        {},
        {"mode": "namespaces", "namespaces": ["east-1"]},
        {"mode": "domain"},
        {"exposure": "nodePort"},
        {"serveStaleSeconds": 0},
    ],
    ids=["zones", "namespaces", "domain", "node-port", "nothing-stale"],
)
BEFORE = pytest.mark.parametrize("before", [CORE_DNS["1.34"], CORE_DNS["1.35"]])


@pytest.fixture(scope="module")
def kubeadm(
    kubernetes: Kubernetes, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KubeadmCoreDns]:
    with kubeadms(kubernetes, tmp_path_factory.mktemp("kubeadm")) as installed:
        yield installed


@FILES
@BEFORE
def test_an_upgrade_has_nothing_against_our_file_and_leaves_it_as_it_is(
    kubeadm: KubeadmCoreDns, dns: dict[str, Any], before: str
) -> None:
    text = corefile(settings(dns=dns), peers("west", "north"))
    kubeadm.write(text)
    kubeadm.pretend_installed(before)
    said = kubeadm.preflight()
    assert "CoreDNS" not in said
    assert REACHED in said

    kubeadm.install()
    assert kubeadm.data == {"Corefile": text}


@pytest.mark.parametrize(
    ("plugin", "lines"),
    [
        ("acl", "acl {\n    block type ANY\n}"),
        ("template", "template ANY ANY example.org {\n    rcode NXDOMAIN\n}"),
    ],
)
@BEFORE
def test_a_plugin_that_kubeadm_does_not_know_stops_it_until_it_is_told_to_go_on(
    kubeadm: KubeadmCoreDns, before: str, plugin: str, lines: str
) -> None:
    text = corefile(settings(dns={"extra": {"plugins": lines}}), peers("west"))
    kubeadm.write(text)
    kubeadm.pretend_installed(before)
    said = kubeadm.preflight()
    assert UNKNOWN in said
    assert f'Plugin "{plugin}"' in said
    assert REACHED not in said
    assert REACHED in kubeadm.preflight(f"--ignore-preflight-errors={UNKNOWN}")

    kubeadm.install()
    assert kubeadm.data == {"Corefile": text}
