"""A workload of the user's own: the image and all that it is told stand in the settings."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from mesh.settings import WorkloadSettings
from mesh.workloads.environment import facts, place
from mesh.workloads.software import Certificate, Software
from mesh.workloads.workload import Site, Workload

_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")


def software(workload: Workload, site: Site) -> Software:
    """What the settings say, with `${NAME}` in arguments left to Kubernetes as `$(NAME)`.

    So a member that is added restarts none; who needs to know of it reads the ConfigMap, or is
    restarted by hand.
    """
    own = workload.settings
    return Software(
        image=own.image or "",
        ports=own.ports,
        data=own.mount_path,
        readiness=_readiness(own),
        command=_by_kubernetes(own.command),
        arguments=_by_kubernetes(own.arguments),
        environment=dict(
            zip(own.environment, _by_kubernetes(own.environment.values()), strict=True)
        ),
        files=_files(workload, site),
        mounts=_mounts(own),
        certificates=(
            Certificate(name="tls", common_name=workload.name, server=True),
            Certificate(name="client", common_name=f"{workload.name}-client", for_clients=True),
        ),
    )


def _readiness(own: WorkloadSettings) -> dict[str, Any]:
    port = next(iter(own.ports))
    if own.readiness_path:
        return {"httpGet": {"path": own.readiness_path, "port": port}}
    return {"tcpSocket": {"port": port}}


def _by_kubernetes(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(_PLACEHOLDER.sub(r"$(\1)", text) for text in texts)


def _files(workload: Workload, site: Site) -> dict[str, str] | None:
    """One file for each member: only there `${MEMBER_NAME}` is known without a shell."""
    written = workload.settings.configuration
    if written is None:
        return None
    known = {**facts(workload, workload.settings.ports), **place(site)}
    pods = {f"{workload.name}-{number}": name for number, name in enumerate(site.members())}
    return {
        pod: _filled(written.text, {**known, "POD_NAME": pod, "MEMBER_NAME": name})
        for pod, name in pods.items()
    }


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: values[match[1]], text)


def _mounts(own: WorkloadSettings) -> tuple[dict[str, Any], ...]:
    if own.configuration is None:
        return ()
    path = own.configuration.path
    mount = {"name": "configuration", "mountPath": path, "subPathExpr": "$(POD_NAME)"}
    return ({**mount, "readOnly": True},)
