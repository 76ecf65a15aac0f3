"""The keys of one cluster: made once, kept encrypted in the stack's own state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi import Output, ResourceOptions

from mesh import pki
from mesh.render.kubeconfig import kubeconfig
from mesh.settings import LifetimesSettings


@dataclass(frozen=True, kw_only=True)
class IdentityArgs:
    """The cluster's name, its API server (`https://host:port`), lifetimes, admin generation."""

    cluster: str
    server: str
    lifetimes: LifetimesSettings
    admin_generation: int


class Identity(pulumi.ComponentResource):
    """The CAs, service account key, bootstrap token and admin kubeconfig of one cluster.

    All are known before the first node exists. Every attribute is secret.
    """

    secrets: Output[dict[str, Any]]
    admin: Output[dict[str, str]]
    kubeconfig: Output[str]

    def __init__(self, name: str, args: IdentityArgs, opts: ResourceOptions | None = None) -> None:
        super().__init__("mesh:identity:Identity", name, {}, opts)
        self._args = args
        # A Stash keeps its first value; without ignore_changes each run's fresh keys were a diff.
        self._child = ResourceOptions(parent=self, ignore_changes=["input"])
        self.secrets = self._cluster_secrets().output
        self.admin = self._admin_certificate().output
        self.kubeconfig = Output.all(self.secrets, self.admin).apply(self._kubeconfig)
        self.register_outputs(
            {"secrets": self.secrets, "admin": self.admin, "kubeconfig": self.kubeconfig}
        )

    def _cluster_secrets(self) -> pulumi.Stash:
        made = pki.cluster_secrets(self._args.cluster, self._args.lifetimes)
        return pulumi.Stash(
            f"{self._args.cluster}-secrets",
            input=Output.secret(made.as_mapping()),
            opts=self._child,
        )

    def _admin_certificate(self) -> pulumi.Stash:
        # A new generation is a new Stash: the only way to give a kept value a successor.
        return pulumi.Stash(
            f"{self._args.cluster}-admin-{self._args.admin_generation}",
            input=self.secrets.apply(self._admin_key_pair),
            opts=self._child,
        )

    def _admin_key_pair(self, secrets: Mapping[str, Any]) -> dict[str, str]:
        cluster_ca = pki.ClusterSecrets.from_mapping(secrets).cluster_ca
        days = self._args.lifetimes.admin_kubeconfig_days
        return pki.admin_certificate(cluster_ca, days).as_mapping()

    def _kubeconfig(self, made: list[dict[str, Any]]) -> str:
        secrets, admin = made
        return kubeconfig(
            self._args.cluster,
            self._args.server,
            pki.ClusterSecrets.from_mapping(secrets).cluster_ca.certificate,
            admin["certificate"],
            admin["key"],
        )
