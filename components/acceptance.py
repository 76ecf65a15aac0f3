"""Acceptance: the mesh, asked from inside whether it works."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi import Output, ResourceOptions

from mesh.acceptance import manifests
from mesh.acceptance.findings import Finding, Report, failures, findings
from mesh.acceptance.planning import PATIENCE, image, named, next_after, plan, tunnel
from mesh.acceptance.probe.plan import Plan
from mesh.acceptance.probe.run import RESULT
from mesh.peer import Peer
from mesh.render.corefile import corefile
from mesh.settings import Settings

_KINDS: Mapping[str, Callable[..., pulumi.CustomResource]] = {
    "Namespace": kubernetes.core.v1.Namespace,
    "ConfigMap": kubernetes.core.v1.ConfigMap,
    "ServiceAccount": kubernetes.core.v1.ServiceAccount,
    "Service": kubernetes.core.v1.Service,
    "Role": kubernetes.rbac.v1.Role,
    "RoleBinding": kubernetes.rbac.v1.RoleBinding,
    "StatefulSet": kubernetes.apps.v1.StatefulSet,
}
_FIELDS = {"roleRef": "role_ref"}


@dataclass(frozen=True, kw_only=True)
class AcceptanceArgs:
    """Whom to ask, in what image, what else a run depends on, and whether a failure is an error.

    `tunnel` is what must pass between nodes, in words.
    """

    plan: Plan
    image: str
    depends_on: Mapping[str, str]
    required: bool
    tunnel: str
    lifetime: pulumi.Resource


def acceptance_args(
    settings: Settings, peers: Sequence[Peer], lifetime: pulumi.Resource
) -> AcceptanceArgs:
    """The arguments of a cluster: it asks anew when a peer or the own Corefile is another one."""
    return AcceptanceArgs(
        plan=plan(settings, peers, namespace=manifests.NAMESPACE, patience=PATIENCE),
        image=image(settings),
        depends_on={"corefile": corefile(settings, peers), "image": image(settings)},
        required=settings.acceptance.required,
        tunnel=tunnel(settings.mesh),
        lifetime=lifetime,
    )


class Acceptance(pulumi.ComponentResource):
    """A pod that the peers ask, and a Job that asks theirs; run anew when what it asks changes.

    A run that failed is tried again by every `up`, one that didn't stays: its Job's name is a hash
    of all it depends on. The attribute `results` is a row for each check. Raises RunError with the
    failed ones where they are not allowed.
    """

    job: kubernetes.batch.v1.Job
    results: Output[list[dict[str, str]]]

    def __init__(
        self, name: str, args: AcceptanceArgs, opts: ResourceOptions | None = None
    ) -> None:
        super().__init__("mesh:acceptance:Acceptance", name, {}, opts)
        self._name = name
        self._args = args
        self._lasting = self._make_what_lasts()
        self._last = self._read("before", self._lasting[f"configmap-{RESULT}"].id)
        self.job = self._job()
        self.results = Output.all(self._read("after", self._written()), self._plan()).apply(
            lambda known: self._told(known[0], known[1])
        )
        self.register_outputs({"results": self.results})

    def _make_what_lasts(self) -> dict[str, pulumi.CustomResource]:
        made: dict[str, pulumi.CustomResource] = {}
        own = self._args.plan
        for manifest in manifests.lasting(own.namespace, own.own.cluster, self._args.image):
            key = f"{manifest['kind'].lower()}-{manifest['metadata']['name']}"
            opts = ResourceOptions(depends_on=[*made.values()][:1])  # the namespace
            if manifest["metadata"]["name"] == RESULT:
                # A run writes it.
                opts = ResourceOptions.merge(opts, ResourceOptions(ignore_changes=["data"]))
            made[key] = self._object(key, manifest, opts)
        return made

    def _object(
        self, key: str, manifest: Mapping[str, Any], opts: ResourceOptions
    ) -> pulumi.CustomResource:
        fields = {
            _FIELDS.get(field, field): value
            for field, value in manifest.items()
            if field not in {"apiVersion", "kind"}
        }
        own = ResourceOptions(parent=self, deleted_with=self._args.lifetime)
        merged = ResourceOptions.merge(own, opts)
        return _KINDS[manifest["kind"]](f"{self._name}-{key}", **fields, opts=merged)

    def _read(self, when: str, identity: Output[str]) -> Output[Mapping[str, str]]:
        """What stands in the ConfigMap now, in the cluster itself."""
        found = kubernetes.core.v1.ConfigMap.get(
            f"{self._name}-result-{when}", identity, opts=ResourceOptions(parent=self)
        )
        return found.data

    def _plan(self) -> Output[Plan]:
        return self._last.apply(
            lambda data: named(
                self._args.plan, next_after(Report.read(data)), self._args.depends_on
            )
        )

    def _job(self) -> kubernetes.batch.v1.Job:
        made = self._plan().apply(lambda named_plan: manifests.job(named_plan, self._args.image))
        return kubernetes.batch.v1.Job(
            f"{self._name}-run",
            metadata=made.apply(lambda job: job["metadata"]),
            spec=made.apply(lambda job: job["spec"]),
            opts=ResourceOptions(
                parent=self,
                deleted_with=self._args.lifetime,
                depends_on=[*self._lasting.values()],
            ),
        )

    def _written(self) -> Output[str]:
        """The ConfigMap's identity, known once the run has written into it."""
        there = self._lasting[f"configmap-{RESULT}"].id
        return Output.all(there, self.job.id).apply(lambda known: str(known[0]))

    def _told(self, data: Mapping[str, str], plan: Plan) -> list[dict[str, str]]:
        report = Report.read(data)
        if report is None or report.run != plan.run:
            return []  # a preview of a run that is still to come
        found = findings(report, plan, self._args.tunnel)
        if not pulumi.runtime.is_dry_run():
            _complain(found, required=self._args.required)
        return [one.as_output() for one in found]


def _complain(found: tuple[Finding, ...], *, required: bool) -> None:
    failed = failures(found)
    if failed and required:
        raise pulumi.RunError("\n".join(["The mesh doesn't work as it should:", *failed]))
    for line in failed:
        pulumi.log.warn(line)
