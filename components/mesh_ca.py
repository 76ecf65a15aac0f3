"""The CA that all clusters of a mesh share: made by the authority, adopted by the others."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi import Output, ResourceOptions

from components.authority import adopted_ca
from mesh.pki import KeyPair


@dataclass(frozen=True, kw_only=True)
class MeshCaArgs:
    """The CA this stack would keep (a fresh one for the authority), and the authority's stack."""

    proposed: KeyPair
    authority: str


class MeshCa(pulumi.ComponentResource):
    """This stack's own protected copy of the mesh CA; the first one it ever got stays.

    So a cluster works on when the authority is gone. The attribute `key_pair` is secret:
    `{certificate, key}`, both PEM. It fails when what is kept is not the authority's.
    """

    key_pair: Output[Mapping[str, str]]

    def __init__(self, name: str, args: MeshCaArgs, opts: ResourceOptions | None = None) -> None:
        super().__init__("mesh:mesh_ca:MeshCa", name, {}, opts)
        self._name = name
        kept: Output[Mapping[str, str]] = self._kept(args.proposed).output
        self.key_pair = kept.apply(lambda pair: adopted_ca(pair, args.proposed, args.authority))
        self.register_outputs({"key_pair": self.key_pair})

    def _kept(self, proposed: KeyPair) -> pulumi.Stash:
        return pulumi.Stash(
            self._name,
            input=Output.secret(proposed.as_mapping()),
            # Losing it would cut every cluster of the mesh from every other.
            opts=ResourceOptions(parent=self, ignore_changes=["input"], protect=True),
        )
