"""What answers: who it is by HTTP, as many bytes as one likes, and how much of a datagram came."""

import json
import re
import socketserver
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from mesh.acceptance.probe.plan import PORT

_LARGEST = 1 << 20
_CHUNK = 1 << 14


class _Handler(BaseHTTPRequestHandler):
    """GET `/` says who answers, GET `/bytes/N` gives N bytes, POST counts what it got."""

    identity: bytes
    timeout = 30  # a half of a request must hold no thread for ever

    def do_GET(self) -> None:
        """Say who answers, or give bytes."""
        wanted = re.fullmatch(r"/bytes/(\d+)", self.path)
        if wanted is None:
            self._answer(self.identity)
        else:
            self._answer(bytes(min(int(wanted[1]), _LARGEST)))

    def do_POST(self) -> None:
        """Say how much came."""
        left = length = min(int(self.headers.get("Content-Length", "0")), _LARGEST)
        while left and (read := self.rfile.read(min(left, _CHUNK))):
            left -= len(read)
        self._answer(str(length - left).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its own name
        """Say nothing: a peer's run asks hundreds of times."""

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Datagrams(socketserver.BaseRequestHandler):
    """Says how many bytes came."""

    def handle(self) -> None:
        """Answer one datagram."""
        data, sock = self.request
        sock.sendto(str(len(data)).encode(), self.client_address)


class _DatagramServer(socketserver.ThreadingUDPServer):
    max_packet_size = 1 << 16
    daemon_threads = True


class Target:
    """A server on one address, by TCP and UDP, until the end of the `with` block."""

    def __init__(self, cluster: str, pod: str, address: str = "", port: int = PORT) -> None:
        said = json.dumps({"cluster": cluster, "pod": pod}).encode()
        handler = type("Handler", (_Handler,), {"identity": said})
        http = ThreadingHTTPServer((address, port), handler)
        self.port: int = http.server_address[1]
        self._servers = (http, _DatagramServer((address, self.port), _Datagrams))

    def __enter__(self) -> "Target":
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()
