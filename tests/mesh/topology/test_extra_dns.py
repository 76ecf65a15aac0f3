"""What a user adds to the Corefile, and what is said about it."""

import re
from pathlib import Path

import pytest
import yaml

from mesh.corefile.node_local import blocks_to_add
from tests.mesh.topology.added import PLUGINS, SERVERS, TAKEN
from tests.mesh.topology.written import lines, together

OLD = {"versions.kubernetes": "1.34.1", "versions.cilium": "1.20.2"}

HOW_TO = Path(__file__).parents[3] / "docs/how-to/add-to-dns.md"


def said(key: str, text: str, **others: object) -> list[str]:
    changes = {name.replace("__", "."): value for name, value in others.items()}
    found = lines(together(east={key: text, **changes}))
    prefix = f"Pulumi.east.yaml: {key}: "
    assert all(line.startswith(prefix) for line in found)
    return [line.removeprefix(prefix) for line in found]


@pytest.mark.parametrize(("key", "text"), TAKEN)
def test_what_leaves_the_mesh_alone_is_taken(key: str, text: str) -> None:
    assert said(key, text) == []
    assert said(key, text, **{k.replace(".", "__"): v for k, v in OLD.items()}) == []


def test_all_that_is_wrong_is_said_at_once_with_its_lines() -> None:
    text = (
        "corp.example {\n  autopath @kubernetes\n  foward . 10.0.0.53\n}\ncorp.example { errors }\n"
    )
    assert said(SERVERS, text) == [
        (
            "'autopath @kubernetes' in line 2 answers names of the mesh wrongly, as it looks in no "
            "other block: take it out, pods with dnsConfig.options ndots 2 ask as rarely"
        ),
        "'foward . 10.0.0.53' in line 3 is no plugin of CoreDNS 1.14.2: did you mean forward?",
        "'corp.example' in line 5 is a zone of the block in line 1 too: keep one of them",
    ]


def test_a_text_that_is_no_corefile_is_told_with_its_line() -> None:
    assert said(SERVERS, "corp.example {\n  forward . 10.0.0.53\n") == [
        "line 1 has a { without its }: write each brace, and each } once for its {"
    ]
    assert said(PLUGINS, "log\nimport custom/*.override") == [
        "line 2 imports a file or a snippet, which CoreDNS's pod doesn't have: write its lines here"
    ]


@pytest.mark.parametrize(
    ("zone", "reason"),
    [
        ("east.mesh.example", "is east.mesh.example, which is cluster.zone"),
        ("shop.east.mesh.example", "is in east.mesh.example, which is cluster.zone"),
        ("mesh.example", "holds east.mesh.example, which is cluster.zone"),
        ("west.mesh.example", "is west.mesh.example, which is asked of west"),
        ("shop.west.mesh.example", "is in west.mesh.example, which is asked of west"),
        ("cluster.local", "is cluster.local, the domain of Kubernetes itself"),
        ("shop.svc.cluster.local", "is in cluster.local, the domain of Kubernetes itself"),
        ("local", "holds cluster.local, the domain of Kubernetes itself"),
    ],
)
def test_a_zone_that_is_taken_is_nobody_elses(zone: str, reason: str) -> None:
    assert said(SERVERS, f"{zone} {{ forward . 10.0.0.53 }}") == [
        f"{zone!r} in line 1 {reason}: write a zone apart from it"
    ]


def test_a_zone_above_a_peers_is_free_and_one_below_it_when_it_is_no_peer() -> None:
    east = {"cluster.zone": "east.one.example", SERVERS: "mesh.example { forward . 10.0.0.53 }"}
    assert lines(together(east=east)) == []
    below = "shop.west.mesh.example { forward . 10.0.0.53 }"
    assert lines(together(east={SERVERS: below, "peers": []})) == []


def test_the_own_zone_is_free_where_only_namespaces_are_answered() -> None:
    east = {"dns.mode": "namespaces", "dns.namespaces": ["shop"]}
    text = "mesh.example { forward . 10.0.0.53 }"
    assert lines(together(east={SERVERS: text, **east}, west={"cluster.zone": "a.b"})) == []
    [line] = lines(together(east={SERVERS: "shop.svc.cluster.local { errors }", **east}))
    assert "is in cluster.local, the domain of Kubernetes itself" in line


def test_the_reverse_zones_of_pods_and_services_are_taken() -> None:
    for ours in ("network.podCidr", "network.serviceCidr"):
        [line] = said(
            SERVERS, "1.2.3.0/24 {\n errors\n}", **{ours.replace(".", "__"): "1.2.0.0/16"}
        )
        assert line.endswith(
            f"in line 1 is in 2.1.in-addr.arpa, where the names of {ours} are: "
            "write a zone apart from it"
        )


@pytest.mark.parametrize(
    ("key", "says"),
    [
        (".", "is the root, which the first block answers: write its lines into dns.extra.plugins"),
        ("a.b:1053", "is at port 1053, where peers ask: write a.b:53"),
        ("a.b:9153", "is at port 9153, where prometheus answers: write a.b:53"),
        (
            "tls://a.b",
            "is served by tls, and CoreDNS's pod has no certificate for that: write a.b:53",
        ),
        ("a..b", "is no zone: write one like corp.example:53"),
    ],
)
def test_a_block_stands_where_pods_ask(key: str, says: str) -> None:
    found = said(SERVERS, f"{key} {{ forward . 10.0.0.53 }}")
    assert found == [f"{key!r} in line 1 {says}"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("forward . 10.0.0.53", "is in this block already, with what the mesh needs"),
        ("cache 30", "is in this block already, with what the mesh needs"),
        ("kubernetes cluster.local", "is in this block already, with what the mesh needs"),
        ("loop", "is in this block already, with what the mesh needs"),
        ("reload 30s", "is one for all of CoreDNS, and the program writes it"),
        ("autopath @kubernetes", "answers names of the mesh wrongly"),
        ("bind 127.0.0.1", "binds a block to an address"),
        ("view some", "leaves out pods that it doesn't fit"),
        ("hosts", "answers for every name, also those it doesn't have"),
        ("template ANY ANY", "answers for every name, also those it doesn't have"),
        ("template ANY ANY svc.cluster.local", "answers for every name"),
        ("rewrite continue name a.b c.d", "leaves the question rewritten in the answer"),
        ("rewrite name suffix .a. .b.", "answers with another name than was asked for"),
        ("rewrite stop name regex (.*).a {1}.b", "answers with another name than was asked for"),
        ("nomad service.nomad", "is no plugin of CoreDNS 1.12.1, but since 1.13.0"),
        ("file /zones/corp.example", "reads files of yours, and CoreDNS's pod has none"),
        ("hosts /zones/hosts corp.example", "reads /zones/hosts, which CoreDNS's pod doesn't have"),
    ],
)
def test_a_plugin_takes_nothing_from_what_is_there(line: str, says: str) -> None:
    [found] = said(PLUGINS, line, versions__kubernetes="1.34.1")
    assert found.startswith(f"{line!r} in line 1 {says}")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("kubernetes cluster.local", "keeps all Services in memory once more"),
        ("forward .", "names nobody to ask"),
        ("forward . 127.0.0.1:53", "asks this same CoreDNS again, without end"),
        ("prometheus", "counts at localhost, where nobody asks"),
        ("prometheus :8080", "listens at 8080, where health answers"),
        ("health", "listens at 8080 as that of the first block does"),
        ("ready :1053", "listens at 1053, where peers ask"),
        ("errors\nerrors", "is here twice in one block"),
        ("forward . 10.0.0.53 {\n max_fial 2\n}", "is no option of forward in CoreDNS 1.14.2: did"),
        (
            "hosts {\n fallthrough\n 10.9.9.9 a.b\n}",
            "stands behind fallthrough, where CoreDNS takes no address",
        ),
    ],
)
def test_a_block_of_ones_own_must_make_sense_too(line: str, says: str) -> None:
    [found] = said(SERVERS, f"corp.example {{\n{line}\n}}")
    assert says in found


def test_acl_and_cache_beside_rewrite_name_their_zones() -> None:
    rewrite = "rewrite name suffix .a.b. .corp.example. answer auto"
    text = f"a.b {{\n  {rewrite}\n  cache 5\n  acl {{\n    block\n  }}\n  forward . 10.0.0.53\n}}"
    assert said(SERVERS, text) == [
        (
            "'cache 5' in line 3 keeps nothing beside rewrite in some releases of CoreDNS: "
            "write cache 5 ."
        ),
        "'acl' in line 4 lets everybody in beside rewrite in some releases of CoreDNS: write acl .",
    ]


def test_an_option_is_known_from_its_release_on() -> None:
    text = "corp.example {\n  forward . 10.0.0.53 10.0.0.54 {\n    failover SERVFAIL\n  }\n}"
    assert said(SERVERS, text, versions__kubernetes="1.34.1") == [
        (
            "'failover SERVFAIL' in line 3 is no option of forward in CoreDNS 1.12.1, but since "
            "1.13.0: take it out, or write versions.kubernetes 1.35 or later"
        )
    ]
    assert said(SERVERS, text, versions__kubernetes="1.35.1") == []


def test_nothing_is_added_to_kubeadms_own_corefile() -> None:
    assert said(PLUGINS, "log", dns__forwarding=False) == [
        (
            "means nothing with dns.forwarding: false, which is kubeadm's Corefile: "
            "take it out, or write true there"
        )
    ]


def test_the_how_to_shows_what_is_taken() -> None:
    example, old, cache = re.findall(
        r"```(?:yaml|text)\n(?!Pulumi)(.*?)```", HOW_TO.read_text(), re.DOTALL
    )
    extra = yaml.safe_load(example)["config"]["vsphere-cluster-mesh:dns"]["extra"]
    assert said(SERVERS, extra["servers"] + old) == said(PLUGINS, extra["plugins"]) == []
    assert cache == blocks_to_add(["west.mesh.example"], bind=["169.254.20.10", "10.96.0.10"])
