import base64
from typing import Any

import pytest
import yaml

from mesh.render.kubeconfig import kubeconfig, merged_kubeconfig


def of(cluster: str) -> str:
    return kubeconfig(cluster, f"https://{cluster}.example:6443", "CA\n", "CERTIFICATE\n", "KEY\n")


def test_the_kubeconfig_of_east(snapshot: Any) -> None:
    assert snapshot == of("east")


def test_the_merged_kubeconfig_of_two_clusters(snapshot: Any) -> None:
    assert snapshot == merged_kubeconfig([of("east"), of("west")])


def test_certificates_survive_the_encoding() -> None:
    user = yaml.safe_load(of("east"))["users"][0]["user"]
    assert base64.b64decode(user["client-key-data"]) == b"KEY\n"
    assert base64.b64decode(user["client-certificate-data"]) == b"CERTIFICATE\n"


def test_the_first_cluster_is_the_current_one() -> None:
    assert yaml.safe_load(merged_kubeconfig([of("west"), of("east")]))["current-context"] == "west"


def test_one_kubeconfig_merged_is_itself() -> None:
    assert merged_kubeconfig([of("east")]) == of("east")


def test_a_name_that_comes_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="two kubeconfigs both have 'east' in clusters"):
        merged_kubeconfig([of("east"), of("west"), of("east")])


def test_merging_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no kubeconfig to merge"):
        merged_kubeconfig([])
