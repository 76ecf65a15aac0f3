"""What a user may add to the block that answers pods."""

from collections.abc import Iterator

from mesh.corefile.names import is_within, zones
from mesh.corefile.reader import Directive
from mesh.corefile.wrong import Wrong

MAIN_PLUGINS = "errors health ready kubernetes prometheus forward cache loop reload loadbalance"
"""What the program writes into that block itself, beside its rewrite rules."""
_PASS_ON = ("hosts", "template")
"""Plugins that answer for every name of their zones, unless told to pass on what they lack."""


def wrong_in_main(plugins: Directive, own_zones: tuple[str, ...]) -> Iterator[Wrong]:
    """What would take the place of what the program writes, or hide it."""
    for plugin in plugins.inner():
        if plugin.name in MAIN_PLUGINS.split() and plugin.name != "reload":
            reason = "is in this block already, with what the mesh needs"
            yield Wrong.of(plugin, reason, "take it out, or write a server block of your own")
        elif plugin.name == "view":
            reason = "leaves out pods that it doesn't fit, and they have no other block"
            yield Wrong.of(plugin, reason, "take it out")
        elif plugin.name in _PASS_ON and _hides(plugin, own_zones):
            reason = "answers for every name, also those it doesn't have"
            instead = "write fallthrough as its last line, or the zones it is for"
            yield Wrong.of(plugin, reason, instead)


def _hides(plugin: Directive, own_zones: tuple[str, ...]) -> bool:
    if any(option.name == "fallthrough" and not option.arguments for option in plugin.inner()):
        return False
    skipped = 2 if plugin.name == "template" else 1  # a class and a type, or a file
    asked = plugin.arguments[skipped:]
    return not asked or any(_meets(zone, own) for zone in asked for own in own_zones)


def _meets(written: str, own: str) -> bool:
    try:
        found = zones(written)
    except ValueError:
        return True
    return any(is_within(own, zone) or is_within(zone, own) for zone in found)
