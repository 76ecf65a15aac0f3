"""Prints the addresses of a name, one a line: c-ares."""

import socket
import sys
from concurrent.futures import Future

import pycares

found: "Future[pycares.AddrInfoResult]" = Future()


def done(result: pycares.AddrInfoResult | None, error: int | None) -> None:
    if result is None:
        found.set_exception(OSError(f"c-ares: error {error}"))
    else:
        found.set_result(result)


channel = pycares.Channel()
family = socket.AF_UNSPEC
channel.getaddrinfo(sys.argv[1], None, family=family, type=socket.SOCK_STREAM, callback=done)
try:
    nodes = found.result(20).nodes
except OSError as error:
    sys.exit(str(error))
print("\n".join(node.addr[0].decode() for node in nodes))
