"""The rival of our Corefile is no easier one: it serves the same zones of the same CoreDNS."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bench.dns import cells
from bench.dns_files import RENDERERS
from tests.dns.hosts import Host
from tests.dns.kubernetes_api import KubernetesApi


@pytest.mark.parametrize("count", [1, 10])
def test_both_forward_as_many_zones_and_watch_one_cluster(tmp_path: Path, count: int) -> None:
    with ThreadPoolExecutor(1) as thread:
        api = KubernetesApi(Host(1, "127.0.0.1", thread), tmp_path)
        for render in RENDERERS.values():
            text = render("east", api, "10.11.84.32", count)
            zones = re.findall(r"^(\S+):53 {$", text, re.MULTILINE)
            assert {".", "west.mesh.example"} <= set(zones)
            assert len(zones) == len(set(zones)) == count + 1
            assert text.count("       kubeconfig /") == 1


def test_a_ratio_is_that_of_each_round() -> None:
    assert list(cells([[1, 4, 9], [2, 4, 3]], "{:.0f}")) == ["4", "3", "1.00"]
