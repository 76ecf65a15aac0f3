"""Addresses that MetalLB chooses, and BGP, through the whole program on the mock engine."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

from mesh.endpoint import planned_endpoint
from mesh.pki import certificate_authority
from mesh.settings import config_from_engine, settings_from_config
from tests.mocks import NAME, PROJECT, Run, config_of, run_program, unwrap

CA = certificate_authority("test", 10).as_mapping()
AUTO = {"etcdAddress": "auto", "dnsAddress": "auto"}
WEST_HAS = "10.11.84.33"


def write(project: Path, stack: str, **load_balancer: object) -> None:
    file = project / f"Pulumi.{stack}.yaml"
    document = yaml.safe_load(file.read_text())
    document["config"][f"{NAME}:loadBalancer"] |= load_balancer
    file.write_text(yaml.safe_dump(document))


def planned(project: Path, stack: str) -> Any:
    config = config_from_engine(config_of(stack, project), NAME)
    return planned_endpoint(settings_from_config(f"Pulumi.{stack}.yaml", config))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for file in (*PROJECT.glob("Pulumi*.yaml"), PROJECT / "__main__.py"):
        shutil.copy(file, tmp_path)
    return tmp_path


@pytest.fixture
def west_on_its_own(project: Path) -> Path:
    """A project in which MetalLB chooses west's addresses."""
    write(project, "west", **AUTO)
    return project


def east(project: Path, **exports: Mapping[str, Any]) -> Run:
    return run_program("east", project=project, exports={"east": {"meshCa": CA}, **exports})


def west(project: Path, **how: Any) -> Run:
    exports = {"east": {"meshCa": CA, "endpoint": planned(project, "east").as_output()}}
    return run_program("west", project=project, exports=exports, **how)


def inputs(run: Run) -> dict[str, str]:
    """What each resource inside the cluster was asked for; the machines' keys are new each run."""
    return {
        one.name: json.dumps(unwrap(one.inputs), sort_keys=True)
        for one in run.custom
        if one.type.startswith("kubernetes:")
    }


def dialled(run: Run) -> Any:
    [cilium] = [release for release in run.of("Release") if release.name == "east-cilium"]
    return cilium.inputs["values"]["clustermesh"]["config"]["clusters"]


def test_a_chosen_address_is_asked_of_nobody_and_exported_as_it_was_given(
    west_on_its_own: Path,
) -> None:
    run = west(west_on_its_own, chosen=WEST_HAS)
    for service in run.of("Service"):
        assert not service.inputs["metadata"].get("annotations")
    assert run.outputs["endpoint"]["etcd"] == {"ip": WEST_HAS, "port": 2379}
    answers = {"port": 53, "mode": "zones", "namespaces": []}
    assert run.outputs["endpoint"]["dns"] == {"addresses": [WEST_HAS], **answers}


def test_no_pool_is_made_for_addresses_nobody_pinned(west_on_its_own: Path) -> None:
    assert [pool.name for pool in west(west_on_its_own).of("IPAddressPool")] == [
        "west-metallb-workloads"
    ]


def test_one_pinned_address_stays_pinned_beside_a_chosen_one(project: Path) -> None:
    write(project, "west", dnsAddress="auto")
    run = west(project, chosen=WEST_HAS)
    assert run.outputs["endpoint"]["etcd"]["ip"] == "10.11.84.31"
    assert run.outputs["endpoint"]["dns"]["addresses"] == [WEST_HAS]
    [pinned] = [pool for pool in run.of("IPAddressPool") if not pool.inputs["spec"]["autoAssign"]]
    assert pinned.inputs["spec"]["addresses"] == ["10.11.84.31/32"]


def test_a_cluster_that_answers_nobody_has_no_address_chosen_for_its_dns(project: Path) -> None:
    write(project, "west", **AUTO)
    config = config_of("west", project) | {f"{NAME}:dns": '{"forwarding": false}'}
    run = west(project, config=config)
    assert [service.name for service in run.of("Service")] == [
        "west-exposure-clustermesh-apiserver"
    ]
    assert run.outputs["endpoint"]["dns"]["addresses"] == []


def test_a_service_that_got_no_address_is_named(west_on_its_own: Path) -> None:
    with pytest.raises(pulumi.RunError, match="has no address") as failed:
        west(west_on_its_own, chosen="")
    assert str(failed.value).startswith("Service kube-system/")
    assert "loadBalancer.addresses" in str(failed.value)
    assert "--refresh" in str(failed.value)


def test_a_preview_waits_for_no_address(west_on_its_own: Path) -> None:
    outputs = west(west_on_its_own, chosen="", preview=True).outputs
    assert outputs.get("endpoint", {}).get("etcd") is None


def test_a_peer_without_an_address_is_left_out_and_asks_for_one_more_up(
    west_on_its_own: Path,
) -> None:
    run = east(west_on_its_own)
    assert run.outputs["peers"] == {
        "west": {
            "status": "pending",
            "next": "pulumi up -s west, then pulumi up here once more",
        }
    }
    assert dialled(run) == {}
    assert "west.mesh.example" not in inputs(run)["east-core-dns-corefile"]
    assert run.outputs["endpoint"] == planned(west_on_its_own, "east").as_output()


def test_the_one_more_up_changes_what_asks_the_peer_and_nothing_else(
    west_on_its_own: Path,
) -> None:
    told = west(west_on_its_own, chosen=WEST_HAS).outputs["endpoint"]
    before, after = east(west_on_its_own), east(west_on_its_own, west={"endpoint": told})
    assert after.outputs["peers"] == {"west": {"status": "exported", "next": ""}}
    old, new = inputs(before), inputs(after)
    assert old.keys() == new.keys()
    assert {name for name in new if new[name] != old[name]} == {
        "east-cilium",
        "east-core-dns-corefile",
        "east-core-dns-roll-out",
    }
    assert dialled(after) == {"west": {"ips": [WEST_HAS], "port": 2379}}
    assert f"forward . {WEST_HAS}:53" in new["east-core-dns-corefile"]
    assert not any("is not what" in message for message in after.messages)


def test_by_bgp_routers_and_routes_are_made_before_the_services(project: Path) -> None:
    bgp = {"asn": 64512, "peers": [{"address": "10.11.84.1", "asn": 64513}]}
    addresses = {"etcdAddress": "10.12.0.20", "dnsAddress": "10.12.0.21"}
    write(project, "west", **addresses, addresses=["10.12.0.32/27"], bgp=bgp)
    run = west(project)
    assert run.of("L2Advertisement") == []
    made = {one.name for kind in ("BGPPeer", "BGPAdvertisement") for one in run.of(kind)}
    assert made == {
        "west-metallb-router-10.11.84.1",
        "west-metallb-reserved-routes",
        "west-metallb-workloads-routes",
    }
    after = "\n".join(run.one("west-exposure").request.dependencies)
    assert all(f"::{name}" in after for name in made)
