"""Rules for the plugins of any server block that a user adds."""

from collections.abc import Iterator

from mesh.corefile.plugins import is_entry
from mesh.corefile.reader import Directive
from mesh.corefile.wrong import Wrong

ONCE = (
    "cache dnssec dynupdate errors grpc hosts kubernetes loop nsid pprof prometheus ready shed"
    " tsig view"
)
"""Plugins that a server block has once or not at all. Source: ErrOnce in their setup."""
_FORBIDDEN = {
    "autopath": (
        "answers names of the mesh wrongly, as it looks in no other block",  # coredns#2539
        "take it out, pods with dnsConfig.options ndots 2 ask as rarely",
    ),
    "bind": (
        "binds a block to an address, and pods reach CoreDNS at its pod's, whatever that is",
        "take it out",
    ),
    "reload": ("is one for all of CoreDNS, and the program writes it", "take it out"),
}
_ITSELF = ("127.0.0.1", "localhost", "[::1]", "::1")


def wrong_plugins(server: Directive) -> Iterator[Wrong]:
    """What makes no sense in a block here, whatever CoreDNS says to it."""
    names = [plugin.name for plugin in server.inner()]
    for place, plugin in enumerate(server.inner()):
        if plugin.name in ONCE.split() and plugin.name in names[:place]:
            yield Wrong.of(plugin, "is here twice in one block", "keep one of them")
        if plugin.name in _FORBIDDEN:
            yield Wrong.of(plugin, *_FORBIDDEN[plugin.name])
        if plugin.name == "hosts":
            yield from _late_entries(plugin)
        if plugin.name == "forward":
            yield from _aimless(plugin, rewritten="rewrite" in names)


def _late_entries(plugin: Directive) -> Iterator[Wrong]:
    names = [option.name for option in plugin.inner()]
    after = names.index("fallthrough") + 1 if "fallthrough" in names else len(names)
    for option in plugin.inner()[after:]:
        if is_entry(option):
            reason = "stands behind fallthrough, where CoreDNS takes no address"
            yield Wrong.of(option, reason, "write it before")


def _aimless(plugin: Directive, *, rewritten: bool) -> Iterator[Wrong]:
    asked = [to.removeprefix("dns://").removesuffix(":53") for to in plugin.arguments[1:]]
    if not asked:
        yield Wrong.of(plugin, "names nobody to ask", "write one like forward . 10.0.0.53")
    elif not rewritten and any(to in _ITSELF for to in asked):
        reason = "asks this same CoreDNS again, without end"
        yield Wrong.of(plugin, reason, "write the address of another resolver")
