"""Real TLS between a client and a member, without a network in between."""

import ssl
from pathlib import Path


def handshake(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> None:
    """Let a client reach a server under a name; ssl.SSLError when one refuses the other."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (
        client.wrap_bio(to_client, to_server, server_hostname=name),
        server.wrap_bio(to_server, to_client, server_side=True),
    )
    for _ in range(4):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    assert all(end.version() for end in ends)
    # A server of TLS 1.3 looks at the client's certificate after the client is done.
    ends[1].write(b"welcome")
    assert ends[0].read(7) == b"welcome"


def member_context(files: dict[str, str], name: str, directory: Path) -> ssl.SSLContext:
    """A server that asks its clients for a certificate of its own CA."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cadata=files["ca.crt"])
    context.verify_mode = ssl.CERT_REQUIRED
    return _with_key(context, files, name, directory)


def client_context(files: dict[str, str], name: str, directory: Path) -> ssl.SSLContext:
    """A client that trusts the CA of its Secret only."""
    context = ssl.create_default_context(cadata=files["ca.crt"])
    return _with_key(context, files, name, directory)


def _with_key(
    context: ssl.SSLContext, files: dict[str, str], name: str, directory: Path
) -> ssl.SSLContext:
    path = directory / f"{name}.pem"
    path.write_text(files[f"{name}.crt"] + files[f"{name}.key"])
    context.load_cert_chain(path)
    return context
