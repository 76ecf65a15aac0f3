"""Questions to one DNS server, byte by byte: what glibc hides is seen here."""

import errno
import os
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "answered", "empty", "nxdomain", "servfail", "refused", "error", "silence", "closed", "unasked"
]
_RCODES: dict[int, Kind] = {2: "servfail", 3: "nxdomain", 5: "refused"}
NO_ROUTE = {errno.EHOSTUNREACH, errno.ENETUNREACH}
_HEADER = struct.Struct("!6H")
_RECORD = struct.Struct("!HHIH")
_RECURSE, _A, _IN = 0x0100, 1, 1
_POINTER = 0xC0


@dataclass(frozen=True)
class Answer:
    """What came back: `silence` for nothing, `closed` where nobody listens."""

    kind: Kind
    owners: frozenset[str] = frozenset()
    """The names that the addresses are said to belong to."""
    addresses: tuple[str, ...] = ()


UNASKED = Answer("unasked")


def ask(server: str, name: str, *, tcp: bool, port: int = 53, seconds: float = 3) -> Answer:
    """The answer of one server to the question for a name's IPv4 addresses."""
    question = _question(name)
    try:
        send = _by_tcp if tcp else _by_udp
        return _read(send(server, port, question, seconds))
    except TimeoutError:
        return Answer("silence")
    except ConnectionRefusedError:
        return Answer("closed")
    except OSError as error:
        # An address that nobody announces: the last router or node says so itself.
        return Answer("silence" if error.errno in NO_ROUTE else "error")
    except (struct.error, IndexError, UnicodeDecodeError):
        return Answer("error")


def first_resolver(resolv_conf: str) -> str:
    """The first name server of a pod. Raises ValueError when there is none."""
    for line in resolv_conf.splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == "nameserver":
            return words[1]
    raise ValueError("resolv.conf names no name server")


def _question(name: str) -> bytes:
    labels = [label.encode("ascii") for label in name.rstrip(".").split(".")]
    asked = b"".join(bytes([len(label)]) + label for label in labels) + b"\0"
    number = int.from_bytes(os.urandom(2), "big")
    return _HEADER.pack(number, _RECURSE, 1, 0, 0, 0) + asked + struct.pack("!HH", _A, _IN)


def _by_udp(server: str, port: int, question: bytes, seconds: float) -> bytes:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(seconds)
        sock.connect((server, port))  # so that a closed port is an error and no silence
        sock.send(question)
        return sock.recv(4096)


def _by_tcp(server: str, port: int, question: bytes, seconds: float) -> bytes:
    with socket.create_connection((server, port), seconds) as sock:
        sock.sendall(struct.pack("!H", len(question)) + question)
        with sock.makefile("rb") as stream:
            (length,) = struct.unpack("!H", stream.read(2))
            return stream.read(length)


def _read(reply: bytes) -> Answer:
    _, flags, questions, answers, _, _ = _HEADER.unpack_from(reply)
    if rcode := flags & 0xF:
        return Answer(_RCODES.get(rcode, "error"))
    place = _HEADER.size
    for _ in range(questions):
        _, place = _name(reply, place)
        place += 4
    found = [*_addresses(reply, place, answers)]
    if not found:
        return Answer("empty")
    return Answer("answered", frozenset(o for o, _ in found), tuple(a for _, a in found))


def _addresses(reply: bytes, place: int, count: int) -> Iterator[tuple[str, str]]:
    for _ in range(count):
        owner, place = _name(reply, place)
        kind, _, _, length = _RECORD.unpack_from(reply, place)
        place += _RECORD.size
        if kind == _A:
            yield owner, socket.inet_ntoa(reply[place : place + length])
        place += length


def _name(reply: bytes, place: int) -> tuple[str, int]:
    """The name at a place, in small letters, and the place behind it."""
    labels: list[str] = []
    behind = 0
    while length := reply[place]:
        if length >= _POINTER:
            behind = behind or place + 2
            place = (length - _POINTER) << 8 | reply[place + 1]
            if len(labels) > len(reply):  # pointers in a circle
                raise IndexError
            labels.append("")
            continue
        labels.append(reply[place + 1 : place + 1 + length].decode("ascii").lower())
        place += 1 + length
    return ".".join(label for label in labels if label), behind or place + 1
