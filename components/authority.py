"""Which CA a stack proposes to itself: its own, the authority's, or a new one."""

from collections.abc import Mapping

import pulumi

from components.peers import LastExports
from mesh.pki import KeyPair, certificate_authority


def proposed_ca(authority: str, last: LastExports, years: int) -> KeyPair:
    """Return the mesh CA this stack is to keep; only the authority ever makes one.

    Raises RunError when the authority was never brought up, or has another CA by now.
    """
    if last.own_ca is not None:
        if last.authority_ca not in (None, last.own_ca):
            raise pulumi.RunError(_another_ca(authority))
        return last.own_ca
    if pulumi.get_stack() == authority:
        return certificate_authority("vsphere-cluster-mesh", years)
    if last.authority_ca is None:
        raise pulumi.RunError(
            f"Stack {authority} is the authority of this mesh and has not made its CA yet. "
            f"Run first: pulumi up -s {authority}"
        )
    return last.authority_ca


def adopted_ca(kept: Mapping[str, str], proposed: KeyPair, authority: str) -> Mapping[str, str]:
    """Return the pair this stack keeps; the first `up` that failed kept it without exporting it.

    Raises RunError when a stack that isn't the authority keeps another CA than the authority's.
    """
    if pulumi.get_stack() != authority and KeyPair.from_mapping(kept) != proposed:
        raise pulumi.RunError(_another_ca(authority))
    return kept


def _another_ca(authority: str) -> str:
    own = pulumi.get_stack()
    return (
        f"Stack {authority} exports another mesh CA than the one {own} adopted. Taking it would "
        f"cut {own} off from every cluster that trusts the old one, so it is refused. Was "
        f"{authority} destroyed, or the authority in Pulumi.yaml changed? Give the old CA back "
        f"to {authority}, or rebuild {own} if the old mesh is gone."
    )
