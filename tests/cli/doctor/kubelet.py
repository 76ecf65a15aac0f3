"""A stand-in for a kubelet: logs, the channels of exec and of port-forward, and nothing behind it.

Source: k8s.io/cri-streaming, remotecommand/websocket.go and portforward/websocket.go.
"""

import base64
import hashlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from websocket import ABNF

Frames = list[bytes]
Play = Callable[[str, Callable[[], bytes]], Iterator[bytes]]
"""Gets the path that was asked for and what reads a frame; gives the frames to send."""
_ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


@contextmanager
def kubelet(pair: Path, play: Play) -> Iterator[int]:
    """The port on loopback where it listens; `pair` is its certificate and key."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair)
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_serve, args=(server, context, play), daemon=True).start()
        yield int(server.getsockname()[1])
        server.shutdown(socket.SHUT_RDWR)


def _serve(server: socket.socket, context: ssl.SSLContext, play: Play) -> None:
    while True:
        try:
            door = server.accept()[0]
        except OSError:
            return
        try:
            with context.wrap_socket(door, server_side=True) as channels:
                _answer(channels, play)
        except OSError:
            continue


def _answer(channels: ssl.SSLSocket, play: Play) -> None:
    request = b""
    while b"\r\n\r\n" not in request:
        request += channels.recv(4096)
    first, *lines = request.decode().split("\r\n")
    path = first.split()[1]
    if path.startswith("/containerLogs/"):
        log = b"".join(play(path, lambda: b""))
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(log)}\r\nConnection: close\r\n\r\n"
        channels.sendall(head.encode() + log)
        return
    headers = {key.lower(): value for key, _, value in (line.partition(": ") for line in lines)}
    digest = hashlib.sha1((headers["sec-websocket-key"] + _ACCEPT).encode()).digest()
    assert headers["sec-websocket-protocol"] == "v4.channel.k8s.io"
    channels.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n"
        b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\r\n\r\n"
    )
    for data in play(path, lambda: _read(channels)):
        channels.sendall(ABNF(1, 0, 0, 0, ABNF.OPCODE_BINARY, 0, data).format())
    channels.sendall(ABNF(1, 0, 0, 0, ABNF.OPCODE_CLOSE, 0, struct.pack("!H", 1000)).format())


def _read(channels: ssl.SSLSocket) -> bytes:
    """A frame of a client: masked, and short."""
    _, length = _exactly(channels, 2)
    size = length & 0x7F
    if size == 126:
        size = int.from_bytes(_exactly(channels, 2))
    mask, data = _exactly(channels, 4), _exactly(channels, size)
    return bytes(byte ^ mask[n % 4] for n, byte in enumerate(data))


def _exactly(channels: ssl.SSLSocket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += channels.recv(size - len(data))
    return data
