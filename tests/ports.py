"""Ports of loopback for servers that must be told theirs before they start."""

import secrets
import socket

# Below the ones the kernel gives to whoever asks for any: nobody is given it until it is used.
_OURS = range(20_000, 30_000)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on; another test's worker gets another one."""
    while True:
        # Not `random`: hypothesis starts it with the same seed in every worker.
        port = secrets.choice(_OURS)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
