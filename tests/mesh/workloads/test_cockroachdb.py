import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from mesh.pki import certificate_authority
from mesh.workloads import Workload, key_pairs, manifests, secret_data
from mesh.workloads.kinds import software_of
from tests.mesh.render.programs import program, run
from tests.mesh.workloads.handshakes import client_context, handshake, member_context
from tests.mesh.workloads.written import workload

STAND_INS = Path(__file__).parent / "stand_ins"
BANK: dict[str, Any] = {
    "kind": "cockroachdb",
    "clientNamespaces": ["default"],
    "clusters": {
        "east": {"replicas": 2, "namespace": "east-1", "region": "us-east-1", "zone": "a"},
        "west": {"replicas": 1, "namespace": "west-1", "region": "us-west-1"},
    },
}
LICENSED = {**BANK, "licenceSecret": "cockroachdb-licence"}
EAST, WEST = "ledger-0.ledger.east-1.svc.east.mesh.example", "ledger-0.ledger.west-1"


def of_kind(found: Workload, kind: str, stack: str = "east") -> list[dict[str, Any]]:
    every = manifests(found, found.site(stack), 1)
    return [each for each in every if each["kind"] == kind]


def container(found: Workload, stack: str = "east") -> dict[str, Any]:
    [stateful_set] = of_kind(found, "StatefulSet", stack)
    only: dict[str, Any] = stateful_set["spec"]["template"]["spec"]["containers"][0]
    return only


def files(stack: str, *, for_clients: bool = False) -> dict[str, str]:
    found, ca = workload(BANK), CA.as_mapping()
    site = found.site(stack)
    kept = key_pairs(ca, found, site, 30)
    return secret_data(ca, kept, found, site, for_clients=for_clients)


CA = certificate_authority("test", 10)


def test_a_member_tells_the_others_its_name_in_the_zone_and_where_it_is() -> None:
    arguments = container(workload(BANK))["args"]
    assert "--advertise-host=$(MEMBER_NAME)" in arguments
    assert "--locality=region=$(REGION),zone=$(ZONE)" in arguments
    values = {each["name"]: each.get("value") for each in container(workload(BANK))["env"]}
    assert (values["REGION"], values["ZONE"]) == ("us-east-1", "a")


def test_any_region_may_start_first_as_all_are_asked() -> None:
    for stack in ("east", "west"):
        assert "--join=$(SEEDS)" in container(workload(BANK, stack), stack)["args"]
    seeds = workload(BANK).seeds()
    assert {name.split(".")[2] for name in seeds} == {"east-1", "west-1"}


def test_the_database_is_initialised_in_one_cluster_and_verified_in_each() -> None:
    def jobs(stack: str) -> list[str]:
        found = of_kind(workload(BANK, stack), "Job", stack)
        return [re.sub("-[0-9a-f]{8}$", "", each["metadata"]["name"]) for each in found]

    assert jobs("east") == ["ledger-initialise", "ledger-verify"]
    assert jobs("west") == ["ledger-verify"]


def test_clients_in_default_find_the_database_and_have_roots_certificate_alone() -> None:
    services = of_kind(workload(BANK), "Service")
    [alias] = [each for each in services if "externalName" in each["spec"]]
    assert alias["metadata"] == {**alias["metadata"], "namespace": "default"}
    assert alias["spec"]["externalName"] == "ledger-public.east-1.svc.cluster.local"
    assert {*files("east", for_clients=True)} == {"ca.crt", "client.root.crt", "client.root.key"}
    assert {*files("east")} == {"ca.crt", "node.crt", "node.key"}


def test_certificates_say_who_cockroachdb_expects() -> None:
    told = {
        file: x509.load_pem_x509_certificate(pem.encode()).subject.rfc4514_string()
        for file, pem in (files("east") | files("east", for_clients=True)).items()
        if file.endswith(".crt") and file != "ca.crt"
    }
    assert told == {"node.crt": "CN=node,O=Cockroach", "client.root.crt": "CN=root,O=Cockroach"}


@pytest.mark.parametrize(
    "name",
    [
        "localhost",
        "127.0.0.1",
        "ledger-0.ledger.east-1",
        "ledger-0.ledger.east-1.svc.cluster.local",
        "ledger-1.ledger.east-1.east.mesh.example",
        EAST,
        "ledger-public.east-1",
        "ledger-public.east-1.svc.east.mesh.example",
        "ledger-public.default",
    ],
)
def test_a_client_in_west_reaches_a_member_in_east_by_every_name(name: str, tmp_path: Path) -> None:
    server = member_context(files("east"), "node", tmp_path)
    client = client_context(files("west", for_clients=True), "client.root", tmp_path)
    handshake(server, client, name)


def test_only_who_asks_for_a_licence_has_one_and_it_stands_in_no_object() -> None:
    [plain, _] = of_kind(workload(BANK), "Job")
    [licensed, _] = of_kind(workload(LICENSED), "Job")
    variables = licensed["spec"]["template"]["spec"]["containers"][0]["env"]
    reference = {"secretKeyRef": {"name": "cockroachdb-licence", "key": "licence"}}
    assert {"name": "LICENCE", "valueFrom": reference} in variables
    assert "LICENCE" not in str(plain)


class Machine:
    """The scripts with the stand-in for the program, and what it remembers."""

    def __init__(self, directory: Path) -> None:
        self.state = directory
        members = ",".join(workload(BANK).members())
        self.variables = {"MEMBERS": members, "SERVICE": "ledger-public"}
        site = workload(BANK).site("east")
        for name, text in (software_of(workload(BANK), site).files or {}).items():
            (directory / name).write_text(text)

    def run(self, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        path = f"{STAND_INS}:{os.environ['PATH']}"
        known = {"PATH": path, "STATE": str(self.state), "FIRST_MEMBER": EAST, **self.variables}
        return subprocess.run(
            ["sh", script],
            cwd=self.state,
            env={**known, **variables},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_initialising_fails_until_a_member_listens_and_is_safe_to_be_done_again(
    machine: Machine,
) -> None:
    assert machine.run("initialise.sh").returncode == 1
    (machine.state / "listening").touch()
    for _ in range(2):
        assert machine.run("initialise.sh").returncode == 0
    asked = (machine.state / "asked").read_text().splitlines()
    assert asked == [f"init --certs-dir=/certificates --host={EAST}"] * 3


def test_a_licence_is_told_to_the_database_and_to_no_list_of_processes(machine: Machine) -> None:
    (machine.state / "listening").touch()
    assert machine.run("initialise.sh", LICENCE="crl-0-abc").returncode == 0
    assert "crl-0-abc" in (machine.state / "statements").read_text()
    assert "crl-0-abc" not in (machine.state / "asked").read_text()


def nodes(*rows: tuple[str, str]) -> str:
    """The table of `cockroach node status --format=tsv`."""
    head = "id\taddress\tsql_address\tbuild\tstarted_at\tlocality\tis_available\tis_live\n"
    return head + "".join(
        f"{number}\t{name}:26257\t{name}:26257\tv26.2.1\t2026-11-30\tregion=a\t{live}\t{live}\n"
        for number, (name, live) in enumerate(rows, 1)
    )


def test_verifying_waits_for_every_member_of_every_cluster(machine: Machine) -> None:
    first, second, third = workload(BANK).members()
    table = machine.state / "nodes"
    assert machine.run("verify.sh").returncode == 1
    table.write_text(nodes((first, "true"), (second, "true")))
    assert f"not live yet: {third}" in machine.run("verify.sh").stdout
    table.write_text(nodes((first, "true"), (second, "false"), (third, "true")))
    waiting = machine.run("verify.sh")
    assert (waiting.returncode, waiting.stdout) == (1, f"not live yet: {second}\n")
    table.write_text(nodes((first, "true"), (second, "true"), (third, "true")))
    assert machine.run("verify.sh").returncode == 0


@pytest.mark.parametrize("name", ["initialise.sh", "verify.sh"])
def test_shellcheck_has_nothing_to_say(machine: Machine, name: str) -> None:
    result = run(program("shellcheck", "SHELLCHECK"), "--shell=sh", str(machine.state / name))
    assert result.returncode == 0, result.stdout
