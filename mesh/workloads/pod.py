"""The pods of a workload: what a member's and a task's have in common."""

from collections.abc import Mapping
from typing import Any

from mesh.render.images import mirrored
from mesh.workloads.environment import Variables, as_list
from mesh.workloads.software import CERTIFICATES, CONFIGURATION, Software, secret_name
from mesh.workloads.workload import Site

PART_OF = "vsphere-cluster-mesh"
GROUP = 65532
"""Group of volumes and Secrets where the software names none, so that any user may read them."""
_NAME = "app.kubernetes.io/name"
_COMPONENT = "app.kubernetes.io/component"


def labels(workload: str, component: str = "") -> dict[str, str]:
    """The labels of what a workload is made of; `component` is `member` or a task."""
    own = {_COMPONENT: component} if component else {}
    return {_NAME: workload, **own, "app.kubernetes.io/part-of": PART_OF}


def selector(workload: str) -> dict[str, str]:
    """The labels that only members have."""
    return {_NAME: workload, _COMPONENT: "member"}


def pod_spec(
    site: Site,
    software: Software,
    container: Mapping[str, Any],
    *,
    variables: Variables,
    for_clients: bool,
) -> dict[str, Any]:
    """A pod's spec with one container, the given certificates and the configuration."""
    volumes, mounts = _read_only(site, software, for_clients=for_clients)
    own = {
        "image": image(site, software),
        "env": as_list(variables),
        "volumeMounts": [*mounts, *container.get("volumeMounts", [])],
    }
    return {
        # Nothing in the pods asks the API server.
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": _security(software.user),
        # A member's name has four dots and more: with the usual 5, each is first looked for below
        # every search domain.
        "dnsConfig": {"options": [{"name": "ndots", "value": "2"}]},
        "nodeSelector": dict(site.share.node_selector),
        "containers": [{**container, **own}],
        "volumes": volumes,
    }


def _read_only(
    site: Site, software: Software, *, for_clients: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The volumes with certificates and configuration, and where they are mounted."""
    # Readable for the group: software that checks modes refuses what the world may read.
    keys = {"secretName": secret_name(site, for_clients=for_clients), "defaultMode": 0o440}
    volumes: list[dict[str, Any]] = [{"name": "certificates", "secret": keys}]
    mounts = [{"name": "certificates", "mountPath": CERTIFICATES, "readOnly": True}]
    if software.files is not None:
        name = f"{site.workload}-configuration"
        volumes.append({"name": "configuration", "configMap": {"name": name}})
        mounts.append({"name": "configuration", "mountPath": CONFIGURATION, "readOnly": True})
    return volumes, mounts


def image(site: Site, software: Software) -> str:
    """The image as it is pulled: the settings' own, or the kind's from the site's registry."""
    registry = site.settings.images.registry
    own = site.written.image
    return own or (mirrored(software.image, registry) if registry else software.image)


def _security(user: int | None) -> dict[str, Any]:
    if user is None:
        return {"fsGroup": GROUP, "fsGroupChangePolicy": "OnRootMismatch"}
    return {
        "runAsUser": user,
        "runAsGroup": user,
        "fsGroup": user,
        "fsGroupChangePolicy": "OnRootMismatch",
    }
