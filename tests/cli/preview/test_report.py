"""A comment that fits, begins with the summary, and can't be broken by what it quotes."""

import re
from dataclasses import replace

from cli.preview.comparison import Comparison
from cli.preview.recording import Recording
from cli.preview.report import GITHUB_LIMIT, as_document, as_markdown, as_text
from cli.preview.texts import texts
from tests.cli.preview.conftest import Recorder, group


def test_a_comment_begins_with_its_mark_and_the_summary(
    shipped: Recording, recorded: Recorder
) -> None:
    now = recorded(west=group("loadBalancer", dnsAddress="10.11.84.42"))
    mark, summary, *_ = as_markdown(Comparison(now, "main (abc)", shipped)).splitlines()
    assert mark == "<!-- mesh-preview:east -->"
    assert summary == (
        "**east**: CoreDNS forwards west's zone to 10.11.84.42 instead of 10.11.84.32; "
        "0 VMs replaced"
    )


def test_a_comment_shows_differences_and_the_tree_folded(
    shipped: Recording, recorded: Recorder
) -> None:
    now = recorded(west=group("loadBalancer", dnsAddress="10.11.84.42"))
    comment = as_markdown(Comparison(now, "main (abc)", shipped))
    titles = re.findall(r"<details><summary>(.*)</summary>", comment)
    assert titles[0] == "Corefile"
    assert titles[-1] == "all resources"
    assert "```diff\n" in comment


def with_inputs(recording: Recording, name: str, **inputs: object) -> Recording:
    resources = tuple(
        replace(one, inputs={**one.inputs, **inputs}) if one.name == name else one
        for one in recording.resources
    )
    return replace(recording, resources=resources)


def test_a_comment_never_outgrows_github_and_says_where_the_rest_is(shipped: Recording) -> None:
    long = with_inputs(shipped, "east-core-dns-corefile", data={"Corefile": "a line\n" * 20_000})
    comment = as_markdown(Comparison(long, "main", shipped))
    assert len(comment) <= GITHUB_LIMIT
    assert "Too long for a comment: Corefile. `make preview STACK=east` prints all of it" in comment
    assert "<details><summary>all resources</summary>" in comment
    assert "a line\n" * 20_000 in as_text(Comparison(long, "main", shipped)).replace("\n+", "\n")


def test_many_changes_leave_the_comment_short_and_the_replaced_machines_in_it(
    shipped: Recording,
) -> None:
    values = {"operator": {f"a{number}": "x" * 5_000 for number in range(40)}}
    now = with_inputs(shipped, "east-metallb", values=values)
    comment = as_markdown(Comparison(now, "main", shipped))
    assert len(comment) <= GITHUB_LIMIT
    assert "more changed values" in comment
    assert "0 VMs replaced" in comment


def test_what_a_file_says_can_neither_call_somebody_nor_end_a_block(
    shipped: Recording,
) -> None:
    values = {"operator": {"note": "@octocat ![x](http://evil.example) <img src=x>\n```\n# loud"}}
    now = with_inputs(shipped, "east-metallb", values=values)
    comment = as_markdown(Comparison(now, "main", shipped))
    outside = re.sub(r"^(`{3,}).*?^\1$", "", comment, flags=re.M | re.S)
    assert "&#64;octocat" in outside
    assert "@octocat" not in outside
    assert "<img" not in outside
    assert "![x]" not in outside
    assert "\n# loud" not in outside
    assert "@octocat" in comment  # shown as it is, in a block


def test_machines_that_are_alike_are_shown_once(shipped: Recording) -> None:
    text = as_text(Comparison(shipped, "main", None))
    assert text.count("kind: JoinConfiguration") == 1
    assert "as user data of east-worker-1, but:\n" in text


def test_the_tree_has_parents_types_and_marks(shipped: Recording) -> None:
    tree = texts(shipped)["resources"]
    assert "  mesh:mesh_ca:MeshCa  east-mesh-ca\n" in tree
    assert "    pulumi:index:Stash  east-mesh-ca  [protect, secret]\n" in tree
    assert "    kubernetes:core/v1:ConfigMapPatch  east-core-dns-corefile  [retain]\n" in tree


def test_every_text_people_ask_for_is_there(shipped: Recording) -> None:
    found = texts(shipped)
    assert "forward . 10.11.84.32:53" in found["Corefile"]
    assert "maxConnectedClusters: 255\n" in found["Helm release cilium"]
    assert "validationFailurePolicy: Ignore" in found["Helm release metallb"]
    assert "kind: L2Advertisement" in found["MetalLB objects"]
    assert "loadBalancerSourceRanges" in found["Services"]
    assert found["user data of east-control-plane-1"].startswith("#cloud-config\n")
    assert "local-hostname: east-worker-3" in found["meta data of east-worker-3"]
    assert "template" in str(found["vSphere"]) or "VirtualMachine:" in found["vSphere"]


def test_a_program_reads_the_same(shipped: Recording) -> None:
    document = as_document(Comparison(shipped, "main", shipped))
    assert document["summary"] == []
    assert document["differences"] == {}
    assert len(document["resources"]) == len(shipped.resources)
