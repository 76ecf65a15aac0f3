"""How peers ask a cluster for names, through the whole program on the mock engine."""

import base64
import gzip
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

from cli.preview.mocks import Registered
from mesh.endpoint import planned_endpoint
from mesh.pki import certificate_authority
from mesh.settings import config_from_engine, settings_from_config
from tests.mocks import NAME, PROJECT, Run, config_of, run_program, unwrap

CA = certificate_authority("test", 10).as_mapping()
NODES = ["10.11.85.22", "10.11.85.23", "10.11.85.24", "10.11.85.21"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for file in (*PROJECT.glob("Pulumi*.yaml"), PROJECT / "__main__.py"):
        shutil.copy(file, tmp_path)
    return tmp_path


def write(project: Path, stack: str, **dns: object) -> None:
    file = project / f"Pulumi.{stack}.yaml"
    document = yaml.safe_load(file.read_text())
    document["config"][f"{NAME}:dns"] = dns
    if dns.get("exposure") == "nodePort":
        del document["config"][f"{NAME}:loadBalancer"]["dnsAddress"]
    file.write_text(yaml.safe_dump(document))


def exported(project: Path, stack: str) -> dict[str, Any]:
    config = config_from_engine(config_of(stack, project), NAME)
    settings = settings_from_config(f"Pulumi.{stack}.yaml", config)
    return planned_endpoint(settings).as_output()


def run_of(stack: str, project: Path, **exports: Mapping[str, Any]) -> Run:
    known = {"east": {"meshCa": CA, "endpoint": exported(project, "east")}}
    return run_program(stack, project=project, exports={**known, **exports})


def corefile(run: Run, stack: str) -> str:
    return str(run.one(f"{stack}-core-dns-corefile").inputs["data"]["Corefile"])


def first_boot(machine: Registered) -> str:
    data = base64.b64decode(unwrap(machine.inputs["extraConfig"])["guestinfo.userdata"])
    return gzip.decompress(data).decode()


def test_a_cluster_is_asked_at_its_nodes_and_has_no_address_for_it(project: Path) -> None:
    write(project, "west", exposure="nodePort")
    run = run_of("west", project)
    service = unwrap(run.one("west-exposure-mesh-dns").inputs)
    assert service["spec"]["type"] == "NodePort"
    assert {
        (port["protocol"], port["nodePort"], port["targetPort"])
        for port in service["spec"]["ports"]
    } == {
        ("UDP", 30053, 1053),
        ("TCP", 30053, 1053),
    }
    # The API refuses both on a NodePort.
    assert (
        not {"loadBalancerSourceRanges", "allocateLoadBalancerNodePorts"} & service["spec"].keys()
    )
    assert not service["metadata"].get("annotations")
    assert run.outputs["endpoint"]["dns"]["addresses"] == NODES
    assert run.outputs["endpoint"]["dns"]["port"] == 30053
    [pinned] = [pool for pool in run.of("IPAddressPool") if not pool.inputs["spec"]["autoAssign"]]
    assert pinned.inputs["spec"]["addresses"] == ["10.11.84.31/32"]


def test_its_peer_asks_the_nodes_that_its_file_has(project: Path) -> None:
    write(project, "west", exposure="nodePort")
    to = " ".join(f"{node}:30053" for node in NODES)
    assert f"    forward . {to} {{\n" in corefile(run_of("east", project), "east")
    document = yaml.safe_load((project / "Pulumi.west.yaml").read_text())
    document["config"][f"{NAME}:nodes"]["worker"]["addresses"].append("10.11.85.25")
    (project / "Pulumi.west.yaml").write_text(yaml.safe_dump(document))
    more = " ".join(f"{node}:30053" for node in (*NODES[:3], "10.11.85.25", NODES[3]))
    assert f"    forward . {more} {{\n" in corefile(run_of("east", project), "east")


def test_a_cluster_that_answers_nobody_opens_no_port_on_its_nodes(project: Path) -> None:
    write(project, "west", exposure="nodePort", forwarding=False)
    services = [service.name for service in run_of("west", project).of("Service")]
    assert services == ["west-exposure-clustermesh-apiserver"]


def test_a_domain_of_its_own_is_told_to_kubeadm_and_to_cilium_and_to_coredns(project: Path) -> None:
    write(project, "west", mode="domain")
    run = run_of("west", project)
    boot = "".join(first_boot(machine) for machine in run.of("VirtualMachine"))
    assert "dnsDomain: west.mesh.example" in boot
    [cilium] = [release for release in run.of("Release") if release.name == "west-cilium"]
    values = cilium.inputs["values"]
    assert values["hubble"]["peerService"] == {"clusterDomain": "west.mesh.example"}
    assert "    kubernetes west.mesh.example in-addr.arpa" in corefile(run, "west")
    told = {"boot": boot, "values": json.dumps(unwrap(values)), "corefile": corefile(run, "west")}
    assert {name for name, text in told.items() if "cluster.local" in text} == set()


def test_a_running_cluster_gets_no_other_domain(project: Path) -> None:
    built = exported(project, "west")
    write(project, "west", mode="domain")
    with pytest.raises(pulumi.RunError, match="'domain' is zones in the cluster that runs"):
        run_of("west", project, west={"endpoint": built, "meshCa": CA})


def test_namespaces_of_a_peer_are_asked_of_it_as_it_exports_them(project: Path) -> None:
    write(project, "west", mode="namespaces", namespaces=["west-1", "shop"])
    text = corefile(run_of("east", project), "east")
    assert "west-1.svc.cluster.local:53 {\n" in text
    assert "shop.svc.cluster.local:53 {\n" in text
    assert "west.mesh.example" not in text
