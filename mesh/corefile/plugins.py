"""Which plugins and which of their options each CoreDNS knows.

Source: plugin.cfg and the plugins' setup at each tag of CoreDNS. The oldest and the newest that
can be built here prove it in tests/dns/test_plugins.py.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import takewhile

from mesh.corefile.reader import Directive
from mesh.corefile.wrong import Wrong
from mesh.versions import CORE_DNS, numbers

Since = Mapping[str, str]
"""By the CoreDNS that has them first: names, with blanks between them."""

OLDEST, NEWEST = "1.12.1", "1.15.0"
"""The range that is looked at; a CoreDNS before it, which is refused, is taken for the first."""
PLUGINS: Since = {
    OLDEST: "acl any auto autopath azure bind bufsize cache cancel chaos clouddns debug dns64"
    " dnssec dnstap erratic errors etcd file forward geoip grpc header health hosts k8s_external"
    " kubernetes loadbalance local log loop metadata minimal multisocket nsid pprof prometheus"
    " ready reload rewrite root route53 secondary sign template timeouts tls trace transfer"
    " tsig view whoami",
    "1.12.2": "quic",
    "1.13.0": "nomad",
    "1.14.0": "grpc_server https https3",
    "1.14.2": "proxyproto",
    "1.14.7": "shed",
    "1.15.0": "dynupdate siit",
}
"""The plugins of the image that kubeadm installs, which is CoreDNS's own build."""
OPTIONS: Mapping[str, Since] = {
    "acl": {OLDEST: "allow block drop filter"},
    "auto": {OLDEST: "directory reload upstream"},
    "bind": {OLDEST: "except"},
    "cache": {
        OLDEST: "denial disable keepttl prefetch serve_stale servfail success",
        "1.14.7": "serve_stale_policy",
    },
    "dns64": {OLDEST: "allow_ipv4 prefix translate_all"},
    "errors": {OLDEST: "consolidate stacktrace"},
    "file": {OLDEST: "reload upstream", "1.12.2": "fallthrough", "1.14.4": "reload_by_mtime"},
    "forward": {
        OLDEST: "except expire failfast_all_unhealthy_upstreams force_tcp health_check"
        " max_concurrent max_fails next policy prefer_udp tls tls_servername",
        "1.13.0": "failover",
        "1.13.2": "max_connect_attempts",
        "1.14.1": "max_idle_conns",
        "1.14.3": "max_age",
        "1.14.4": "next_on_nodata resolver",
        "1.14.5": "doh_method read_timeout",
        "1.14.6": "source_address",
    },
    "grpc": {OLDEST: "except policy tls tls_servername", "1.12.3": "fallthrough"},
    "health": {OLDEST: "lameduck"},
    "hosts": {OLDEST: "fallthrough no_reverse reload ttl", "1.14.7": "fallthrough_unsupported"},
    "k8s_external": {OLDEST: "apex fallthrough headless ttl"},
    "kubernetes": {
        OLDEST: "endpoint endpoint_pod_names fallthrough ignore kubeconfig labels"
        " namespace_labels namespaces noendpoints pods tls ttl",
        "1.12.2": "multicluster",
        "1.12.3": "startup_timeout",
        "1.14.0": "apiserver_burst apiserver_max_inflight apiserver_qps",
        "1.14.7": "zonal",
    },
    "loadbalance": {"1.12.4": "prefer"},
    "log": {OLDEST: "class"},
    "prometheus": {"1.14.3": "runtime_metrics tls"},
    "ready": {"1.12.2": "monitor"},
    "template": {
        OLDEST: "additional answer authority ederror fallthrough match rcode upstream",
        "1.15.0": "expr var",
    },
    "transfer": {OLDEST: "to", "1.14.5": "source"},
    "view": {OLDEST: "expr"},
}
"""The options between a plugin's braces; those of a plugin that is not here are not looked at."""


def unknown(server: Directive, core_dns: str) -> Iterator[Wrong]:
    """What a server block has that CoreDNS of that release doesn't know."""
    for plugin in server.inner():
        if since := _missing(plugin.name, PLUGINS, core_dns):
            yield _unknown(plugin, f"is no plugin of CoreDNS {core_dns}", since, PLUGINS)
        elif plugin.name in OPTIONS:
            yield from _unknown_options(plugin, OPTIONS[plugin.name], core_dns)


def is_entry(option: Directive) -> bool:
    """Whether a line of `hosts` is an address and its names."""
    return option.name[:1].isdecimal() or ":" in option.name


def first_with(name: str, table: Since) -> str | None:
    """The CoreDNS that has the name first."""
    return next((since for since, names in table.items() if name in names.split()), None)


def known(table: Since, core_dns: str) -> tuple[str, ...]:
    """The names that this CoreDNS has."""
    newest = max(numbers(core_dns), numbers(OLDEST))
    reached = takewhile(lambda since: numbers(since) <= newest, table)
    return tuple(name for since in reached for name in table[since].split())


def _unknown_options(plugin: Directive, options: Since, core_dns: str) -> Iterator[Wrong]:
    for option in plugin.inner():
        if plugin.name == "hosts" and is_entry(option):
            continue
        # The names of acl's actions may have capitals.
        name = option.name.lower() if plugin.name == "acl" else option.name
        if since := _missing(name, options, core_dns):
            reason = f"is no option of {plugin.name} in CoreDNS {core_dns}"
            yield _unknown(option, reason, since, options)


def _missing(name: str, table: Since, core_dns: str) -> str | None:
    """Nothing for a known name; else the CoreDNS that has it first, or `never`."""
    return None if name in known(table, core_dns) else first_with(name, table) or "never"


def _unknown(one: Directive, reason: str, since: str, table: Since) -> Wrong:
    if since == "never":
        names = known(table, NEWEST)
        near = get_close_matches(one.name, names, n=1)
        return Wrong.of(one, reason, f"did you mean {near[0]}?" if near else "take it out")
    brought = (kube for kube, brings in CORE_DNS.items() if numbers(brings) >= numbers(since))
    kubernetes = next(brought, None)
    later = f", or write versions.kubernetes {kubernetes} or later" if kubernetes else ""
    return Wrong.of(one, f"{reason}, but since {since}", f"take it out{later}")
