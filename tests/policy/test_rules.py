"""The policy pack's rules over everything the program makes, and over what it must never make."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.preview.recording import Recording, Resource
from cli.preview.runner import record
from policy import rules
from policy.rules import Subject
from tests.mocks import PROJECT
from tests.test_asked import project, write
from tests.test_program import CA, STACKS

__all__ = ["project"]


def subject(resource: Resource) -> Subject:
    return Subject(
        type=resource.type,
        name=resource.name,
        inputs=resource.inputs,
        protected=resource.protect,
        retained=resource.retain,
        provider=resource.provider.rpartition("::")[2] or None,
    )


def broken(one: Subject) -> Iterator[str]:
    found = (
        rules.control_planes_are_protected(one, ()),
        rules.the_corefile_stays(one),
        rules.a_provider_is_named(one),
        rules.services_are_for_the_mesh_only(one),
    )
    return (sentence for sentence in found if sentence)


@pytest.fixture(scope="module", params=STACKS)
def recording(request: pytest.FixtureRequest) -> Recording:
    return record(PROJECT, request.param, CA)


@pytest.fixture(scope="module")
def east() -> dict[str, Subject]:
    made = record(PROJECT, "east", CA).resources
    return {resource.name: subject(resource) for resource in made if resource.custom}


def test_the_program_breaks_no_rule(recording: Recording) -> None:
    custom = [subject(resource) for resource in recording.resources if resource.custom]
    assert len(custom) > 20
    assert [sentence for one in custom for sentence in broken(one)] == []


def test_an_unprotected_control_plane_is_refused_with_both_ways_out(
    east: dict[str, Subject],
) -> None:
    bare = replace(east["east-control-plane-1"], protected=False)
    [sentence] = broken(bare)
    assert "nodes.protectControlPlanes" in sentence
    assert "name east in unprotectedClusters" in sentence
    assert rules.control_planes_are_protected(bare, ["east"]) is None
    assert rules.control_planes_are_protected(bare, ["eas"]) is not None


def test_a_worker_needs_no_protection(east: dict[str, Subject]) -> None:
    assert not east["east-worker-1"].protected
    assert rules.control_planes_are_protected(east["east-worker-1"], ()) is None


def test_a_patch_that_goes_with_the_stack_is_refused(east: dict[str, Subject]) -> None:
    patch = replace(east["east-core-dns-corefile"], retained=False)
    assert list(broken(patch)) == [
        "east-core-dns-corefile takes the Corefile along: set retain_on_delete"
    ]
    assert list(broken(replace(patch, retained=None))) == []


def test_an_own_config_map_in_place_of_the_patch_is_refused(east: dict[str, Subject]) -> None:
    own = replace(east["east-core-dns-corefile"], type="kubernetes:core/v1:ConfigMap")
    [sentence] = broken(own)
    assert sentence.endswith("takes DNS along: use ConfigMapPatch")


@pytest.mark.parametrize("provider", [None, "default", "default_4_34_2"])
def test_a_default_provider_is_refused(east: dict[str, Subject], provider: str | None) -> None:
    for name in ("east-worker-1", "east-cilium"):
        [sentence] = broken(replace(east[name], provider=provider))
        assert "default provider" in sentence
    named = replace(east["east-worker-1"], provider="defaults-of-ours")
    assert list(broken(named)) == []


@pytest.mark.parametrize("name", ["clustermesh-apiserver", "mesh-dns"])
def test_a_service_open_to_everybody_is_refused(east: dict[str, Subject], name: str) -> None:
    service = east[f"east-exposure-{name}"]
    spec = service.inputs["spec"]
    for ranges in ([], ["10.0.0.0/8", "0.0.0.0/0"], ["::/0"]):
        spoilt = replace(service, inputs={"spec": {**spec, "loadBalancerSourceRanges": ranges}})
        [sentence] = broken(spoilt)
        assert "open to everybody" in sentence
    node_ports = {**spec, "allocateLoadBalancerNodePorts": True}
    [sentence] = broken(replace(service, inputs={"spec": node_ports}))
    assert "opens ports on every node" in sentence


def test_a_service_inside_the_cluster_is_nobodys_business(east: dict[str, Subject]) -> None:
    inside = replace(east["east-exposure-mesh-dns"], inputs={"spec": {"type": "ClusterIP"}})
    assert list(broken(inside)) == []


@pytest.fixture
def at_the_nodes(project: Path) -> Subject:
    write(project, "east", exposure="nodePort")
    made = {resource.name: resource for resource in record(project, "east", CA).resources}
    return subject(made["east-exposure-mesh-dns"])


def test_dns_may_be_asked_at_one_port_of_the_nodes(at_the_nodes: Subject) -> None:
    assert at_the_nodes.inputs["spec"]["type"] == "NodePort"
    assert list(broken(at_the_nodes)) == []


@pytest.mark.parametrize("change", [{"name": "web"}, {"namespace": "default"}])
def test_no_other_service_opens_a_port_on_the_nodes(
    at_the_nodes: Subject, change: dict[str, str]
) -> None:
    metadata = {**at_the_nodes.inputs["metadata"], **change}
    other = replace(at_the_nodes, inputs={**at_the_nodes.inputs, "metadata": metadata})
    [sentence] = broken(other)
    assert sentence.startswith("east-exposure-mesh-dns opens ports on every node to whoever")
    assert sentence.endswith("only kube-system/mesh-dns may, by dns.exposure: nodePort")


UDP, TCP = ({"protocol": protocol, "nodePort": 30053} for protocol in ("UDP", "TCP"))


@pytest.mark.parametrize(
    ("ports", "words"),
    [
        ([UDP], "opens other ports than one by UDP and TCP"),
        ([UDP, TCP, {"protocol": "TCP", "nodePort": 30080}], "opens other ports than one"),
        ([UDP, {**TCP, "nodePort": 30054}], "opens other ports than one"),
        ([{"protocol": "UDP"}, {"protocol": "TCP"}], "lets Kubernetes choose its ports"),
        (None, "opens other ports than one"),
    ],
)
def test_dns_opens_no_port_that_peers_do_not_ask(
    at_the_nodes: Subject, ports: list[dict[str, Any]] | None, words: str
) -> None:
    spec = {**at_the_nodes.inputs["spec"], "ports": ports}
    [sentence] = broken(replace(at_the_nodes, inputs={**at_the_nodes.inputs, "spec": spec}))
    assert words in sentence
    assert "dns.nodePort" in sentence
