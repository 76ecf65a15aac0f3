"""What MetalLB is told: chart values and the two address pools."""

from typing import Any

from mesh.render.images import mirrored
from mesh.settings import Settings

NAMESPACE = "metallb-system"
RESERVED = "reserved"
WORKLOADS = "workloads"


def manifest(version: str, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    """An object of MetalLB's own kinds, in the only namespace where it looks for them."""
    return {
        "apiVersion": f"metallb.io/{version}",
        "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": spec,
    }


def metallb_values(settings: Settings) -> dict[str, Any]:
    """Values of the MetalLB chart: layer 2 and MetalLB's own BGP, without the FRR daemons.

    The chart's default, FRR, brings three more images for what no setting of ours asks for.
    """
    speaker: dict[str, Any] = {"frr": {"enabled": False}}
    if not settings.nodes.worker.addresses:
        # kubeadm labels control planes as not to be announced from; here nothing else could.
        speaker["ignoreExcludeLB"] = True
    values: dict[str, Any] = {
        # With Fail, a broken controller blocks even the preview of its own repair.
        "crds": {"validationFailurePolicy": "Ignore"},
        "frrk8s": {"enabled": False},
        "speaker": speaker,
    }
    if registry := settings.images.registry:
        values["controller"] = {"image": _image("controller", registry)}
        speaker["image"] = _image("speaker", registry)
    return values


def address_pools(settings: Settings) -> list[dict[str, Any]]:
    """The IPAddressPool manifests: pinned addresses, then what workloads may have.

    MetalLB hands out a pinned address only to a Service that names it; an `auto` one comes from
    the pool for workloads. There is no pool without an address.
    """
    own = settings.load_balancer
    pinned = [f"{address}/32" for _, address in own.pinned()]
    free = [str(addresses) for addresses in own.addresses]
    pools = [_pool(RESERVED, pinned, auto_assign=False), _pool(WORKLOADS, free, auto_assign=True)]
    return [pool for pool in pools if pool["spec"]["addresses"]]


def _pool(name: str, addresses: list[str], *, auto_assign: bool) -> dict[str, Any]:
    return manifest(
        "v1beta1", "IPAddressPool", name, {"addresses": addresses, "autoAssign": auto_assign}
    )


def _image(part: str, registry: str) -> dict[str, str]:
    return {"repository": mirrored(f"quay.io/metallb/{part}", registry)}
