"""Rules for blocks that rewrite names: their own rules, and the plugins beside them."""

from collections.abc import Iterator

from mesh.corefile.reader import Directive
from mesh.corefile.wrong import Wrong

_NAME_MATCHES = ("prefix", "suffix", "substring", "regex")


def wrong_rewriting(server: Directive) -> Iterator[Wrong]:
    """Rules that resolvers don't bear, and plugins that look for the rewritten name."""
    rules = [plugin for plugin in server.inner() if plugin.name == "rewrite"]
    for rule in rules:
        yield from _careless_rewrite(rule)
    for plugin in server.inner() if rules else ():
        yield from _without_zone(plugin)


def _careless_rewrite(plugin: Directive) -> Iterator[Wrong]:
    """Its rule may stand behind it or between its braces."""
    words = [*plugin.arguments, *(word for one in plugin.inner() for word in one.words)]
    mode = words[0].lower() if words else ""
    if mode == "continue":
        reason = "leaves the question rewritten in the answer, which resolvers don't take"
        yield Wrong.of(plugin, reason, "write stop")
    kind, *rule = [*(words[1:] if mode in ("stop", "continue") else words), ""]
    rule = [word.lower() for word in rule]
    by_match = kind.lower() == "name" and rule and rule[0] in _NAME_MATCHES
    if by_match and "answer" not in rule:
        reason = "answers with another name than was asked for, where glibc finds nothing"
        yield Wrong.of(plugin, reason, "write answer auto at its end")


def _without_zone(plugin: Directive) -> Iterator[Wrong]:
    """Where the plugin stands behind `rewrite`, it looks for the rewritten name in its zones.

    Source: plugin.cfg; the order changed in 1.14.2 and 1.14.7.
    """
    zones = [word for word in plugin.arguments if not word.isdecimal()]
    if plugin.name in ("acl", "cache") and not zones:
        does = "lets everybody in" if plugin.name == "acl" else "keeps nothing"
        ttl = " ".join(plugin.arguments)
        reason = f"{does} beside rewrite in some releases of CoreDNS"
        instead = f"write {' '.join(filter(None, (plugin.name, ttl, '.')))}"
        yield Wrong.of(plugin, reason, instead)
