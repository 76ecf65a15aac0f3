"""The ranges of one cluster and the network its nodes stand in."""

from pydantic import Field

from mesh.settings.base import Address, InnerNetwork, Model, Network, Text


class NetworkSettings(Model):
    """The three ranges of a cluster, and what its nodes need to know of their network."""

    node_cidr: Network = Field(examples=["10.11.84.0/22"])
    """Network of the nodes; several clusters may share one. Routable between all clusters."""
    gateway: Address = Field(examples=["10.11.84.1"])
    """Default gateway of the nodes, an address of `nodeCidr`."""
    name_servers: tuple[Address, ...] = Field(min_length=1, examples=[["10.11.84.2"]])
    """DNS servers of the nodes; CoreDNS asks them for every name outside the mesh."""
    search_domains: tuple[Text, ...] = Field(default=(), examples=[["example.com"]])
    """DNS search domains of the nodes."""
    ntp_servers: tuple[Text, ...] = Field(default=(), examples=[["ntp.example.com"]])
    """Time servers of the nodes; none leaves the template's own."""
    pod_cidr: InnerNetwork = Field(examples=["10.101.0.0/16"])
    """Range of the pods, apart from every other range of the mesh. Public ranges are allowed."""
    pod_cidr_mask_size: int = Field(default=24, ge=16, le=30)
    """Prefix length of the piece of `podCidr` each node gets: 24 is 254 pods. One piece a node."""
    service_cidr: InnerNetwork = Field(examples=["10.201.0.0/16"])
    """Range of the Services' cluster addresses, apart from every other range of the cluster."""
