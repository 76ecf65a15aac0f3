"""What a cluster's CoreDNS does with the zones of the mesh."""

from pydantic import Field

from mesh.settings.base import Model


class DnsSettings(Model):
    """What CoreDNS does with the zones of the mesh."""

    forwarding: bool = True
    """Answer the own zone and forward the peers' zones; false restores kubeadm's Corefile."""
    cache_seconds: int = Field(default=5, ge=1, le=3600)
    """Longest time a peer's answer is kept; what a peer's Kubernetes says holds for 5 at most."""
    denial_cache_seconds: int = Field(default=2, ge=1, le=3600)
    """Longest time a name that a peer doesn't have stays missing; a new pod is seen then."""
    serve_stale_seconds: int = Field(default=3600, ge=0, le=86400)
    """How long a peer that is away is answered for from what was known before; 0 is not at all."""
    expire_seconds: int = Field(default=10, ge=1, le=3600)
    """How long an idle connection to a peer's DNS is kept for the next question."""
