"""Traffic to a pod whose address is known: who answers, and how much of it passes."""

import errno
import http.client
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass

from mesh.acceptance.probe.plan import PASSED
from mesh.acceptance.probe.questions import NO_ROUTE

SIZES = (100, 1000, 1200, 1400, 1500, 4000, 9000, 65_536, 1_048_576)
"""Bytes, from what every network carries to many full frames at once."""
_SECONDS = 5.0
_DATAGRAM_SECONDS = 1.5
_DATAGRAM_TRIES = 3
_SMALL_DATAGRAM = 100
_HEADERS = 28  # of IPv4 and UDP
# Linux's own numbers, which the socket module does not name: <linux/in.h>.
_IP_MTU_DISCOVER, _IP_PMTUDISC_DO, _IP_MTU = 10, 2, 14


@dataclass(frozen=True)
class Traffic:
    """One outcome, a word of mesh.acceptance.causes or `passed`, and what was seen."""

    outcome: str
    seen: str


@dataclass(frozen=True)
class Identity:
    """Who answered."""

    cluster: str
    pod: str


def who_answers(address: str, port: int, seconds: float = _SECONDS) -> Identity | Traffic:
    """Who answers at an address, or why nobody does."""
    try:
        said = json.loads(_request(address, port, "GET", "/", seconds))
        return Identity(said["cluster"], said["pod"])
    except (OSError, http.client.HTTPException) as error:
        return Traffic(outcome_of(error), f"{address}:{port}: {_words(error)}")
    except (ValueError, KeyError, TypeError):
        return Traffic("another pod", f"{address}:{port} is no target")


def is_answered_by(address: str, port: int, cluster: str, pod: str) -> Traffic:
    """Whether the pod at an address is that of the cluster."""
    answered = who_answers(address, port)
    if isinstance(answered, Traffic):
        return answered
    seen = f"{address} is {answered.pod} of {answered.cluster}"
    same = answered == Identity(cluster, pod)
    return Traffic(PASSED if same else "another pod", seen)


def payload_out(address: str, port: int) -> Traffic:
    """How much passes to a pod by TCP."""

    def send(size: int) -> bool:
        body = bytes(size)
        return int(_request(address, port, "POST", "/", _SECONDS, body)) == size

    return _largest(send)


def payload_back(address: str, port: int) -> Traffic:
    """How much passes from a pod by TCP."""

    def fetch(size: int) -> bool:
        return len(_request(address, port, "GET", f"/bytes/{size}", _SECONDS)) == size

    return _largest(fetch)


def datagram(address: str, port: int) -> Traffic:
    """Whether a datagram passes that fills the path and may not be cut."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, _IP_PMTUDISC_DO)
        sock.settimeout(_DATAGRAM_SECONDS)
        sock.connect((address, port))
        if not _passes(sock, _SMALL_DATAGRAM):
            return Traffic("silence", f"no datagram of {_SMALL_DATAGRAM} bytes came through")
        size = 0
        for _ in range(_DATAGRAM_TRIES):
            size = _largest_datagram(sock)
            if _passes(sock, size):
                return Traffic(PASSED, f"{size + _HEADERS} bytes in one packet")
            if _largest_datagram(sock) == size:
                break  # nobody said that the path is narrower
    seen = f"packets of {_SMALL_DATAGRAM + _HEADERS} bytes pass, of {size + _HEADERS} don't"
    return Traffic("large lost", seen)


def outcome_of(error: Exception) -> str:
    """The word of mesh.acceptance.causes for what a connection ended with."""
    if isinstance(error, TimeoutError):
        return "silence"
    if isinstance(error, ConnectionRefusedError):
        return "closed"
    if isinstance(error, OSError) and error.errno in NO_ROUTE:
        return "no route"
    return "cut short"


def _largest(passes: Callable[[int], bool]) -> Traffic:
    passed = 0
    for size in SIZES:
        try:
            whole = passes(size)
        except (OSError, http.client.HTTPException, ValueError) as error:
            outcome = "large lost" if passed else outcome_of(error)
            small = f"{passed} bytes passed, " if passed else ""
            return Traffic(outcome, f"{small}{size} bytes: {_words(error)}")
        if not whole:
            return Traffic("cut short", f"{passed} bytes passed, of {size} a part only")
        passed = size
    return Traffic(PASSED, f"{SIZES[0]} to {passed} bytes")


def _largest_datagram(sock: socket.socket) -> int:
    """What fits the path as far as the kernel knows it, and a packet at all."""
    return min(sock.getsockopt(socket.IPPROTO_IP, _IP_MTU), 0xFFFF) - _HEADERS


def _passes(sock: socket.socket, size: int) -> bool:
    for _ in range(_DATAGRAM_TRIES):
        try:
            sock.send(bytes(size))
            if sock.recv(64) == str(size).encode():
                return True
        except TimeoutError:
            continue
        except OSError as error:
            # Too long is what the kernel says when it learned of a narrower path.
            if error.errno == errno.EMSGSIZE:
                return False
    return False


def _request(
    address: str, port: int, verb: str, path: str, seconds: float, body: bytes | None = None
) -> bytes:
    connection = http.client.HTTPConnection(address, port, timeout=seconds)
    try:
        connection.request(verb, path, body, {"Connection": "close"})
        return connection.getresponse().read()
    finally:
        connection.close()


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"nothing in {_SECONDS:.0f} s"
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()
