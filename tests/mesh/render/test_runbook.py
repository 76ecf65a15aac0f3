import re
import shlex
from collections.abc import Iterator

import pytest

from cli.app import app
from mesh.render.runbook import runbook
from mesh.topology import Topology
from tests.mesh.render.topologies import cluster, topology
from tests.test_docs import refuse_pulumi, refuse_typer

KUBECTL = {
    "get": {"-o"},
    "exec": {"-c"},
    "create": {"--from"},
}
"""What a runbook asks kubectl for, with the options of each."""
AGENT = ["cilium-dbg", "status", "--verbose"]


def commands(text: str) -> Iterator[list[str]]:
    for block in re.findall(r"^```bash\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from map(shlex.split, block.splitlines())


def chapter(text: str, heading: str) -> str:
    """The text below a heading, up to the next heading."""
    [found] = re.findall(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, re.M | re.S)
    return str(found)


def refuse_kubectl(words: list[str], contexts: set[str]) -> None:
    assert words[:1] == ["--context"]
    assert words[1] in contexts
    rest = words[4:] if words[2] == "-n" else words[2:]
    own, _, inside = " ".join(rest).partition(" -- ")
    verb, *arguments = own.split()
    for word in arguments:
        assert not word.startswith("-") or word.partition("=")[0] in KUBECTL[verb], word
    assert not inside or inside.split() == AGENT


@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_command_exists_and_names_a_cluster_of_this_mesh(count: int) -> None:
    mesh = topology(count)
    for program, *words in commands(runbook(mesh)):
        if program == "kubectl":
            refuse_kubectl(words, {*mesh.clusters})
        elif program == "pulumi":
            refuse_pulumi(words)
            assert "-s" not in words or words[words.index("-s") + 1] in mesh.clusters
        elif program == "mesh":
            refuse_typer(app, words)
        else:
            assert program == "export"


def test_the_clusters_are_listed_with_what_one_asks_for_in_trouble() -> None:
    text = runbook(topology(2))
    assert text.startswith("# Runbook of the mesh of east and west\n")
    row = "| west | 2 | west.mesh.example | 10.11.86.11:6443 | 10.11.86.20:2379 | 10.11.86.21:53 |"
    assert f"{row} 10.11.86.0/24 | east |" in text


def test_a_cluster_that_is_asked_at_its_nodes_is_listed_so() -> None:
    dns = {"mode": "namespaces", "namespaces": ["west-1"], "exposure": "nodePort"}
    clusters = {"east": cluster("east", 1), "west": cluster("west", 2, dns=dns)}
    text = runbook(Topology(clusters))
    assert "| west | 2 | west-1.svc.cluster.local | 10.11.86.11:6443 |" in text
    assert "| its nodes, port 30053 | 10.11.86.0/24 |" in text
    assert "when nodes come or go" in chapter(text, "An address of west changes")
    assert "when nodes come or go" not in chapter(text, "An address of east changes")


def test_an_address_that_metallb_chooses_is_no_address_to_dial() -> None:
    chosen = {"etcdAddress": "auto", "dnsAddress": "auto", "addresses": ["10.11.85.20-10.11.85.30"]}
    text = runbook(Topology({"east": cluster("east", 1, loadBalancer=chosen)}))
    assert "| MetalLB chooses, port 2379 | MetalLB chooses, port 53 |" in text


def test_a_cluster_leaves_after_those_that_dial_it_let_go() -> None:
    clusters = dict(topology(3).clusters)
    clusters["north"] = cluster("north", 3, peers=["east"])
    leaving = chapter(runbook(Topology(clusters)), "north leaves")
    assert [" ".join(words) for words in commands(leaving)] == [
        "mesh remove north",
        "pulumi up -s east",
        "pulumi up -s west",
        "pulumi state unprotect --all -s north",
        "pulumi destroy -s north",
        "pulumi stack rm north",
    ]
    assert "deletes `Pulumi.north.yaml`" in leaving


@pytest.mark.parametrize("heading", ["east leaves", "east is down"])
def test_the_authority_is_not_destroyed_before_another_has_its_place(heading: str) -> None:
    text = runbook(topology(2))
    words = chapter(text, heading)
    assert words.index("mesh.authority") < words.index("pulumi destroy")
    assert "mesh.authority" not in chapter(text, heading.replace("east", "west"))


def test_a_rotation_is_said_to_be_missing_with_the_years_of_these_settings() -> None:
    text = chapter(runbook(topology(2, lifetimes={"caYears": 7})), "Rotate the CA")
    assert "A rotation isn't built" in text
    assert "7 years" in text
    done = [" ".join(words) for words in commands(text)]
    assert done.index("pulumi destroy -s west") < done.index("pulumi destroy -s east")
    assert done.index("pulumi destroy -s east") < done.index("pulumi up -s east")
    assert done.index("pulumi up -s east") < done.index("pulumi up -s west")


def test_certificates_are_listed_with_these_lifetimes() -> None:
    times = {
        "controlPlaneCertificateDays": 90,
        "adminKubeconfigDays": 30,
        "meshCertificateDays": 200,
    }
    text = runbook(topology(1, lifetimes=times))
    assert "| east: control plane | 90 days |" in text
    assert "| east: admin kubeconfig | 30 days |" in text
    assert "| east: mesh etcd | 200 days |" in text


def test_a_cluster_without_dns_is_not_asked_for_its_dns_service() -> None:
    mute = Topology({"east": cluster("east", 1, dns={"forwarding": False})})
    assert "mesh-dns" not in runbook(mute)


def test_a_changed_address_is_brought_up_at_its_owner_first() -> None:
    changed = chapter(runbook(topology(3)), "An address of west changes")
    ups = [words[-1] for words in commands(changed) if words[1:2] == ["up"]]
    assert ups == ["west", "east", "north"]
