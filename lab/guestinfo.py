"""The door between a node and its virtual machine: what the hypervisor answers on a real one.

A node's `vmware-rpctool` sends its argument as one line over a unix socket and gets one JSON
object back, `{"ok": bool, "value": str}`.
"""

import json
import socketserver
import threading
from collections.abc import Callable
from pathlib import Path
from typing import cast

GET = "info-get "
SET = "info-set "

Read = Callable[[str], str | None]
Write = Callable[[str, str], None]


def answer(request: str, read: Read, write: Write) -> dict[str, object]:
    """Return the reply to one `info-get KEY` or `info-set KEY VALUE`."""
    if request.startswith(GET):
        value = read(request.removeprefix(GET).strip())
        return {"ok": value is not None, "value": value or ""}
    if request.startswith(SET):
        key, _, value = request.removeprefix(SET).strip().partition(" ")
        write(key, value)
        return {"ok": True, "value": ""}
    return {"ok": False, "value": "Unknown command"}


class GuestInfoServer(socketserver.ThreadingUnixStreamServer):
    """Answers one node's requests on the socket in `directory`, from its own threads."""

    daemon_threads = True

    def __init__(self, directory: Path, read: Read, write: Write) -> None:
        self.read_value, self.write_value = read, write
        path = directory / "socket"
        path.unlink(missing_ok=True)
        super().__init__(str(path), _Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop answering."""
        self.shutdown()
        self.server_close()


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        server = cast("GuestInfoServer", self.server)
        try:
            # A value may have several lines: the node shuts its side when it has said all.
            request = self.rfile.read().decode().removesuffix("\n")
            reply = answer(request, server.read_value, server.write_value)
        except Exception as error:  # the node hears of it as its rpctool would say it
            reply = {"ok": False, "value": str(error)}
        self.wfile.write(json.dumps(reply).encode())
