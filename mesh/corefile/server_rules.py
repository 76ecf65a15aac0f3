"""Rules for the zones of server blocks that a user adds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from mesh.corefile.names import DNS_PORT, ServedZone, is_within, served_zones
from mesh.corefile.ports import TAKEN
from mesh.corefile.reader import Directive
from mesh.corefile.wrong import Wrong


@dataclass(frozen=True)
class HeldZones:
    """The zones that have their place in the Corefile, and whose they are, in words."""

    own: Mapping[str, str]
    """Answered by the first block: no other may stand above or below."""
    peers: Mapping[str, str]
    """With blocks of their own: another may stand above, and gets what is not theirs."""

    def taking(self, zone: str) -> Iterator[str]:
        """Whose names a block for the zone would take, as `is …`, `holds …` or `is in …`."""
        for held, whose in self.own.items():
            if verb := _verb(zone, held):
                yield f"{verb} {held}, {whose}"
        for held, whose in self.peers.items():
            if (verb := _verb(zone, held)) and verb != "holds":
                yield f"{verb} {held}, {whose}"


def wrong_zones(servers: Sequence[Directive], held: HeldZones) -> Iterator[Wrong]:
    """Zones that are none, are somebody's, or are there twice."""
    lines: dict[str, int] = {}
    for server in servers:
        for key in server.words:
            try:
                served = served_zones(key)
            except ValueError:
                yield Wrong(server.line, key, "is no zone", "write one like corp.example:53")
                continue
            yield from _misplaced(server, key, served[0])
            wrong = (wrong for one in served for wrong in _taken(server, key, one, held))
            yield from islice(wrong, 1)  # a range of addresses is many zones
            yield from _repeated(server, key, served, lines)


def rendered_keys(server: Directive) -> tuple[str, ...]:
    """The zones of a block that could be read, with their ports."""
    return tuple(str(one) for key in server.words for one in served_zones(key))


def _misplaced(server: Directive, key: str, one: ServedZone) -> Iterator[Wrong]:
    if one.scheme != "dns":
        reason = f"is served by {one.scheme}, and CoreDNS's pod has no certificate for that"
        yield Wrong(server.line, key, reason, f"write {one}")
    elif one.port in TAKEN:
        reason = f"is at port {one.port}, {TAKEN[one.port]}"
        yield Wrong(server.line, key, reason, f"write {one.zone or '.'}:{DNS_PORT}")


def _taken(server: Directive, key: str, one: ServedZone, held: HeldZones) -> Iterator[Wrong]:
    whose = next(held.taking(one.zone), None) if one.port == DNS_PORT else None
    if not one.zone:
        reason = "is the root, which the first block answers"
        yield Wrong(server.line, key, reason, "write its lines into dns.extra.plugins")
    elif whose:
        yield Wrong(server.line, key, whose, "write a zone apart from it")


def _repeated(
    server: Directive, key: str, served: Sequence[ServedZone], lines: dict[str, int]
) -> Iterator[Wrong]:
    """Two blocks may share a zone when a view says which is whose."""
    if any(plugin.name == "view" for plugin in server.inner()):
        return
    for one in map(str, served):
        if one in lines:
            reason = f"is a zone of the block in line {lines[one]} too"
            yield Wrong(server.line, key, reason, "keep one of them")
            return
        lines[one] = server.line


def _verb(zone: str, held: str) -> str | None:
    if zone == held:
        return "is"
    if is_within(held, zone):
        return "holds"
    return "is in" if is_within(zone, held) else None
