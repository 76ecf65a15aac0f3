"""Namespaces that are in every cluster, or may come to be: nobody's to make or to export."""

IN_EVERY_CLUSTER = (
    "cilium-secrets",
    "default",
    "mesh-acceptance",
    "mesh-verify",  # taken away with all that is in it when `mesh verify` ends
    "metallb-system",
)
OTHERS_PATTERN = rf"(?!kube-|({'|'.join(IN_EVERY_CLUSTER)})$)"
"""What stands in front of a pattern that takes none of them."""


def is_in_every_cluster(name: str) -> bool:
    """Whether Kubernetes, a chart or this program has a namespace of that name everywhere."""
    return name in IN_EVERY_CLUSTER or name.startswith("kube-")
