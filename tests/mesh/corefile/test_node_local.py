from mesh.corefile.block import Block, text
from mesh.corefile.node_local import blocks_missing_in, blocks_to_add, missing_zones

ZONES = ("west.mesh.example", "east.mesh.example")
SHIPPED = """\
cluster.local:53 {
    errors
    cache {
        success 9984 30
        denial 9984 5
    }
    reload
    loop
    bind 169.254.20.10 10.96.0.10
    forward . __PILLAR__CLUSTER__DNS__ {
        force_tcp
    }
    prometheus :9253
    health 169.254.20.10:8080
}
in-addr.arpa:53 {
    bind 169.254.20.10 10.96.0.10
    forward . __PILLAR__CLUSTER__DNS__ {
        force_tcp
    }
}
.:53 {
    bind 169.254.20.10 10.96.0.10
    forward . __PILLAR__UPSTREAM__SERVERS__
}
"""
"""As in Kubernetes' nodelocaldns.yaml, with what its installation fills in."""


def test_the_cache_as_it_is_shipped_knows_no_zone_of_the_mesh() -> None:
    assert missing_zones(SHIPPED, ZONES) == ZONES


def test_with_the_blocks_it_lacks_nothing_is_missing() -> None:
    missing = blocks_missing_in(SHIPPED, ZONES)
    assert missing_zones(SHIPPED + missing, ZONES) == ()
    assert blocks_missing_in(SHIPPED + missing, ZONES) == ""


def test_the_blocks_are_bound_and_forward_as_that_of_the_clusters_domain() -> None:
    assert blocks_missing_in(SHIPPED, ["west.mesh.example"]) == text(
        Block(
            "west.mesh.example:53",
            (
                "errors",
                Block("cache 5 .", ("denial 9984 5",)),
                "reload",
                "bind 169.254.20.10 10.96.0.10",
                Block("forward . __PILLAR__CLUSTER__DNS__", ("force_tcp",)),
            ),
        )
    )
    assert "forward . 10.96.0.11 {" in blocks_to_add(["west.mesh.example"], "10.96.0.11")


def test_namespaces_of_the_clusters_own_domain_are_asked_of_coredns_already() -> None:
    assert missing_zones(SHIPPED, ["shop.svc.cluster.local", *ZONES]) == ZONES


def test_a_cache_that_asks_coredns_about_everything_lacks_nothing() -> None:
    everything = SHIPPED.replace("__PILLAR__UPSTREAM__SERVERS__", "__PILLAR__CLUSTER__DNS__")
    assert missing_zones(everything, ZONES) == ()


def test_a_zone_above_that_is_asked_of_coredns_is_enough() -> None:
    above = blocks_to_add(["mesh.example"])
    assert missing_zones(SHIPPED + above, ZONES) == ()


def test_a_zone_with_a_block_of_its_own_is_its_authors_affair() -> None:
    own = "east.mesh.example:53 {\n    forward . 10.11.84.21\n}\n"
    assert missing_zones(SHIPPED + own, ZONES) == ("west.mesh.example",)


def test_a_block_on_another_port_serves_no_pod() -> None:
    other = blocks_to_add(["mesh.example"]).replace(":53", ":5353")
    assert missing_zones(SHIPPED + other, ZONES) == ZONES


def test_another_domain_of_the_cluster_is_looked_for_by_its_name() -> None:
    renamed = SHIPPED.replace("cluster.local", "east.example")
    assert missing_zones(renamed, ["a.east.example", *ZONES], "east.example") == ZONES
