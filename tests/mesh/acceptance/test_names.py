import pytest

from mesh.acceptance.probe.names import Questions, look_up, name_row, outcome
from mesh.acceptance.probe.plan import Neighbour, Plan
from mesh.acceptance.probe.questions import UNASKED, Answer, Kind
from tests.mesh.acceptance.servers import Answering, dns_server, says

NO, FAILED, REFUSED, SILENT, CLOSED = (
    Answer(kind) for kind in ("nxdomain", "servfail", "refused", "silence", "closed")
)
YES = Answer("answered", frozenset({"a.west"}), ("10.102.0.7",))


@pytest.mark.parametrize(
    ("base", "here", "there", "proof", "found"),
    [
        (SILENT, SILENT, YES, YES, "own DNS away"),
        (REFUSED, REFUSED, YES, YES, "own DNS away"),
        (YES, YES, YES, YES, "another owner"),
        (YES, NO, YES, YES, "not forwarded"),
        (YES, REFUSED, YES, YES, "not forwarded"),
        (YES, FAILED, YES, YES, "unreached by own DNS"),
        (YES, SILENT, YES, YES, "unreached by own DNS"),
        (YES, FAILED, SILENT, SILENT, "peer away"),
        (YES, SILENT, SILENT, SILENT, "peer away"),
        (YES, NO, SILENT, SILENT, "peer away"),
        (YES, FAILED, CLOSED, CLOSED, "peer closed"),
        (YES, REFUSED, REFUSED, REFUSED, "zone refused"),
        (YES, NO, NO, NO, "zone unknown"),
        (YES, FAILED, FAILED, FAILED, "peer fails"),
        (YES, NO, NO, YES, "no target"),
        (YES, NO, UNASKED, UNASKED, "no address"),
    ],
)
def test_what_is_in_the_way_of_a_peers_name_is_told_apart(
    base: Answer, here: Answer, there: Answer, proof: Answer, found: str
) -> None:
    assert outcome(Questions(base, here, there, proof), own=False) == found


@pytest.mark.parametrize(
    ("here", "proof", "found"),
    [
        (NO, YES, "no target"),
        (NO, NO, "own zone unknown"),
        (FAILED, FAILED, "own zone unknown"),
        (YES, NO, "another owner"),
    ],
)
def test_what_is_in_the_way_of_an_own_name_is_told_apart(
    here: Answer, proof: Answer, found: str
) -> None:
    assert outcome(Questions(YES, here, UNASKED, proof), own=True) == found


@pytest.mark.parametrize("kind", Kind.__args__)  # type: ignore[attr-defined]
def test_whatever_a_peer_says_has_an_outcome(kind: Kind) -> None:
    assert outcome(Questions(YES, NO, Answer(kind), UNASKED), own=False)


@pytest.mark.parametrize(
    ("answering", "found"),
    [
        (says("@ A 127.0.0.1"), "passed"),
        (says(rcode="REFUSED"), "zone refused"),
        (says(rcode="NXDOMAIN"), "zone unknown"),
    ],
)
def test_a_name_that_is_only_remembered_is_not_found(answering: Answering, found: str) -> None:
    # This machine finds the name itself, as CoreDNS does from its cache.
    own = Neighbour(cluster="east", zone="east.mesh.example")
    with dns_server(answering) as port:
        to = Named(cluster="west", zone="west.mesh.example", dns=("127.0.0.1",), dns_port=port)
        asked = Plan(run="", after="", namespace="n", domain="d", own=own, peers=(to,), patience=0)
        row, names = name_row(asked, to, "127.0.0.1", tcp=False)
    assert (row.outcome, names.addresses) == (found, ("127.0.0.1",))


class Named(Neighbour):
    """A neighbour whose target this machine knows."""

    def pod_name(self, plan: Plan) -> str:
        return "localhost"


@pytest.mark.parametrize("tcp", [False, True])
def test_the_c_library_finds_what_this_machine_knows_and_says_why_it_doesnt(tcp: bool) -> None:
    assert look_up("localhost", tcp=tcp).addresses == ("127.0.0.1",)
    assert look_up("127.0.0.300", tcp=tcp).words
