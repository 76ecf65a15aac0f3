import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from pyright import node

from mesh.pki import certificate_authority
from mesh.workloads import key_pairs, manifests, secret_data
from mesh.workloads.kinds import software_of
from tests.mesh.workloads.handshakes import client_context, handshake, member_context
from tests.mesh.workloads.written import spread, workload

STAND_IN = Path(__file__).parent / "stand_ins" / "mongosh.js"
PORT = ":27017"
SHELF: dict[str, Any] = {
    "kind": "mongodb",
    "clientNamespaces": ["shop"],
    "clusters": {"east": {"replicas": 2, "region": "us-east-1"}, "west": {"replicas": 1}},
}
CA = certificate_authority("test", 10)


def files(stack: str, *, for_clients: bool = False) -> dict[str, str]:
    found, ca = workload(SHELF), CA.as_mapping()
    site = found.site(stack)
    kept = key_pairs(ca, found, site, 30)
    return secret_data(ca, kept, found, site, for_clients=for_clients)


def hosts(written: dict[str, Any]) -> list[str]:
    return [f"{name}{PORT}" for name in workload(written).members()]


def subject(pem: str) -> str:
    return x509.load_pem_x509_certificate(pem.encode()).subject.rfc4514_string()


class ReplicaSet:
    """The scripts with the stand-in for mongosh, and the state of the servers behind it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.state: dict[str, Any] = {"down": [], "set": None, "users": []}

    def run(self, script: str, written: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        found = workload(written)
        for name, text in (software_of(found, found.site("east")).files or {}).items():
            # In a pod the files lie at a fixed place.
            here = text.replace("/configuration/", f"{self.directory}/")
            (self.directory / name).write_text(here)
        kept = self.directory / "state"
        kept.write_text(json.dumps(self.state))
        done = node.run(
            "node",
            str(STAND_IN),
            str(self.directory / f"{script}.js"),
            str(kept),
            env={"CERTIFICATE": "some.pem", "SERVICE": f"ledger-public{PORT}"},
            capture_output=True,
            text=True,
        )
        self.state = json.loads(kept.read_text())
        told = (str(done.stdout), str(done.stderr))
        return subprocess.CompletedProcess(done.args, done.returncode, *told)

    @property
    def members(self) -> list[dict[str, Any]]:
        known: list[dict[str, Any]] = self.state["set"]["config"]["members"]
        return known


@pytest.fixture
def replica_set(tmp_path: Path) -> ReplicaSet:
    return ReplicaSet(tmp_path)


def test_one_replica_set_is_made_of_the_members_of_all_clusters(replica_set: ReplicaSet) -> None:
    result = replica_set.run("initialise", SHELF)
    assert result.returncode == 0, result.stderr
    assert [member["host"] for member in replica_set.members] == hosts(SHELF)
    assert [member["_id"] for member in replica_set.members] == [0, 1, 2]
    assert replica_set.members[0]["tags"]["region"] == "us-east-1"
    assert replica_set.state["set"]["config"]["_id"] == "ledger"
    assert replica_set.state["users"] == ["CN=ledger-client"]


def test_none_is_made_while_a_member_is_away_as_it_may_be_in_one(replica_set: ReplicaSet) -> None:
    replica_set.state["down"] = hosts(SHELF)[2:]
    result = replica_set.run("initialise", SHELF)
    assert result.returncode != 0
    assert f"waiting for {hosts(SHELF)[2]}" in result.stderr
    assert replica_set.state["set"] is None


def test_doing_it_again_changes_nothing(replica_set: ReplicaSet) -> None:
    replica_set.run("initialise", SHELF)
    before = json.dumps(replica_set.state)
    assert replica_set.run("initialise", SHELF).returncode == 0
    assert json.dumps(replica_set.state) == before


def test_members_that_came_later_are_taken_in_one_by_one(replica_set: ReplicaSet) -> None:
    replica_set.run("initialise", SHELF)
    more = spread(SHELF, east=2, west=3)
    result = replica_set.run("initialise", more)
    assert result.returncode == 0, result.stderr
    assert sorted(member["host"] for member in replica_set.members) == sorted(hosts(more))
    assert len({member["_id"] for member in replica_set.members}) == 5
    assert replica_set.state["set"]["config"]["version"] == 3


def test_a_member_that_is_away_stops_no_newcomer(replica_set: ReplicaSet) -> None:
    replica_set.run("initialise", SHELF)
    replica_set.state["down"] = hosts(SHELF)[2:]
    assert replica_set.run("initialise", spread(SHELF, east=3, west=1)).returncode == 0
    assert len(replica_set.members) == 4


def test_of_many_members_seven_vote(replica_set: ReplicaSet) -> None:
    replica_set.run("initialise", spread(SHELF, east=5, west=4))
    silent = [member for member in replica_set.members if member.get("votes") == 0]
    assert len(replica_set.members) - len(silent) == 7
    assert all(member["priority"] == 0 for member in silent)


def test_a_newcomer_has_no_vote_when_seven_have_one(replica_set: ReplicaSet) -> None:
    replica_set.run("initialise", spread(SHELF, east=4, west=3))
    result = replica_set.run("initialise", spread(SHELF, east=5, west=3))
    assert result.returncode == 0, result.stderr
    [newcomer] = [one for one in replica_set.members if one["host"].startswith("ledger-4.")]
    assert (newcomer["votes"], newcomer["priority"]) == (0, 0)


def test_verifying_names_who_is_not_in_yet(replica_set: ReplicaSet) -> None:
    replica_set.run("initialise", SHELF)
    assert replica_set.run("verify", SHELF).returncode == 0
    last = hosts(SHELF)[2]
    replica_set.state["set"]["states"] = {last: "STARTUP2"}
    waiting = replica_set.run("verify", SHELF)
    assert (waiting.returncode, waiting.stdout) == (1, f"{last}: STARTUP2\n")
    missing = replica_set.run("verify", spread(SHELF, east=3, west=1))
    assert "not in the replica set" in missing.stdout


def test_members_know_each_other_by_an_organization_that_clients_do_not_have() -> None:
    assert subject(files("east")["member.crt"]) == subject(files("west")["member.crt"])
    assert "O=ledger" in subject(files("east")["member.crt"])
    assert subject(files("east", for_clients=True)["client.crt"]) == "CN=ledger-client"


def test_certificate_and_key_are_in_one_file_as_mongodb_reads_them() -> None:
    own = files("east")
    assert own["member.pem"] == own["member.crt"] + own["member.key"]
    assert "member.pem" not in files("east", for_clients=True)


@pytest.mark.parametrize(
    "name", ["localhost", "ledger-1.ledger.ledger.svc.east.mesh.example", "ledger-public.shop"]
)
def test_a_client_in_west_reaches_a_member_in_east(name: str, tmp_path: Path) -> None:
    server = member_context(files("east"), "member", tmp_path)
    client = client_context(files("west", for_clients=True), "client", tmp_path)
    handshake(server, client, name)


def test_members_ask_everybody_for_a_certificate() -> None:
    found = workload(SHELF)
    [stateful_set] = [
        each for each in manifests(found, found.site("east"), 1) if each["kind"] == "StatefulSet"
    ]
    [container] = stateful_set["spec"]["template"]["spec"]["containers"]
    assert {"--replSet=ledger", "--clusterAuthMode=x509", "--tlsMode=requireTLS", "--auth"} <= {
        *container["args"]
    }
