import errno
from ipaddress import IPv4Network
from pathlib import Path

import pytest
import yaml

from cli.failure import Failure
from cli.free import free_number
from cli.membership import addition
from tests.cli.projects import Files


def test_a_further_cluster_is_written_and_clashes_with_nobody(files: Files) -> None:
    said = files.says("add", "north")
    assert "ok: 3 clusters" in files.says("check")
    north = files.load().settings["north"]
    assert (north.cluster.name, north.cluster.id) == ("north", 3)
    assert north.cluster.zone == "north.mesh.example"
    assert north.network.pod_cidr == IPv4Network("10.103.0.0/16")
    assert north.network.service_cidr == IPv4Network("10.203.0.0/16")
    assert [str(one) for _, one in north.nodes.keyed_addresses()] == [
        f"10.11.85.{last}" for last in (31, 32, 33, 34)
    ]
    assert [str(one) for _, one in north.load_balancer.pinned()] == ["10.11.84.42", "10.11.84.43"]
    assert [str(one) for one in north.load_balancer.addresses] == ["10.11.84.44-10.11.84.52"]
    assert north.vsphere.folder == "mesh/north"
    assert "  network.podCidr                 10.103.0.0/16\n" in said


def test_the_new_file_keeps_every_comment_of_its_pattern(files: Files) -> None:
    files.says("add", "north")
    before, after = files.text("west").splitlines(), files.text("north").splitlines()
    assert len(before) == len(after)
    assert "west" not in files.text("north")
    for old, new in zip(before, after, strict=True):
        assert old.partition("#")[2].replace("west", "north") == new.partition("#")[2]
        assert ("#" in old) == ("#" in new)
        assert old.find("#") == new.find("#")


def test_ten_clusters_in_a_row_stay_sound(files: Files) -> None:
    for number in range(10):
        files.says("add", f"c{number}")
        assert files.run("check").exit_code == 0
    settings = files.load().settings
    assert sorted(one.cluster.id for one in settings.values()) == list(range(1, 13))


def test_the_others_are_told_what_their_previews_will_show(files: Files) -> None:
    said = files.says_json("add", "north")
    assert said["files"] == ["Pulumi.north.yaml"]
    assert said["previews"] == {
        stack: [
            "Cilium dials north at 10.11.84.42:2379",
            "CoreDNS forwards north.mesh.example to 10.11.84.43:53",
        ]
        for stack in ("east", "west")
    }
    assert said["next"] == [
        "mesh init",
        "pulumi config set --secret vcenterPassword -s north",
        "pulumi up -s north",
        "pulumi up -s east",
        "pulumi up -s west",
    ]


def test_a_dry_run_writes_nothing(files: Files) -> None:
    assert "would write Pulumi.north.yaml" in files.says("add", "north", "--dry-run")
    assert not files.path("north").exists()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("west", "west is taken by Pulumi.west.yaml: write another name"),
        ("North", "'North' is not a cluster name: write a-z, 0-9 and -"),
        ("../north", "'../north' is not a cluster name"),
        ("n" * 33, "is 33 characters long: write at most 32"),
        ("default", "'default' is the name Cilium keeps for a cluster alone"),
    ],
)
def test_a_name_that_can_not_be_is_refused(files: Files, name: str, why: str) -> None:
    assert why in files.refusal("add", name)
    assert len(list(files.directory.iterdir())) == 3


def test_a_name_that_yaml_would_read_as_a_number_is_quoted(files: Files) -> None:
    files.says("add", "123")
    assert "name: '123'" in files.text("123")
    assert files.load().settings["123"].vsphere.folder == "mesh/123"


def test_a_name_of_one_letter_changes_no_word_of_a_comment(files: Files) -> None:
    files.says("add", "a")
    files.says("add", "b")
    assert "# A further cluster is one more such file, with a name" in files.text("b")
    assert "# The cluster b." in files.text("b")


def test_no_secret_of_the_pattern_is_copied(files: Files) -> None:
    text = files.text("west")
    secret = "  vsphere-cluster-mesh:vcenterPassword:\n    secure: v1:abc\n"
    files.path("west").write_text(f"encryptionsalt: v1:salt\n{text}{secret}")
    files.says("add", "north")
    assert "v1:" not in files.text("north")
    assert "vcenterPassword -s north" in files.text("north")
    assert list(yaml.safe_load(files.text("north"))) == ["config"]


def test_another_pattern_may_be_named(files: Files) -> None:
    files.replace("east", "memoryGib: 32", "memoryGib: 64")
    files.says("add", "north", "--like", "east")
    assert files.load().settings["north"].nodes.worker.memory_gib == 64
    assert files.load().settings["north"].cluster.id == 3
    assert "no Pulumi.south.yaml here" in files.refusal("add", "far", "--like", "south")


def test_a_cluster_that_exports_namespaces_at_its_nodes_is_a_pattern_too(files: Files) -> None:
    files.replace(
        "west",
        "forwarding: true",
        "mode: namespaces\n    namespaces: [west-1, shop]\n    exposure: nodePort",
    )
    files.replace("west", "    dnsAddress: 10.11.84.32\n", "")
    said = files.says_json("add", "north", "--like", "west")
    assert "ok: 3 clusters" in files.says("check")
    north = files.load().settings["north"]
    assert north.dns.namespaces == ("north-1", "north-shop")
    assert north.load_balancer.dns_address is None
    assert said["previews"]["east"][1] == (
        "CoreDNS forwards north-1.svc.cluster.local, north-shop.svc.cluster.local to "
        "10.11.85.32:30053, 10.11.85.33:30053, 10.11.85.34:30053, 10.11.85.31:30053"
    )


def test_a_file_of_another_shape_is_a_pattern_too(files: Files) -> None:
    document = yaml.safe_load(files.text("west"))
    files.path("west").write_text(yaml.safe_dump(document, default_flow_style=True, width=4000))
    files.says("add", "north")
    assert "ok: 3 clusters" in files.says("check")
    document["config"] = {key.partition(":")[2]: one for key, one in document["config"].items()}
    files.path("west").write_text(yaml.safe_dump(document, indent=4))
    files.says("add", "south", "--like", "west")
    assert "ok: 4 clusters" in files.says("check")


def test_addresses_taken_by_anybody_are_passed_over(files: Files) -> None:
    files.replace("east", "10.11.85.14", "10.11.85.33")
    files.replace("east", "[10.11.84.2]", "[10.11.84.2, 10.11.84.44]")
    files.replace("east", "podCidr: 10.101.0.0/16", "podCidr: 10.103.0.0/16")
    north = files.says_json("add", "north")["values"]
    assert "ok: 3 clusters" in files.says("check")
    assert north["nodes.controlPlane.addresses[0]"] == "10.11.85.41"
    assert north["loadBalancer.etcdAddress"] == "10.11.84.53"
    assert north["network.podCidr"] == "10.104.0.0/16"


def small(files: Files) -> None:
    """Let both clusters share a node network of 126 addresses."""
    for stack in ("east", "west"):
        text = files.text(stack).replace("10.11.85.", "10.11.84.6")
        files.path(stack).write_text(text.replace("10.11.84.0/22", "10.11.84.0/25"))
    for last in range(4):
        files.replace("east", f"10.11.84.61{last + 1}", f"10.11.84.{60 + last}")
        files.replace("west", f"10.11.84.62{last + 1}", f"10.11.84.{70 + last}")


def test_where_no_round_numbers_are_left_any_room_will_do(files: Files) -> None:
    small(files)
    first = files.says_json("add", "c1")["values"]
    assert first["nodes.controlPlane.addresses[0]"] == "10.11.84.80"
    assert first["loadBalancer.etcdAddress"] == "10.11.84.42"
    second = files.says_json("add", "c2")["values"]
    assert second["nodes.controlPlane.addresses[0]"] == "10.11.84.90"
    # After .52 the next eleven would meet the nodes at .60, and so on: the first gap above.
    assert second["loadBalancer.etcdAddress"] == "10.11.84.97"
    assert "ok: 4 clusters" in files.says("check")


def test_without_room_for_addresses_nothing_is_written(files: Files) -> None:
    small(files)
    added = 0
    while (result := files.run("add", f"c{added}")).exit_code == 0:
        added += 1
        assert added < 10
    assert str(result.exception) == (
        f"Pulumi.c{added - 1}.yaml: network.nodeCidr: 10.11.84.0/25 has no room for 11 more "
        "addresses of loadBalancer, placed alike: "
        "write a larger one, or name a stack with more room by --like"
    )
    assert not files.path(f"c{added}").exists()
    assert f"ok: {added + 2} clusters" in files.says("check")


def test_without_room_for_pods_the_range_is_named(files: Files) -> None:
    files.replace("west", "10.102.0.0/16", "172.16.0.0/13")
    files.replace("west", "serviceCidr: 10.202.0.0/16", "serviceCidr: 172.24.0.0/13")
    refusal = files.refusal("add", "north")
    assert refusal == (
        "Pulumi.west.yaml: network.podCidr: 172.16.0.0/13 has no free range as large in "
        "172.16.0.0/12: write another one, or name a stack with more room by --like"
    )


def test_an_id_below_is_taken_when_the_highest_is_the_last(files: Files) -> None:
    files.replace("west", "id: 2 ", "id: 255 ")
    assert files.says_json("add", "north")["values"]["cluster.id"] == 2


def test_ids_run_out_in_words() -> None:
    assert free_number(range(1, 256), 255) is None
    assert free_number([], 255) == 1


def test_native_routing_keeps_the_pods_in_its_range(files: Files) -> None:
    files.replace_shared("tunnelPort: 0 ", "nativeRoutingCidr: 10.100.0.0/14 ")
    files.replace_shared("tunnelProtocol: geneve", "routingMode: native")
    files.says("add", "north")
    files.says("add", "south")
    settings = files.load().settings
    assert str(settings["north"].network.pod_cidr) == "10.103.0.0/16"
    assert str(settings["south"].network.pod_cidr) == "10.100.0.0/16"
    assert "no free range as large in 10.100.0.0/14" in files.refusal("add", "far")


def test_addresses_metallb_chooses_stay_its_choice(files: Files) -> None:
    for key, address in (("etcdAddress", "10.11.84.31"), ("dnsAddress", "10.11.84.32")):
        files.replace("west", f"{key}: {address}", f"{key}: auto")
    said = files.says_json("add", "north")
    assert said["previews"]["east"] == [
        "Cilium dials north once its address is known",
        "CoreDNS forwards north.mesh.example once its address is known",
    ]
    values = said["values"]
    assert "loadBalancer.etcdAddress" not in values
    assert values["loadBalancer.addresses[0]"] == "10.11.84.42-10.11.84.50"
    assert "ok: 3 clusters" in files.says("check")


def test_a_project_that_is_not_sound_is_mended_first(files: Files) -> None:
    files.replace("west", "id: 2 ", "id: 1 ")
    assert files.refusal("add", "north").startswith(
        "mend these first:\nPulumi.west.yaml: cluster.id"
    )
    assert not files.path("north").exists()


def test_where_all_name_each_other_the_new_one_is_named_by_all(files: Files) -> None:
    files.with_peers("east", "[west] # both ways")
    files.with_peers("west", "\n    - east   # near")
    files.says("add", "north")
    assert files.peers("north") == ["east", "west"]
    assert files.peers("east") == ["west", "north"]
    assert files.peers("west") == ["east", "north"]
    assert "# both ways" in files.text("east")
    assert "    - east   # near\n    - north\n" in files.text("west")
    assert files.run("check").stderr == ""


def test_a_cluster_like_one_with_few_peers_gets_the_same_peers(files: Files) -> None:
    files.says("add", "hub")
    files.with_peers("east", "[hub]")
    files.with_peers("west", "[hub]")
    files.says("add", "north", "--like", "west")
    assert files.peers("north") == ["hub"]
    assert files.peers("east") == ["hub"]
    assert files.run("check").stderr == ""


def test_a_file_that_can_not_be_written_is_named(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path, _text: str, **_options: str) -> None:
        raise OSError(errno.ENOSPC, "no space")

    plan = addition(files.load(), "north", None)
    monkeypatch.setattr(Path, "write_text", refuse)
    with pytest.raises(Failure, match=r"Pulumi\.north\.yaml can't be written: no space; nothing"):
        plan.write(files.directory)
