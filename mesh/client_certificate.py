"""A TLS context with a client key that never lies readable on a disk."""

import os
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mesh.pki import KeyPair


def client_context(ca: str, client: KeyPair) -> ssl.SSLContext:
    """Return a TLS context that trusts only this CA and shows this client certificate (PEM)."""
    context = ssl.create_default_context(cadata=ca)
    with _as_file(client.certificate + client.key) as path:
        context.load_cert_chain(path)
    return context


@contextmanager
def _as_file(text: str) -> Iterator[Path]:
    # The ssl module takes a client key from a file only; on Linux that file is memory.
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("client-certificate"), "w") as memory:
            memory.write(text)
            memory.flush()
            yield Path(f"/proc/self/fd/{memory.fileno()}")
        return
    with tempfile.TemporaryDirectory() as directory:  # 0700, and so is what lies in it
        path = Path(directory, "client-certificate")
        path.touch(mode=0o600)
        path.write_text(text)
        yield path
