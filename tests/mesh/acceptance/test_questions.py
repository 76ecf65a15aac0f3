import socket

import pytest

from mesh.acceptance.probe.questions import Answer, ask, first_resolver
from tests.mesh.acceptance.servers import Answering, dns_server, says

NAME = "target-0.target.mesh-acceptance.west.mesh.example"
HERE = "127.0.0.1"
BOTH_TRANSPORTS = pytest.mark.parametrize("tcp", [False, True], ids=["udp", "tcp"])


def asked(answering: Answering, *, tcp: bool) -> Answer:
    with dns_server(answering) as port:
        return ask(HERE, NAME, tcp=tcp, port=port, seconds=0.5)


@BOTH_TRANSPORTS
def test_addresses_are_found_with_the_name_they_belong_to(tcp: bool) -> None:
    found = asked(says("@ A 10.102.0.7"), tcp=tcp)
    assert found == Answer("answered", frozenset({NAME}), ("10.102.0.7",))


@BOTH_TRANSPORTS
def test_the_address_of_another_name_is_seen_as_that_of_the_other(tcp: bool) -> None:
    found = asked(says("target-0.target.mesh-acceptance.svc.cluster.local. A 10.102.0.7"), tcp=tcp)
    assert found.owners == {"target-0.target.mesh-acceptance.svc.cluster.local"}


def test_an_alias_leads_to_the_owner_at_its_end() -> None:
    found = asked(says("@ CNAME other.example.", "other.example. A 10.102.0.7"), tcp=False)
    assert found == Answer("answered", frozenset({"other.example"}), ("10.102.0.7",))


@BOTH_TRANSPORTS
@pytest.mark.parametrize(
    ("rcode", "kind"),
    [
        ("NOERROR", "empty"),
        ("NXDOMAIN", "nxdomain"),
        ("SERVFAIL", "servfail"),
        ("REFUSED", "refused"),
        ("FORMERR", "error"),
    ],
)
def test_every_refusal_is_told_from_the_others(rcode: str, kind: str, tcp: bool) -> None:
    assert asked(says(rcode=rcode), tcp=tcp).kind == kind


def test_a_server_that_says_nothing_is_told_from_one_that_is_not_there() -> None:
    assert asked(lambda _: None, tcp=False).kind == "silence"
    with socket.socket() as listening:
        listening.bind((HERE, 0))
        port = listening.getsockname()[1]
        assert ask(HERE, NAME, tcp=True, port=port, seconds=0.5).kind == "closed"
        assert ask(HERE, NAME, tcp=False, port=port, seconds=0.5).kind == "closed"


@pytest.mark.parametrize(
    "reply",
    [
        b"\0" * 5,
        # One question and one answer whose name is a pointer to itself.
        bytes(4) + b"\0\1\0\1" + bytes(4) + b"\0\0\1\0\1" + b"\xc0\x11" + bytes(10),
        bytes(4) + b"\0\1\0\1" + bytes(4) + b"\x3fcut",
    ],
)
def test_no_reply_is_so_broken_that_it_breaks_the_probe(reply: bytes) -> None:
    assert asked(lambda _: reply, tcp=False).kind == "error"


def test_the_first_name_server_is_the_one_that_is_asked() -> None:
    text = "search a b\n# nameserver 10.0.0.1\nnameserver 10.96.0.10\nnameserver 10.96.0.11\n"
    assert first_resolver(text) == "10.96.0.10"
    with pytest.raises(ValueError, match="no name server"):
        first_resolver("options ndots:5\n")
