import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from mesh.acceptance.probe import traffic
from mesh.acceptance.probe.plan import PASSED
from mesh.acceptance.probe.target import Target
from mesh.acceptance.probe.traffic import (
    Identity,
    Traffic,
    datagram,
    is_answered_by,
    payload_back,
    payload_out,
    who_answers,
)

HERE = "127.0.0.1"


@pytest.fixture
def target() -> Iterator[Target]:
    with Target("west", "target-0", HERE, 0) as running:
        yield running


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "_SECONDS", 0.3)
    monkeypatch.setattr(traffic, "_DATAGRAM_SECONDS", 0.1)


@contextmanager
def answering(reply: Callable[[bytes], bytes | None]) -> Iterator[int]:
    """A server that reads once and says this; with None it says nothing and keeps listening."""
    with socket.create_server((HERE, 0)) as server:
        held: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                said = reply(connection.recv(1 << 16))
                if said is None:
                    held.append(connection)
                else:
                    connection.sendall(said)
                    connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for connection in held:
            connection.close()


def test_a_target_says_who_it_is(target: Target) -> None:
    assert who_answers(HERE, target.port) == Identity("west", "target-0")
    assert is_answered_by(HERE, target.port, "west", "target-0").outcome == PASSED


@pytest.mark.parametrize(("cluster", "pod"), [("east", "target-0"), ("west", "target-1")])
def test_another_pod_than_the_one_asked_for_is_seen(target: Target, cluster: str, pod: str) -> None:
    found = is_answered_by(HERE, target.port, cluster, pod)
    assert found == Traffic("another pod", f"{HERE} is target-0 of west")


def test_what_is_no_target_is_another_pod() -> None:
    with answering(lambda _: b"HTTP/1.0 200 OK\r\n\r\nWelcome to nginx!") as port:
        assert is_answered_by(HERE, port, "west", "target-0").outcome == "another pod"


def test_a_megabyte_passes_both_ways_and_a_whole_datagram_one(target: Target) -> None:
    assert payload_out(HERE, target.port) == Traffic(PASSED, "100 to 1048576 bytes")
    assert payload_back(HERE, target.port) == Traffic(PASSED, "100 to 1048576 bytes")
    # A loopback carries in one packet what a datagram can have at most.
    assert datagram(HERE, target.port) == Traffic(PASSED, "65535 bytes in one packet")


@pytest.mark.parametrize("ask", [payload_out, payload_back])
def test_where_small_passes_and_large_hangs_the_sizes_are_named(
    ask: Callable[[str, int], Traffic], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traffic, "SIZES", (100, 400))

    def only_small(request: bytes) -> bytes | None:
        head, _, _ = request.partition(b"\r\n\r\n")
        if b"400" in head:
            return None
        body = b"100" if request.startswith(b"POST") else bytes(100)
        return b"HTTP/1.0 200 OK\r\n\r\n" + body

    with answering(only_small) as port:
        found = ask(HERE, port)
    assert found == Traffic("large lost", "100 bytes passed, 400 bytes: nothing in 0 s")


def test_silence_a_closed_port_and_a_broken_connection_are_told_apart() -> None:
    with answering(lambda _: None) as port:
        assert is_answered_by(HERE, port, "west", "target-0").outcome == "silence"
        assert payload_out(HERE, port).outcome == "silence"
    assert is_answered_by(HERE, port, "west", "target-0").outcome == "closed"
    with answering(lambda _: b"") as port:
        assert is_answered_by(HERE, port, "west", "target-0").outcome == "cut short"


def test_an_address_that_no_route_leads_to_is_said_to_be_so() -> None:
    error = OSError(113, "No route to host")
    assert traffic.outcome_of(error) == "no route"


def test_nobody_who_counts_datagrams_is_silence(target: Target) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
        deaf.bind((HERE, 0))
        assert datagram(HERE, deaf.getsockname()[1]).outcome == "silence"
