"""The rules of the own zone, over all names and zones: what they change, and what they never do."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mesh.endpoint import planned_endpoint
from mesh.peer import Peer
from mesh.render.corefile import corefile
from mesh.settings import Settings
from tests.mesh.render.clusters import peers, settings
from tests.mesh.render.rewriting import block, rule_for, server_of

LABEL = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
NAMES = st.lists(LABEL, min_size=1, max_size=5).map(".".join)
ZONE = "east.mesh.example"
# Zones that begin, end or go on like the own one.
LOOKALIKES = st.one_of(
    LABEL.map(lambda label: f"{label}{ZONE}"),
    LABEL.map(lambda label: f"{ZONE}.{label}"),
    LABEL.map(lambda label: f"east.{label}.mesh.example"),
    st.sampled_from(["mesh.example", "north-east.mesh.example", "cluster.local", "local"]),
)


def own_block(own: Settings | None = None) -> str:
    return block(corefile(own or settings(), peers("west", "north")), ".:53")


@given(NAMES)
def test_every_name_of_the_zone_is_looked_up_in_the_cluster(name: str) -> None:
    expected = f"{name}.svc.cluster.local."
    assert looked_up(f"{name}.svc.{ZONE}.") == expected
    # A namespace called `svc` has the long form only.
    assume(name.rpartition(".")[2] != "svc")
    assert looked_up(f"{name}.{ZONE}.") == expected


@pytest.mark.parametrize("name", [ZONE, f"svc.{ZONE}"])
def test_the_zone_itself_is_looked_up_in_the_cluster(name: str) -> None:
    assert looked_up(f"{name}.") == "svc.cluster.local."


@given(NAMES, st.sampled_from(["", "svc."]))
def test_an_answer_has_the_name_that_was_asked_for(name: str, form: str) -> None:
    asked = f"{name}.{form}{ZONE}."
    rule = rule_for(own_block(), asked)
    assert rule
    assert rule.answer(rule.question(asked)) == asked


@given(NAMES, NAMES)
def test_every_name_in_an_answer_is_in_the_zone_that_was_asked(asked: str, target: str) -> None:
    rule = rule_for(own_block(), f"{asked}.{ZONE}.")
    assert rule
    assert rule.answer(f"{target}.svc.cluster.local.").endswith(f".{ZONE}.")


@given(NAMES, LOOKALIKES)
def test_a_name_of_another_zone_stays_as_it_is(name: str, zone: str) -> None:
    foreign = f"{name}.{zone}."
    assume(not foreign.endswith(f".{ZONE}."))
    assert rule_for(own_block(), foreign) is None
    assert rule_for(own_block(), f"{zone}.") is None


@given(NAMES, NAMES)
def test_a_name_in_an_answer_from_elsewhere_stays_as_it_is(asked: str, elsewhere: str) -> None:
    rule = rule_for(own_block(), f"{asked}.{ZONE}.")
    assert rule
    assume(not f".{elsewhere}.".endswith(".svc.cluster.local."))
    assert rule.answer(f"{elsewhere}.") == f"{elsewhere}."


@given(NAMES, st.sampled_from(["east", "west", "north"]), st.sampled_from(["", "svc."]))
def test_each_question_goes_to_the_zone_it_ends_in(name: str, owner: str, form: str) -> None:
    text = corefile(settings(), peers("west", "north"))
    zone = f"{owner}.mesh.example"
    expected = "." if owner == "east" else zone
    assert server_of(text, f"{name}.{form}{zone}.") == expected
    # The name of one zone inside a name of another.
    assert server_of(text, f"{name}.west.mesh.example.{form}{zone}.") == expected


@given(NAMES, LABEL)
def test_zones_that_end_like_one_another_are_told_apart(name: str, more: str) -> None:
    longer = settings("west", cluster={"zone": f"{more}-{ZONE}"})
    peer = Peer("west", planned_endpoint(longer), "planned", "")
    text = corefile(settings(), [peer])
    assert server_of(text, f"{name}.{more}-{ZONE}.") == f"{more}-{ZONE}"
    assert rule_for(block(text, ".:53"), f"{name}.{more}-{ZONE}.") is None
    assert rule_for(own_block(longer), f"{name}.{ZONE}.") is None


def in_the_domain() -> str:
    return own_block(settings(dns={"mode": "domain"}))


@given(NAMES)
def test_a_name_of_the_own_domain_is_looked_up_with_svc_in_it(name: str) -> None:
    block = in_the_domain()
    assert looked_up(f"{name}.svc.{ZONE}.", block) == f"{name}.svc.{ZONE}."
    # Namespaces called like what Kubernetes has beside them have the long form only.
    assume(name.rpartition(".")[2] not in {"svc", "pod", "dns", "dns-version"})
    assert looked_up(f"{name}.{ZONE}.", block) == f"{name}.svc.{ZONE}."


@pytest.mark.parametrize(
    "name", ["svc", "pod", "dns-version", "ns.dns", "10-101-0-5.shop.pod", "db-0.db.shop.svc"]
)
def test_what_kubernetes_itself_has_below_the_own_domain_stays(name: str) -> None:
    assert looked_up(f"{name}.{ZONE}.", in_the_domain()) == f"{name}.{ZONE}."


def test_the_own_domain_itself_is_in_no_rule() -> None:
    assert rule_for(in_the_domain(), f"{ZONE}.") is None


@given(NAMES, st.sampled_from(["", "svc."]))
def test_an_answer_of_the_own_domain_has_the_name_that_was_asked_for(name: str, form: str) -> None:
    asked = f"{name}.{form}{ZONE}."
    rule = rule_for(in_the_domain(), asked)
    assert rule
    assert rule.answer(rule.question(asked)) == asked


@given(NAMES, LOOKALIKES)
def test_a_foreign_name_stays_as_it_is_beside_an_own_domain(name: str, zone: str) -> None:
    foreign = f"{name}.{zone}."
    assume(not foreign.endswith(f".{ZONE}."))
    assert rule_for(in_the_domain(), foreign) is None


@given(NAMES, LABEL, LABEL)
def test_a_name_in_an_exported_namespace_goes_to_its_cluster_and_no_other_does(
    name: str, exported: str, other: str
) -> None:
    assume(exported != other and not exported.startswith("kube-") and exported != "default")
    dns = {"mode": "namespaces", "namespaces": [exported]}
    text = corefile(settings(), peers("west", dns=dns))
    zone = f"{exported}.svc.cluster.local"
    assert server_of(text, f"{name}.{zone}.") == zone
    for elsewhere in (f"{name}.{other}.svc.cluster.local.", f"{name}.{other}-{zone}."):
        assert server_of(text, elsewhere) == "."


def test_a_cluster_that_exports_namespaces_rewrites_nothing() -> None:
    own = settings(dns={"mode": "namespaces", "namespaces": ["east-1"]})
    assert "rewrite" not in corefile(own, peers("west", "north"))


def looked_up(name: str, block: str | None = None) -> str:
    rule = rule_for(block or own_block(), name)
    assert rule
    return rule.question(name)
