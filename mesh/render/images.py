"""Where a container image is pulled from when a site has a registry of its own."""


def mirrored(repository: str, registry: str) -> str:
    """The repository with its registry's host replaced; the path below the host stays.

    `quay.io/cilium/cilium` at `registry.example.com/mirror` is
    `registry.example.com/mirror/cilium/cilium`.
    """
    _, _, path = repository.partition("/")
    return f"{registry}/{path}"
