"""Which Corefile CoreDNS's pods were started for, as their annotation tells."""

import hashlib

ROLLED_OUT = "vsphere-cluster-mesh/corefile-sha256"
"""Annotation of CoreDNS's pods: the `corefile_hash` of their file."""


def corefile_hash(corefile: str) -> str:
    """What tells one Corefile from another: SHA-256 in 64 hexadecimal digits."""
    return hashlib.sha256(corefile.encode()).hexdigest()
