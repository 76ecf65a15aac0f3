"""The ports that CoreDNS's pod listens at, and those that a user's blocks would add."""

from collections.abc import Iterator

from mesh.corefile.reader import Directive
from mesh.corefile.wrong import Wrong

EXPOSED_PORT = 1053
"""Where peers ask: the port behind the exposed Service."""
TAKEN = {
    EXPOSED_PORT: "where peers ask",
    8080: "where health answers",
    8181: "where ready answers",
    9153: "where prometheus answers",
}
"""By port: what is there, beside DNS itself on 53."""
_SHARED = {"prometheus": ":9153", "ready": ":8181"}
"""Addresses that several blocks have together."""


def wrong_ports(server: Directive) -> Iterator[Wrong]:
    """Plugins that listen where something listens already."""
    for plugin in server.inner():
        if plugin.name == "prometheus" and not plugin.arguments:
            reason = "counts at localhost, where nobody asks"
            yield Wrong.of(plugin, reason, "write prometheus :9153")
        elif plugin.name == "health" and not plugin.arguments:
            reason = "listens at 8080 as that of the first block does"
            yield Wrong.of(plugin, reason, "take it out, one is enough")
        elif plugin.name in ("health", *_SHARED) and plugin.arguments:
            yield from _wrong_address(plugin)


def _wrong_address(plugin: Directive) -> Iterator[Wrong]:
    address = plugin.arguments[0]
    port = address.rpartition(":")[2]
    if address == _SHARED.get(plugin.name):
        return
    taken = {53: "where DNS is", **TAKEN}
    if ":" not in address or not port.isdecimal() or len(port) > 5:
        yield Wrong.of(plugin, "has no address with a port", "write one like :9200")
    elif int(port) in taken:
        reason = f"listens at {port}, {taken[int(port)]}"
        yield Wrong.of(plugin, reason, "write another port, or take it out")
