"""The way into a cluster, out of what its stack's state holds."""

import re
from collections.abc import Mapping
from typing import Any

from cli.state import State
from mesh.pki import ClusterSecrets, KeyPair
from mesh.render.kubeconfig import kubeconfig

_STASH = "pulumi:index:Stash"


def kubeconfig_of(state: State, cluster: str, server: str) -> str | None:
    """The kubeconfig the stack exported last, else one of the keys it keeps; None without keys.

    An `up` that was killed has exported nothing yet, and has kept its keys long since.
    """
    exported = state.outputs.get("kubeconfig")
    if isinstance(exported, str):
        return exported
    kept = {stash.name: stash.outputs.get("output") for stash in state.of_type(_STASH)}
    secrets, admin = kept.get(f"{cluster}-secrets"), _newest_admin(kept, cluster)
    if not isinstance(secrets, Mapping) or admin is None:
        return None
    authority = ClusterSecrets.from_mapping(secrets).cluster_ca.certificate
    return kubeconfig(cluster, server, authority, admin.certificate, admin.key)


def _newest_admin(kept: Mapping[str, Any], cluster: str) -> KeyPair | None:
    generations = {
        int(found.group(1)): value
        for name, value in kept.items()
        if (found := re.fullmatch(rf"{re.escape(cluster)}-admin-(\d+)", name)) and value
    }
    return KeyPair.from_mapping(generations[max(generations)]) if generations else None
