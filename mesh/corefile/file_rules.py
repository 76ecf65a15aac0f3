"""Rules about files: CoreDNS's pod has those of its image, and its Corefile."""

from collections.abc import Iterator

from mesh.corefile.reader import Directive
from mesh.corefile.wrong import Wrong

NEED_FILES = "auto dnssec file geoip grpc_server https https3 quic root sign tls"
"""Plugins that do nothing without files of a user's."""
FILES = ("/etc/hosts", "/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt")
"""What the pod has. Source: kubeadm's manifest, and the image that it names."""
_NAMING_FILES = {
    "etcd": ("tls",),
    "forward": ("tls",),
    "grpc": ("tls",),
    "hosts": (),
    "loadbalance": (),
}
"""Plugins that may name files themselves, and their options that may."""


def missing_files(plugin: Directive) -> Iterator[Wrong]:
    """What reads a file that isn't there."""
    if plugin.name in NEED_FILES.split():
        reason = "reads files of yours, and CoreDNS's pod has none"
        yield Wrong.of(plugin, reason, "take it out, or ask a server of your own by forward")
    if plugin.name not in _NAMING_FILES:
        return
    options = [one for one in plugin.inner() if one.name in _NAMING_FILES[plugin.name]]
    for one in (plugin, *options):
        missing = [word for word in one.arguments if word[:1] == "/" and word not in FILES]
        if missing:
            reason = f"reads {missing[0]}, which CoreDNS's pod doesn't have"
            yield Wrong.of(one, reason, f"write {', '.join(FILES)}, or take it out")
