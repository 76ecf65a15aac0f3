"""What a user adds to the Corefile: read, looked at, and as parts of our own."""

from collections.abc import Iterator

from mesh.corefile.block import Block
from mesh.corefile.file_rules import missing_files
from mesh.corefile.main_block import wrong_in_main
from mesh.corefile.plugin_rules import wrong_plugins
from mesh.corefile.plugins import unknown
from mesh.corefile.ports import wrong_ports
from mesh.corefile.reader import Directive, directives, server_blocks
from mesh.corefile.rewrite_rules import wrong_rewriting
from mesh.corefile.server_rules import HeldZones, rendered_keys, wrong_zones
from mesh.corefile.wrong import Wrong


def wrong_in_plugins(text: str, held: HeldZones, core_dns: str) -> tuple[Wrong, ...]:
    """All that is wrong in lines for the block that answers pods. Raises CorefileError."""
    added = Directive((".",), 1, directives(text))
    found = [*wrong_in_main(added, tuple(held.own)), *_in_any_block(added, core_dns)]
    return _first_of_each(found)


def wrong_in_servers(text: str, held: HeldZones, core_dns: str) -> tuple[Wrong, ...]:
    """All that is wrong in whole server blocks. Raises CorefileError."""
    servers = server_blocks(text)
    found = [*wrong_zones(servers, held)]
    for server in servers:
        found += [*_second_watch(server), *_in_any_block(server, core_dns)]
    return _first_of_each(found)


def extra_parts(text: str) -> tuple[Block | str, ...]:
    """The lines as parts of a block. Raises CorefileError."""
    return tuple(one.part() for one in directives(text))


def extra_servers(text: str) -> tuple[Block, ...]:
    """The server blocks, each zone with its port.

    Raises CorefileError, and ValueError for what is no zone.
    """
    return tuple(
        Block(" ".join(rendered_keys(server)), server.block().body)
        for server in server_blocks(text)
    )


def _in_any_block(server: Directive, core_dns: str) -> Iterator[Wrong]:
    yield from wrong_plugins(server)
    yield from wrong_rewriting(server)
    yield from wrong_ports(server)
    yield from unknown(server, core_dns)
    for plugin in server.inner():
        yield from missing_files(plugin)


def _second_watch(server: Directive) -> Iterator[Wrong]:
    for plugin in server.inner():
        if plugin.name == "kubernetes":
            reason = "keeps all Services in memory once more"
            yield Wrong.of(plugin, reason, "write forward . 127.0.0.1:53 and a rewrite instead")


def _first_of_each(found: list[Wrong]) -> tuple[Wrong, ...]:
    """The lines in their order, each with the first thing said about it."""
    first: dict[tuple[int, str], Wrong] = {}
    for wrong in found:
        first.setdefault((wrong.line, wrong.written), wrong)
    return tuple(sorted(first.values(), key=lambda wrong: wrong.line))
