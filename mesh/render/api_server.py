"""Under which address and name a cluster's API server is found."""

from ipaddress import IPv4Address

from mesh.settings import Settings

API_SERVER_PORT = 6443


def api_server_address(settings: Settings) -> IPv4Address:
    """The address every client dials: the first control plane's."""
    return settings.nodes.control_plane.addresses[0]


def api_server(settings: Settings) -> str:
    """Address and port of the API server, as `10.11.85.11:6443`."""
    return f"{api_server_address(settings)}:{API_SERVER_PORT}"


def api_server_name(settings: Settings) -> str:
    """The name under which the cluster's own nodes know the API server, such as `east-api`."""
    return f"{settings.cluster.name}-api"
