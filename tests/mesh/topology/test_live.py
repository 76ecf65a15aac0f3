"""What must stay as it was when the cluster was built."""

from dataclasses import replace
from typing import Any

import pytest

from mesh.endpoint import Endpoint, planned_endpoint
from mesh.topology import forbidden_changes
from tests.mesh.topology.written import settings_of

BUILT = planned_endpoint(settings_of("east", {}))


def said(changes: dict[str, Any], built: Endpoint | None = BUILT) -> list[str]:
    found = forbidden_changes(settings_of("east", changes), built, "east")
    return [str(problem) for problem in found]


def test_a_cluster_as_it_was_built_is_taken() -> None:
    assert said({}) == []


@pytest.mark.parametrize(
    ("key", "value", "before"),
    [
        ("cluster.name", "eastern", "east"),
        ("cluster.id", 7, "1"),
        ("network.podCidr", "10.100.0.0/15", "10.101.0.0/16"),
        ("network.serviceCidr", "10.203.0.0/16", "10.201.0.0/16"),
        ("mesh.maxConnectedClusters", 511, "255"),
    ],
)
def test_what_a_cluster_was_built_with_is_not_to_be_changed(
    key: str, value: object, before: str
) -> None:
    [says] = said({key: value})
    file = "Pulumi.yaml" if key.startswith("mesh") else "Pulumi.east.yaml"
    assert says.startswith(f"{file}: {key}: {value!r} is {before} in the cluster that runs, and ")
    assert says.endswith(
        f": write {before}; for another, add a cluster, or run pulumi destroy -s east first"
    )


def as_domain(**changes: Any) -> dict[str, Any]:
    return {"dns": {"mode": "domain"}, **changes}


def test_a_cluster_keeps_the_domain_it_was_built_with() -> None:
    [says] = said(as_domain())
    assert says == (
        "Pulumi.east.yaml: dns.mode: 'domain' is zones in the cluster that runs, and its pods and "
        "certificates have that in their names (kubeadm's dnsDomain): write zones; for another, "
        "add a cluster, or run pulumi destroy -s east first"
    )


@pytest.mark.parametrize(
    "dns", [{}, {"mode": "zones"}, {"mode": "namespaces", "namespaces": ["east-1"]}]
)
def test_a_cluster_with_a_domain_of_its_own_keeps_it(dns: dict[str, Any]) -> None:
    built = planned_endpoint(settings_of("east", as_domain()))
    assert said(as_domain(), built) == []
    [says] = said({"dns": dns}, built)
    assert "dns.mode: " in says
    assert "is domain in the cluster that runs, and " in says
    [says] = said(as_domain(**{"cluster.zone": "new.mesh.example"}), built)
    assert says.startswith("Pulumi.east.yaml: cluster.zone: 'new.mesh.example' is ")
    assert ": write east.mesh.example; for another, " in says


def test_zones_and_namespaces_may_follow_each_other() -> None:
    namespaces = {"dns": {"mode": "namespaces", "namespaces": ["east-1"]}}
    assert said(namespaces) == []
    assert said({}, planned_endpoint(settings_of("east", namespaces))) == []


def test_every_such_change_is_told_at_once_and_with_its_issue() -> None:
    found = said({"cluster.name": "eastern", "cluster.id": 7})
    assert len(found) == 2
    assert all("cilium#36338" in line for line in found)


def test_a_stack_without_a_cluster_may_be_anything() -> None:
    assert said({"cluster.id": 7}, None) == []


def test_what_may_change_is_taken() -> None:
    old = replace(BUILT, zone="old.mesh.example", cilium_version="1.19.6")
    assert said({"loadBalancer.etcdAddress": "10.11.84.99"}, old) == []
