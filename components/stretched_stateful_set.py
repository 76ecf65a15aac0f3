"""The part of a stretched workload that one cluster has: pods, names, keys and what waits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi import Output, ResourceOptions

from mesh.workloads import (
    Site,
    Workload,
    certificates_hash,
    key_pairs,
    manifests,
    namespace,
    secret_data,
    secret_manifests,
)

_TYPES: Mapping[str, Any] = {
    "ConfigMap": kubernetes.core.v1.ConfigMap,
    "Job": kubernetes.batch.v1.Job,
    "Namespace": kubernetes.core.v1.Namespace,
    "PodDisruptionBudget": kubernetes.policy.v1.PodDisruptionBudget,
    "Service": kubernetes.core.v1.Service,
    "StatefulSet": kubernetes.apps.v1.StatefulSet,
}


@dataclass(frozen=True, kw_only=True)
class StretchedStatefulSetArgs:
    """The workload and this cluster's part, the mesh's CA (secret), and what it lives as long as.

    `generation` counts the renewals of its certificates, which are valid for so many days.
    """

    workload: Workload
    site: Site
    mesh_ca: Output[Mapping[str, str]]
    generation: int
    certificate_days: int
    lifetime: pulumi.Resource


class StretchedStatefulSet(pulumi.ComponentResource):
    """One cluster's members of a workload that is spread over clusters.

    Everything follows from the settings and the mesh's CA, so the clusters may be brought up in
    any order and at once; nothing here waits for a peer. The attribute `certificates` is secret:
    key pairs by name.
    """

    args: StretchedStatefulSetArgs
    certificates: Output[dict[str, dict[str, str]]]

    def __init__(
        self, name: str, args: StretchedStatefulSetArgs, opts: ResourceOptions | None = None
    ) -> None:
        super().__init__("mesh:stretched_stateful_set:StretchedStatefulSet", name, {}, opts)
        self._name = name
        self.args = args
        self.certificates = self._certificates().output
        self._space = self._namespace()
        self._secrets = self._all_secrets()
        self._objects()
        self.register_outputs({"members": list(args.workload.members())})

    def _certificates(self) -> pulumi.Stash:
        args = self.args
        # Other names are another Stash too: the only way to give a kept value a successor.
        version = f"{args.generation}-{certificates_hash(args.workload, args.site)}"
        # Of a secret, and so a secret: as everything is that comes of the mesh's CA.
        made = args.mesh_ca.apply(
            lambda ca: key_pairs(ca, args.workload, args.site, args.certificate_days)
        )
        return pulumi.Stash(
            f"{self._name}-certificates-{version}",
            input=made,
            opts=ResourceOptions(parent=self, ignore_changes=["input"]),
        )

    def _namespace(self) -> pulumi.Resource:
        # Its volumes hold data: who takes the workload out of the file deletes them by hand.
        kept = ResourceOptions(retain_on_delete=True)
        return self._made(namespace(self.args.site), kept)

    def _all_secrets(self) -> list[pulumi.Resource]:
        wanted = secret_manifests(self.args.workload, self.args.site)
        return [
            self._secret(space, name, for_clients=for_clients)
            for (space, name), for_clients in wanted.items()
        ]

    def _secret(self, space: str, name: str, *, for_clients: bool) -> pulumi.Resource:
        workload, site = self.args.workload, self.args.site
        data = Output.all(self.args.mesh_ca, self.certificates).apply(
            lambda known: secret_data(known[0], known[1], workload, site, for_clients=for_clients)
        )
        return kubernetes.core.v1.Secret(
            f"{self._name}-{space}-{name}",
            metadata={"name": name, "namespace": space},
            string_data=data,
            opts=self._child(self._space),
        )

    def _objects(self) -> None:
        before: list[pulumi.Resource] = [self._space, *self._secrets]
        for manifest in manifests(self.args.workload, self.args.site, self.args.generation):
            # In their order: a pod that starts finds what it reads, and a name that answers.
            opts = ResourceOptions(depends_on=[*before])
            if manifest["kind"] == "StatefulSet":
                # Kubernetes never changes it, so the provider would delete all members first.
                opts.ignore_changes = ["spec.volumeClaimTemplates"]
            before.append(self._made(manifest, opts))

    def _made(self, manifest: Mapping[str, Any], opts: ResourceOptions) -> pulumi.Resource:
        kind, metadata = manifest["kind"], manifest["metadata"]
        parts = (self._name, metadata.get("namespace", ""), metadata["name"], kind.lower())
        resource: pulumi.Resource = _TYPES[kind](
            "-".join(filter(None, parts)),
            **{key: manifest[key] for key in ("metadata", "spec", "data") if key in manifest},
            opts=ResourceOptions.merge(self._child(), opts),
        )
        return resource

    def _child(self, *after: pulumi.Resource) -> ResourceOptions:
        return ResourceOptions(parent=self, deleted_with=self.args.lifetime, depends_on=[*after])
