"""`mesh verify` and `mesh doctor` see a mesh that works, and name what is broken in one."""

import time
from dataclasses import dataclass

import pytest

from lab.link import Link
from tests.whole import asked
from tests.whole.asked import Finding, failed
from tests.whole.faults import article_rewriting, dns_address_taken_away
from tests.whole.figures import keep, until
from tests.whole.names import BOTH_WAYS, all_fresh, broken_link

pytestmark = [pytest.mark.lab, pytest.mark.timeout(600)]

BY_NAME = {"name by UDP", "name by TCP"}


@dataclass(frozen=True)
class BrokenDns:
    """What is found while west rewrites as the article does, and east's address is taken away."""

    verified: list[Finding]
    looked_at: list[Finding]


@pytest.fixture(scope="module")
def broken_dns() -> BrokenDns:
    """The findings of `mesh verify` and of `mesh doctor`, which both end with 1."""
    with article_rewriting("west"), dns_address_taken_away("east"):
        status, verified = asked.verify_at_once()
        doctors_status, looked_at = asked.doctor()
    assert (status, doctors_status) == (1, 1)
    until(all_fresh, 120)
    return BrokenDns(verified, looked_at)


def test_a_corefile_that_rewrites_the_question_alone_is_named(broken_dns: BrokenDns) -> None:
    found = failed(broken_dns.verified, "east", "west")
    assert found.keys() >= BY_NAME
    for check in BY_NAME:
        assert "without `answer auto`" in found[check]["cause"]
    # The owner's own pods are told the same.
    assert failed(broken_dns.verified, "west", "west").keys() >= BY_NAME


def test_an_address_that_is_not_announced_is_named(broken_dns: BrokenDns) -> None:
    found = failed(broken_dns.verified, "west", "east")
    assert found.keys() >= BY_NAME
    for check in BY_NAME:
        assert "mesh-dns" in found[check]["remedy"]
    assert not BY_NAME & failed(broken_dns.verified, "east", "east").keys()


def test_the_doctor_sees_both_from_outside_and_says_what_to_do(broken_dns: BrokenDns) -> None:
    wrong = {
        (one["cluster"], one["subject"]): one
        for one in broken_dns.looked_at
        if one["severity"] == "error"
    }
    assert ("west", "Corefile and stack files") in wrong
    assert ("east", "Service kube-system/mesh-dns") in wrong
    assert all(one["fix"] for one in wrong.values())


def test_a_blocked_tunnel_is_named_with_what_must_pass() -> None:
    with broken_link(Link.NO_TUNNEL):
        status, findings = asked.verify_at_once()
    assert status == 1
    for here, to in BOTH_WAYS:
        found = failed(findings, here, to)
        assert not BY_NAME & found.keys()
        assert "the tunnel between the nodes is blocked" in found["pod by TCP"]["cause"]
        assert "let UDP" in found["pod by TCP"]["remedy"]


def test_a_way_that_loses_large_packets_is_named_though_small_ones_pass() -> None:
    with broken_link(Link.SMALL_PACKETS):
        status, findings = asked.verify_at_once()
    assert status == 1
    for here, to in BOTH_WAYS:
        found = failed(findings, here, to)
        assert "pod by TCP" not in found
        assert {"large by TCP, out", "large by TCP, back", "large by UDP"} <= found.keys()
        for check in ("large by TCP, out", "large by TCP, back"):
            assert "packets of full size are lost" in found[check]["cause"]
            assert "mesh.mtu" in found[check]["remedy"]


def test_a_mesh_that_works_passes_and_is_left_as_it_was() -> None:
    until(all_fresh, 120)
    began = time.monotonic()
    status, findings = asked.verify()
    keep("mesh verify of two clusters", time.monotonic() - began)
    assert [one for one in findings if one["result"] == "fail"] == []
    assert status == 0
    for here, to in BOTH_WAYS:
        passed = {
            one["check"]
            for one in findings
            if (one["from"], one["to"], one["result"]) == (here, to, "pass")
        }
        assert passed >= {
            *BY_NAME,
            *("pod by TCP", "headless Service", "remote nodes", "global Service"),
            *("large by TCP, out", "large by TCP, back", "large by UDP"),
        }


def test_the_doctor_finds_nothing_wrong_in_a_mesh_that_works() -> None:
    status, findings = asked.doctor()
    assert [one for one in findings if one["severity"] not in {"ok", "not checked"}] == []
    assert status == 0
    assert {one["cluster"] for one in findings} >= {"east", "west"}
