"""A DNS server that says whatever a test wants, by UDP and TCP, on this machine alone."""

import socketserver
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import dns.message
import dns.rcode

Answering = Callable[[dns.message.Message], bytes | None]


def says(*records: str, rcode: str = "NOERROR") -> Answering:
    """An answer with these records, as `name TYPE value`; `@` is the name that was asked for."""

    def answer(query: dns.message.Message) -> bytes:
        reply = dns.message.make_response(query)
        reply.set_rcode(dns.rcode.from_text(rcode))
        for record in records:
            name, kind, value = record.replace("@", query.question[0].name.to_text()).split()
            reply.answer.append(dns.rrset.from_text(name, 5, "IN", kind, value))
        return reply.to_wire()

    return answer


@contextmanager
def dns_server(answering: Answering) -> Iterator[int]:
    """The server runs on 127.0.0.1, at the port that is given."""

    class ByUdp(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            data, sock = self.request
            if reply := answering(dns.message.from_wire(data)):
                sock.sendto(reply, self.client_address)

    class ByTcp(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            (length,) = struct.unpack("!H", self.rfile.read(2))
            reply = answering(dns.message.from_wire(self.rfile.read(length))) or b""
            if reply:
                self.wfile.write(struct.pack("!H", len(reply)) + reply)

    with socketserver.TCPServer(("127.0.0.1", 0), ByTcp) as tcp:
        port = tcp.server_address[1]
        with socketserver.UDPServer(("127.0.0.1", port), ByUdp) as udp:
            servers: tuple[Any, ...] = (tcp, udp)
            threads = [
                threading.Thread(target=server.serve_forever, args=(0.01,)) for server in servers
            ]
            for thread in threads:
                thread.start()
            yield port
            for server, thread in zip(servers, threads, strict=True):
                server.shutdown()
                thread.join()
